"""A2A: tasks whole and in updates, both versions' words, the explicit end."""

from __future__ import annotations

from typing import Any

import pytest

from tests.real import content_of
from tests.traces.formats.frameworks import gap_kinds, outline, read, taken
from traces.formats import intake
from traces.formats.base import Unreadable
from traces.transcript import Outcome, StepStatus


def message(id_: str, role: str, text: str) -> dict[str, Any]:
    return {"messageId": id_, "role": role, "parts": [{"text": text}]}


def task(state: str = "TASK_STATE_FAILED", **more: Any) -> dict[str, Any]:
    return {
        "id": "k1",
        "contextId": "x1",
        "status": {"state": state, "timestamp": "2026-03-01T10:00:00Z"},
        "history": [
            message("m1", "ROLE_USER", "Find A-7."),
            message("m2", "ROLE_AGENT", "Looking."),
        ],
    } | more


def test_a_record_of_no_task_is_refused() -> None:
    result = taken({"jsonrpc": "2.0", "id": 1, "result": {"task": task()}}, {"jsonrpc": "2.0"})

    assert [refusal.position for refusal in result.refusals] == ["line 2"]
    assert "undecodable_step" in gap_kinds(result.runs[0].transcript)


def test_a_state_that_the_protocol_has_not_is_no_task() -> None:
    with pytest.raises(Unreadable, match="No known format"):
        taken(task("exploded"))


def test_a_task_is_told_in_its_messages_and_artifacts() -> None:
    made = {"artifactId": "a1", "name": "letter", "parts": [{"text": "Dear"}, {"data": {"n": 1}}]}
    transcript = read(task(artifacts=[made]))

    assert outline(transcript) == [
        ("input", "user", "Find A-7."),
        ("message", "agent", "Looking."),
        ("state", "agent", 'Dear\n{"n":1}\n\nartifact: letter'),
    ]
    assert (transcript.external_id, transcript.task_id) == ("k1", "x1")
    assert transcript.task_text == "Find A-7."
    assert transcript.actor_of(transcript.steps[1]).instance == "k1"


@pytest.mark.parametrize(
    ("state", "outcome", "value"),
    [
        ("TASK_STATE_FAILED", Outcome.FAILED, "failed"),
        ("TASK_STATE_REJECTED", Outcome.FAILED, "rejected"),
        ("TASK_STATE_COMPLETED", Outcome.SUCCEEDED, "completed"),
        ("TASK_STATE_CANCELED", Outcome.UNKNOWN, "canceled"),
        ("TASK_STATE_INPUT_REQUIRED", Outcome.UNKNOWN, "input-required"),
        ("failed", Outcome.FAILED, "failed"),
    ],
)
def test_the_end_is_explicit(state: str, outcome: Outcome, value: str) -> None:
    transcript = read(task(state))

    assert transcript.outcome is outcome
    assert [(each.value, each.by) for each in transcript.reports] == [(value, "agent")]


def test_what_the_agent_says_as_it_fails_is_the_failure() -> None:
    status = {"state": "TASK_STATE_FAILED", "message": message("m3", "ROLE_AGENT", "Gone.")}
    transcript = read(task(status=status))

    assert transcript.steps[-1].status is StepStatus.ERROR
    assert transcript.failures[0].observed == "Gone."


def test_a_status_message_that_is_in_the_history_is_no_second_step() -> None:
    status = {"state": "TASK_STATE_WORKING", "message": message("m2", "ROLE_AGENT", "Looking.")}
    transcript = read(task(status=status))

    assert len(transcript.steps) == 2
    assert transcript.folded == {"messages that came before": 1}


def update(**body: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": "1", "result": body}


def test_streamed_updates_are_one_task() -> None:
    def made(text: str, **more: Any) -> dict[str, Any]:
        artifact = {"artifactId": "a1", "parts": [{"text": text}]}
        return {"artifactUpdate": {"taskId": "k1", "artifact": artifact, **more}}

    said = {"state": "TASK_STATE_WORKING", "message": message("m2", "ROLE_AGENT", "Looking.")}
    transcript = read(
        update(task=task("TASK_STATE_SUBMITTED", history=[])),
        update(statusUpdate={"taskId": "k1", "contextId": "x1", "status": said}),
        update(**made("Dear")),
        update(**made(" Sir", append=True, lastChunk=True)),
        update(statusUpdate={"taskId": "k1", "status": {"state": "TASK_STATE_COMPLETED"}}),
    )

    assert [kind for kind, _, _ in outline(transcript)] == ["message", "state"]
    assert [part.text.split("\n")[0] for part in transcript.steps[1].parts] == ["Dear", " Sir"]
    assert transcript.outcome is Outcome.SUCCEEDED


def test_version_0_with_its_request() -> None:
    asked = message("m1", "user", "Find A-7.") | {"kind": "message"}
    answer = task("completed", kind="task", history=[asked | {"taskId": "k1"}])
    transcript = read(
        {"jsonrpc": "2.0", "id": "1", "method": "message/send", "params": {"message": asked}},
        {"jsonrpc": "2.0", "id": "1", "result": answer},
    )

    assert outline(transcript) == [("input", "user", "Find A-7.")]
    assert transcript.outcome is Outcome.SUCCEEDED


def test_the_real_task_failed() -> None:
    transcript = intake.take(content_of("formats/a2a/a2a-1.x.task-failed.json")).runs[0].transcript

    assert transcript.outcome is Outcome.FAILED
    assert [kind for kind, _, _ in outline(transcript)] == ["input", "message", "state", "message"]
    assert transcript.actor_of(transcript.steps[1]).instance == "task-7f"


def test_a_task_of_the_first_versions_is_told_by_its_session() -> None:
    made = {"name": "letter", "parts": [{"type": "text", "text": "Dear"}]}
    old = {"id": "k1", "sessionId": "x1", "status": {"state": "completed"}, "artifacts": [made]}
    transcript = read({"jsonrpc": "2.0", "id": 1, "result": old})
    assert outline(transcript) == [("state", "agent", "Dear\n\nartifact: letter")]
    assert (transcript.outcome, transcript.task_id) == (Outcome.SUCCEEDED, "x1")


def test_a_message_for_an_answer_is_no_tool_of_mcp() -> None:
    said = message("m1", "agent", "Gone.") | {"kind": "message"}
    transcript = read({"jsonrpc": "2.0", "id": 1, "result": said})
    assert outline(transcript) == [("message", "agent", "Gone.")]
    assert transcript.outcome is Outcome.UNKNOWN
