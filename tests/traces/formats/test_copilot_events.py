"""Copilot CLI: starts and ends of tools find the calls that messages ask for."""

from __future__ import annotations

from typing import Any

import pytest

from tests.traces.formats.logs import lines, run_of, step
from traces.formats import intake
from traces.formats.base import Unreadable
from traces.transcript import ActorKind, Fate, StepKind, StepStatus


def event(name: str, kind: str, /, **data: Any) -> dict[str, Any]:
    when = "2026-03-01T10:00:00.000Z"
    return {"id": name, "type": kind, "timestamp": when, "parentId": None, "data": data}


def test_notes_alone_are_no_run() -> None:
    with pytest.raises(Unreadable, match="only notes"):
        intake.take(lines(event("a", "session.start", sessionId="s")))


def test_events_of_one_call_are_one_step() -> None:
    asked = {"toolCallId": "c-1", "name": "bash", "arguments": {"command": "ls"}}
    done = {"toolCallId": "c-1", "success": True, "result": {"content": "x.py"}}
    transcript = run_of(
        event("a", "session.start", sessionId="s", copilotVersion="0.0.4"),
        event("b", "user.message", content="List."),
        event("c", "assistant.message", content="I look.", toolRequests=[asked]),
        event("d", "tool.execution_start", toolCallId="c-1", toolName="bash"),
        event("e", "tool.execution_complete", **done),
        event("f", "assistant.message", content="x.py", toolRequests=[]),
        event("g", "abort", reason="user initiated"),
        event("h", "session.hologram"),
    )

    assert [(s.source_id, s.kind.value, s.text) for s in transcript.steps] == [
        ("b", "input", "List."),
        ("c.reply", "decision", "I look."),
        ("c-1", "tool", '{"command":"ls"}\nx.py'),
        ("f.reply", "message", "x.py"),
        ("g", "decision", "user initiated"),
    ]
    assert step(transcript, "c-1").status is StepStatus.OK
    assert step(transcript, "c-1").also_from == ("line 4", "line 5")
    assert transcript.actor_of(step(transcript, "g")).kind is ActorKind.HUMAN
    assert transcript.external_id == "s"
    assert [r.fate for r in transcript.records] == [Fate.CONTEXT, Fate.CONTEXT]


def test_a_message_that_only_asks_says_nothing() -> None:
    asked = {"toolCallId": "c-1", "name": "bash", "arguments": {}}
    transcript = run_of(event("c", "assistant.message", content="", toolRequests=[asked]))

    assert transcript.steps[0].parts[0].capture == {"text": "absent"}
    assert transcript.steps[1].kind is StepKind.TOOL


def test_an_error_of_the_session_is_a_step_and_a_report() -> None:
    transcript = run_of(event("a", "session.error", errorType="quota", message="No quota left."))

    assert [(s.kind, s.text) for s in transcript.steps] == [(StepKind.ERROR, "No quota left.")]
    assert [(r.value, r.by) for r in transcript.reports] == [("error", "framework")]
