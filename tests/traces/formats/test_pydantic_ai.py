"""Messages of pydantic-ai: how each tool call went, and which was tried again and why."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.real import FORMATS, needs_files
from traces.formats import intake
from traces.formats.base import Unreadable
from traces.transcript import ActorKind, LinkKind, StepKind, StepStatus, Transcript

REAL = FORMATS / "pydantic-ai"


def request(*parts: Any, run: str = "r1", **more: Any) -> dict[str, Any]:
    at = "2026-03-01T10:00:00Z"
    return {"kind": "request", "run_id": run, "timestamp": at, "parts": list(parts), **more}


def response(*parts: Any, run: str = "r1", **more: Any) -> dict[str, Any]:
    at = "2026-03-01T10:00:02Z"
    return {"kind": "response", "run_id": run, "timestamp": at, "parts": list(parts), **more}


PROMPT = {"part_kind": "user-prompt", "content": "Where is A-7?"}


def asks(call: str, name: str = "find") -> dict[str, Any]:
    return {"part_kind": "tool-call", "tool_name": name, "args": "{}", "tool_call_id": call}


def returns(call: str, outcome: str, content: Any = "gone", **more: Any) -> dict[str, Any]:
    found = {"part_kind": "tool-return", "tool_name": "find", "tool_call_id": call}
    return {**found, "content": content, "outcome": outcome, **more}


def read(*messages: Any) -> Transcript:
    (run,) = intake.take(json.dumps(list(messages)).encode(), wanted="pydantic_ai").runs
    return run.transcript


def told(transcript: Transcript) -> list[tuple[str, StepKind, str]]:
    return [(step.actor, step.kind, step.text) for step in transcript.steps]


def test_nothing_of_it_is_refused() -> None:
    with pytest.raises(Unreadable, match="no messages"):
        intake.take(b'[{"kind": "other"}]', wanted="pydantic_ai")


def test_entries_that_are_no_messages_are_refused_and_a_gap() -> None:
    result = intake.take(json.dumps([request(PROMPT), 7, {"kind": "request"}]).encode())
    assert [refusal.position for refusal in result.refusals] == ["/1", "/2"]
    (run,) = result.runs
    assert "undecodable_step" in {gap.kind for gap in run.transcript.gaps}


@pytest.mark.parametrize(
    ("outcome", "status"),
    [
        ("success", StepStatus.OK),
        ("failed", StepStatus.ERROR),
        ("retried", StepStatus.ERROR),
        ("denied", StepStatus.CANCELLED),
        ("interrupted", StepStatus.CANCELLED),
        ("unheard of", StepStatus.NOT_CAPTURED),
    ],
)
def test_the_outcome_of_a_call_is_its_status(outcome: str, status: StepStatus) -> None:
    transcript = read(request(PROMPT), response(asks("c1")), request(returns("c1", outcome)))
    assert transcript.steps[2].status is status


def test_a_tool_that_asks_to_be_tried_again_says_why_and_the_next_call_is_that_try() -> None:
    retry = {"cause": "model_retry", "attempt": 1, "max_retries": 2}
    transcript = read(
        request(PROMPT),
        response(asks("c1")),
        request(returns("c1", "retried", retry=retry)),
        response(asks("c2")),
    )
    tried = transcript.steps[4]
    assert (tried.attempt, tried.attempt_reason) == (2, "model_retry")
    (link,) = (link for link in transcript.links if link.kind is LinkKind.RETRY_OF)
    assert (link.source, link.target, link.recorded) == (2, 4, False)


def test_older_dumps_ask_for_another_try_by_a_part_of_its_own() -> None:
    asked = {"part_kind": "retry-prompt", "tool_name": "find", "tool_call_id": "c1"}
    wrong = {"part_kind": "retry-prompt", "content": [{"type": "missing", "loc": ["total"]}]}
    transcript = read(
        request(PROMPT),
        response(asks("c1")),
        request({**asked, "content": "No A-7, try another."}),
        response({"part_kind": "text", "content": "12"}),
        request(wrong),
    )
    step = transcript.steps[2]
    assert (step.parts[1].text, step.status) == ("No A-7, try another.", StepStatus.ERROR)
    told_again = transcript.steps[4]
    assert told_again.actor == "harness"
    assert json.loads(told_again.text) == wrong["content"]


def test_models_that_were_asked_before_and_gave_nothing_are_steps() -> None:
    failed = [{"model_name": "m-0", "error": "503"}, {"model_name": "m-1", "error": "429"}]
    text = {"part_kind": "text", "content": "Gone."}
    transcript = read(request(PROMPT), response(text, model_name="m-2", failed_attempts=failed))
    assert [step.kind for step in transcript.steps] == [
        *(StepKind.INPUT, StepKind.ERROR, StepKind.ERROR, StepKind.MESSAGE)
    ]
    retries = [(k.source, k.target) for k in transcript.links if k.kind is LinkKind.RETRY_OF]
    assert retries == [(1, 2), (2, 3)]


def test_instructions_are_a_step_where_they_are_new() -> None:
    transcript = read(
        request(PROMPT, instructions="Be good."),
        response({"part_kind": "text", "content": "Hm."}),
        request(PROMPT, instructions="Be good."),
        request(PROMPT, instructions="Be quick."),
    )
    assert [step.text for step in transcript.steps if step.actor == "system"] == [
        "Be good.",
        "Be quick.",
    ]


def test_executions_of_an_agent_are_told_apart() -> None:
    text = {"part_kind": "text", "content": "Hm."}
    transcript = read(request(PROMPT), response(text), response(text, run="r2"))
    agents = [actor for actor in transcript.actors if actor.kind is ActorKind.AGENT]
    assert [(actor.key, actor.role, actor.instance) for actor in agents] == [
        ("agent", "agent", "r1"),
        ("agent 2", "agent", "r2"),
    ]


def test_thoughts_pictures_and_tools_of_the_vendor() -> None:
    prompt = {**PROMPT, "content": ["Look", {"kind": "image-url", "url": "https://example.org/a"}]}
    ran = {"part_kind": "builtin-tool-return", "tool_name": "search", "tool_call_id": "b1"}
    transcript = read(
        request(prompt, {"part_kind": "novelty", "content": "?"}),
        response(
            {"part_kind": "thinking", "content": "", "signature": "Eq"},
            {**asks("b1", "search"), "part_kind": "builtin-tool-call"},
            {**ran, "content": {"hits": 1}},
        ),
    )
    assert transcript.steps[0].parts[0].text == "Look"
    assert transcript.steps[1].actor == "harness"
    assert transcript.steps[2].parts[0].capture == {"text": "withheld"}
    assert transcript.steps[3].parts[1].text == '{"hits": 1}'


def test_messages_below_a_key_and_arguments_of_early_dumps() -> None:
    call = {**asks("c1"), "args": {"args_json": '{"id": "A-7"}'}}
    value = {"usage": {}, "all_messages": [request(PROMPT), response(call)]}
    (run,) = intake.take(json.dumps(value).encode()).runs
    assert run.format.startswith("pydantic_ai@")
    assert run.transcript.steps[2].text == '{"id": "A-7"}'
    assert run.transcript.steps[1].pointer == "/all_messages/1"


def test_times_are_those_of_the_requests_and_responses() -> None:
    transcript = read(request(PROMPT), response({"part_kind": "text", "content": "Hm."}))
    step = transcript.steps[1]
    assert step.started_at is not None
    assert step.ended_at is not None
    assert (step.ended_at - step.started_at).total_seconds() == 2


@needs_files
def test_a_real_dump() -> None:
    (run,) = intake.take((REAL / "pydantic-ai.all_messages.json").read_bytes()).runs
    # Two requests of 1 and 2 parts, two responses of which the first asks for two tools.
    assert [(step.actor, step.tool, step.status.value) for step in run.transcript.steps] == [
        ("system", None, "not_captured"),
        ("user", None, "not_captured"),
        ("agent", None, "not_captured"),
        ("agent", "lookup_order", "ok"),
        ("agent", "lookup_order", "error"),
        ("agent", None, "not_captured"),
    ]
    assert run.transcript.steps[4].parts[1].data["retry"]["attempt"] == 1
