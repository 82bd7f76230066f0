"""Chat files of Gemini CLI: calls stand in the message that asks for them, with their answers."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.real import FORMATS, needs_files
from traces.formats import intake
from traces.formats.base import Unreadable
from traces.transcript import ActorKind, PartKind, StepKind, StepStatus, Transcript

REAL = FORMATS / "gemini-cli"


def said(name: str, kind: str = "gemini", content: Any = "", **more: Any) -> dict[str, Any]:
    at = "2026-03-01T10:00:01.000Z"
    return {"id": name, "timestamp": at, "type": kind, "content": content, **more}


def call(status: str | None = "success", response: Any = None, **more: Any) -> dict[str, Any]:
    answer = {"functionResponse": {"id": "t1", "name": "read", "response": response}}
    result = {"result": [answer]} if response is not None else {}
    state = {"status": status} if status else {}
    at = "2026-03-01T10:00:03.000Z"
    return {
        "id": "t1",
        "name": "read",
        "args": {"p": 1},
        "timestamp": at,
        **result,
        **state,
        **more,
    }


def read(*messages: Any, **header: Any) -> Transcript:
    value = {"sessionId": "s1", "startTime": "2026-03-01T10:00:00Z", **header}
    content = json.dumps({**value, "messages": list(messages)}).encode()
    (run,) = intake.take(content, wanted="gemini_cli").runs
    return run.transcript


@pytest.mark.parametrize("content", [b"[]", b"[7]", b'{"messages": []}', b'{"sessionId": "s1"}'])
def test_nothing_of_it_is_refused(content: bytes) -> None:
    with pytest.raises(Unreadable, match="no messages"):
        intake.take(content, wanted="gemini_cli")


def test_entries_that_are_no_messages_are_kept_apart_and_a_gap() -> None:
    transcript = read(said("u1", "user", "Hi"), 7, {"type": []}, said("g1", content="Ho"))
    assert [step.source_id for step in transcript.steps] == ["u1", "g1"]
    assert [record.pointer for record in transcript.records] == ["/messages/1", "/messages/2"]
    assert "undecodable_step" in {gap.kind for gap in transcript.gaps}


@pytest.mark.parametrize(
    ("status", "response", "known", "text"),
    [
        ("success", {"output": "Hello"}, StepStatus.OK, "Hello"),
        ("error", {"error": "No such file"}, StepStatus.ERROR, "No such file"),
        ("cancelled", {"error": "Cancelled"}, StepStatus.CANCELLED, "Cancelled"),
        ("unheard of", {"output": "Hello"}, StepStatus.NOT_CAPTURED, "Hello"),
    ],
)
def test_how_a_call_went(status: str, response: Any, known: StepStatus, text: str) -> None:
    transcript = read(said("g1", toolCalls=[call(status, response)]))
    step = transcript.steps[1]
    assert (step.status, step.parts[1].text) == (known, text)
    assert step.ended_at is not None
    assert step.ended_at.second == 3


def test_results_of_other_shapes_are_shown_as_json() -> None:
    transcript = read(said("g1", toolCalls=[call(response={"rows": [1], "n": 1})]))
    text = transcript.steps[1].parts[1].text
    assert json.loads(text)["functionResponse"]["response"] == {"rows": [1], "n": 1}


def test_a_call_that_never_ran_has_no_answer() -> None:
    transcript = read(said("g1", toolCalls=[call(None), "odd"]))
    assert [len(step.parts) for step in transcript.steps] == [1, 1, 1]
    assert "request_without_response" in {gap.kind for gap in transcript.gaps}


def test_thoughts_are_interpretations_before_what_is_said() -> None:
    thought = {"subject": "Files", "description": "I list them.", "timestamp": "x"}
    transcript = read(said("g1", content="Done.", thoughts=[thought], model="gemini-2.5-pro"))
    (step,) = transcript.steps
    assert [(part.kind, part.text) for part in step.parts] == [
        (PartKind.INTERPRETATION, "Files\nI list them."),
        (PartKind.MESSAGE, "Done."),
    ]
    assert transcript.system == {"models": {"gemini": "gemini-2.5-pro"}}


def test_a_model_call_that_only_asks_for_tools_says_nothing() -> None:
    transcript = read(said("g1", toolCalls=[call(response={"output": "x"})]))
    assert transcript.steps[0].parts[0].capture == {"text": "absent"}


def test_what_the_program_says_is_its_own_and_an_error_is_one() -> None:
    transcript = read(said("i1", "info", "Update."), said("e1", "error", "Quota."))
    assert [(step.actor, step.kind, step.status) for step in transcript.steps] == [
        ("gemini-cli", StepKind.INPUT, StepStatus.NOT_CAPTURED),
        ("gemini-cli", StepKind.ERROR, StepStatus.ERROR),
    ]
    assert transcript.actors[0].kind is ActorKind.HARNESS


def test_one_message_a_line_behind_a_header_is_one_run() -> None:
    lines = [{"sessionId": "s1", "startTime": "2026-03-01T10:00:00Z"}, said("u1", "user", "Hi")]
    content = "\n".join(map(json.dumps, [*lines, said("g1", tokens={})])).encode()
    (run,) = intake.take(content).runs
    assert run.transcript.external_id == "s1"
    assert [step.pointer for step in run.transcript.steps] == ["line 2", "line 3"]


def test_other_fields_of_a_session_are_counted() -> None:
    assert read(said("u1", "user", "Hi"), summary="A talk").unread == {"summary": 1}


@needs_files
@pytest.mark.parametrize(
    ("name", "states"),
    [
        ("session-2025-10-29T10-36-453aa339.json", ["ok", "ok", "ok"]),
        ("tool-result-cancelled.json", ["cancelled"]),
        ("tool-result-error.json", ["error"]),
    ],
)
def test_real_files(name: str, states: list[str]) -> None:
    (run,) = intake.take((REAL / name).read_bytes()).runs
    tools = [step for step in run.transcript.steps if step.kind is StepKind.TOOL]
    assert [step.status.value for step in tools] == states
    assert all(len(step.parts) == 2 for step in tools)


def appended(*records: Any) -> Transcript:
    header = {"sessionId": "s1", "startTime": "2026-03-01T10:00:00Z", "kind": "main"}
    content = "\n".join(json.dumps(each) for each in (header, *records)).encode()
    taken = intake.take(content)
    assert taken.refusals == ()
    (run,) = taken.runs
    return run.transcript


def test_messages_appended_again_as_they_grow_are_told_once_and_whole() -> None:
    grown = said("g1", content="Done.", toolCalls=[call(response={"output": "x"})])
    transcript = appended(
        said("u1", "user", "Hi"), said("g1", tokens=None), grown, {"$set": {"lastUpdated": "now"}}
    )
    assert [step.source_id for step in transcript.steps] == ["u1", "g1", "g1.1"]
    assert transcript.steps[1].parts[0].text == "Done."
    assert not [gap for gap in transcript.gaps if gap.kind == "duplicate_step"]
    assert sum(transcript.folded.values()) == 1


def test_a_conversation_that_was_set_back_goes_on_from_before() -> None:
    transcript = appended(
        said("u1", "user", "Hi"),
        said("g1", content="Ho", tokens={}),
        said("u2", "user", "Wrong"),
        said("g2", content="Yes", tokens={}),
        {"$rewindTo": "u2"},
        {"$rewindTo": "never was"},
        said("u3", "user", "Right"),
    )
    assert [gap.step for gap in transcript.gaps if gap.kind == "rewound"] == [2]
    assert [link.source for link in transcript.links if link.target == 4] == [1]
