"""Memories of smolagents: steps of a model, with what all its tools printed together."""

from __future__ import annotations

import json
from typing import Any

import pytest

from traces.formats import intake
from traces.formats.base import Unreadable
from traces.transcript import ActorKind, LinkKind, PartKind, StepKind, StepStatus, Transcript

SYSTEM, TASK = {"system_prompt": "Be good."}, {"task": "Sum it.", "task_images": None}


def call(name: str) -> dict[str, Any]:
    function = {"name": "sum", "arguments": {"of": name}}
    return {"id": name, "type": "function", "function": function}


def act(*calls: str, **more: Any) -> dict[str, Any]:
    timing = {"start_time": 1772359200.0, "end_time": 1772359202.0, "duration": 2.0}
    sent = [{"role": "user", "content": [{"type": "text", "text": "Sum it."}]}]
    said = {"step_number": 1, "timing": timing, "model_input_messages": sent, "model_output": "Hm."}
    asked = [call(name) for name in calls] or None
    return {**said, "tool_calls": asked, "error": None, "observations": None, **more}


def read(*steps: Any) -> Transcript:
    (run,) = intake.take(json.dumps(list(steps)).encode()).runs
    return run.transcript


def texts(transcript: Transcript) -> list[list[str]]:
    return [[part.text for part in step.parts] for step in transcript.steps]


def test_nothing_of_it_is_refused() -> None:
    with pytest.raises(Unreadable, match="no steps"):
        intake.take(b'[{"novelty": 1}]', wanted="smolagents_memory")


def test_steps_of_unknown_kinds_are_kept_in_the_raw_file_and_a_gap() -> None:
    transcript = read(TASK, act(), {"novelty": 1})
    assert [(r.pointer, r.label) for r in transcript.records] == [("/2", "novelty")]
    assert "kept_in_raw_only" in {gap.kind for gap in transcript.gaps}


def test_what_one_tool_printed_is_its_answer() -> None:
    transcript = read(SYSTEM, TASK, act("c1", observations="12"))
    assert texts(transcript) == [["Be good."], ["Sum it."], ["Hm."], ['{"of":"c1"}', "12"]]
    step = transcript.steps[3]
    assert (step.kind, step.tool) == (StepKind.TOOL, "sum")
    assert step.ended_at is not None
    assert step.ended_at.second == 2
    assert transcript.folded == {"messages sent again with each model call": 1}


def test_what_several_tools_printed_together_is_a_step_behind_them_all() -> None:
    transcript = read(TASK, act("c1", "c2", observations="12\n13"), act())
    assert texts(transcript)[2:5] == [['{"of":"c1"}'], ['{"of":"c2"}'], ["12\n13"]]
    links = [(k.source, k.target) for k in transcript.links if k.kind is LinkKind.CONSUMES]
    assert links == [(1, 2), (1, 3), (2, 4), (3, 4)]
    assert (4, 5) in [(link.source, link.target) for link in transcript.links]


def test_an_error_is_that_of_the_call_or_of_the_model_if_it_made_none() -> None:
    error = {"type": "AgentToolExecutionError", "message": "No such sum."}
    transcript = read(TASK, act("c1", error=error), act(error=error))
    assert [step.status for step in transcript.steps] == [
        *(StepStatus.NOT_CAPTURED, StepStatus.NOT_CAPTURED, StepStatus.ERROR, StepStatus.ERROR)
    ]
    part = transcript.steps[2].parts[1]
    assert (part.kind, part.text) == (PartKind.ERROR, "No such sum.")
    assert part.data == {"error_type": "AgentToolExecutionError"}


def test_plans_are_model_calls_and_the_final_answer_is_the_agents_word() -> None:
    plan = {"plan": "First the sum.", "model_input_messages": [], "timing": {"start_time": 1.0e9}}
    last = act(is_final_answer=True, action_output=12)
    transcript = read(TASK, plan, last, {"output": 12})
    assert [step.text for step in transcript.steps] == ["Sum it.", "First the sum.", "Hm."]
    assert [(r.value, r.by, r.detail, r.step) for r in transcript.reports] == [
        ("final answer", "agent", "12", 2),
        ("final answer", "agent", "12", None),
    ]
    assert transcript.records[0].pointer == "/3"


def test_whoever_asks_is_a_human_and_the_task_is_known() -> None:
    transcript = read(SYSTEM, TASK, act())
    assert {actor.key: actor.kind for actor in transcript.actors} == {
        "system": ActorKind.HARNESS,
        "user": ActorKind.HUMAN,
        "agent": ActorKind.AGENT,
    }
    assert transcript.task_text == "Sum it."


def test_steps_below_a_key_are_read_as_well() -> None:
    (run,) = intake.take(json.dumps({"steps": [TASK, act("c1", observations="12")]}).encode()).runs
    assert [step.pointer for step in run.transcript.steps] == ["/steps/0", "/steps/1", "/steps/1"]
