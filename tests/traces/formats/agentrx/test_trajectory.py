"""AgentRx's own trajectories: substeps as steps, whose text is kept whole."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.real import contents_of
from tests.traces.formats.frameworks import gap_kinds, outline, read, taken
from traces.formats import intake
from traces.formats.base import Unreadable
from traces.transcript import StepKind, StepStatus

SAID = "Agent: Clerk\nOperation: plan\nStatus: OK\nOutput: Looking."
FOUND = 'Agent: Find\nStatus: ERROR\nTool: find\nTool args: {"id": 7}\nTool result: {"ok": false}'


def step(index: int, *contents: tuple[str, str]) -> dict[str, Any]:
    substeps = [
        {"sub_index": number, "role": role, "content": content}
        for number, (role, content) in enumerate(contents, start=1)
    ]
    return {"index": index, "substeps": substeps}


def run(*steps: Any, **more: Any) -> dict[str, Any]:
    return {"trajectory_id": "q-1", "instruction": "Find A-7.", "steps": list(steps)} | more


def test_steps_without_substeps_fit_no_format() -> None:
    with pytest.raises(Unreadable, match="No known format"):
        taken(run({"index": 1}))


def test_entries_that_are_no_substeps_leave_a_gap() -> None:
    transcript = read(run(step(1, ("Clerk", SAID)), 3))

    assert len(transcript.steps) == 1
    assert "undecodable_step" in gap_kinds(transcript)


def test_a_substep_is_a_step_with_all_of_its_text() -> None:
    transcript = read(run(step(1, ("Clerk", SAID)), step(2, ("Find", FOUND), ("Clerk", "Lost."))))

    assert outline(transcript) == [
        ("message", "Clerk", SAID),
        ("tool", "Find", '{"id":7}'),
        ("message", "Clerk", "Lost."),
    ]
    tool = transcript.steps[1]
    assert (tool.tool, tool.status, tool.parts[1].text) == ("find", StepStatus.ERROR, FOUND)
    assert [each.source_id for each in transcript.steps] == ["1", "2", "2.2"]
    assert transcript.task_text == "Find A-7."


def test_substeps_may_be_json() -> None:
    content = json.dumps(
        {"tool_name": "find", "tool_args": '{"id": 7}', "tool_result": "here", "status": "OK"}
    )
    transcript = read(run(step(1, ("Find", content))))

    assert transcript.steps[0].kind is StepKind.TOOL
    assert transcript.steps[0].parts[0].text == '{"id":7}'


def test_what_stands_beside_the_steps_is_withheld() -> None:
    assert read(run(step(1, ("Clerk", SAID)), gold="zebra")).withheld == {"gold": "zebra"}


def test_the_real_trajectories_have_five_steps() -> None:
    runs = [
        intake.take(each).runs[0].transcript
        for each in contents_of("agentrx_otel_sim/trajectory_*/*.json")
    ]

    assert {len(each.steps) for each in runs} == {5}
    assert all(each.steps[2].kind is StepKind.TOOL for each in runs)
