"""Managed agents: spans bound calls of the model, and a person's no is that person's decision."""

from __future__ import annotations

from typing import Any

import pytest

from tests.traces.formats.logs import lines, links, real_run, run_of, step, tools
from traces.formats import intake
from traces.formats.base import Unreadable
from traces.transcript import ActorKind, Fate, LinkKind, StepKind, StepStatus

SESSION = {
    "type": "session",
    "id": "sesn_1",
    "environment_id": "env_1",
    "agent": {"name": "coder", "version": 4, "model": {"id": "m-1"}, "system": "Code."},
}


def event(kind: str, sevt: str, second: int = 0, /, **more: Any) -> dict[str, Any]:
    when = f"2026-07-06T16:26:{second:02d}.000000Z"
    return {"type": kind, "id": f"sevt_{sevt}", "processed_at": when, **more}


def text(words: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": words}]


def test_notes_alone_are_no_run() -> None:
    with pytest.raises(Unreadable, match="only notes"):
        intake.take(lines(event("session.status_running", "1")))


def test_what_is_neither_a_pair_nor_an_object_is_refused() -> None:
    taken = intake.take(lines(event("user.message", "1", content=text("Hi.")), [1, 2, 3]))

    assert [refusal.position for refusal in taken.refusals] == ["line 2"]


def test_spans_bound_the_calls_of_the_model() -> None:
    transcript = run_of(
        SESSION,
        event("user.message", "u", 1, content=text("The date?")),
        event("span.model_request_start", "s1", 2),
        event("agent.message", "m1", 3, content=text("I ask.")),
        event("agent.tool_use", "t1", 3, name="bash", input={"command": "date"}),
        event("span.model_request_end", "e1", 4, model_request_start_id="sevt_s1"),
        event("agent.tool_result", "r1", 5, tool_use_id="sevt_t1", content=text("Monday")),
        event("span.model_request_start", "s2", 6),
        event("agent.message", "m2", 7, content=text("Monday.")),
        event("session.status_idle", "i", 8, stop_reason={"type": "end_turn"}),
    )

    assert [(s.source_id, s.actor, s.kind.value, s.text) for s in transcript.steps] == [
        ("sevt_u", "user", "input", "The date?"),
        ("sevt_m1.reply", "coder", "decision", "I ask."),
        ("sevt_t1", "coder", "tool", '{"command":"date"}\nMonday'),
        ("sevt_m2.reply", "coder", "message", "Monday."),
    ]
    reply = step(transcript, "sevt_m1.reply")
    assert reply.started_at is not None
    assert (reply.started_at.second, reply.ended_at and reply.ended_at.second) == (2, 4)
    assert [(r.value, r.by) for r in transcript.reports] == [("end_turn", "framework")]
    assert (transcript.system["version"], transcript.system["models"]) == ("4", {"coder": "m-1"})
    assert [r.fate for r in transcript.records if r.label.startswith("span.")] == [
        Fate.CONTAINER
    ] * 3


def test_what_a_client_sent_is_told_once() -> None:
    hello = {"type": "user.message", "content": text("Hi.")}
    transcript = run_of(
        ["client.beta.sessions.create", SESSION],
        ["client.beta.sessions.events.send", ["sesn_1", {"events": [hello]}]],
        ["client.beta.sessions.events.stream", event("user.message", "u", content=text("Hi."))],
    )

    assert [s.source_id for s in transcript.steps] == ["sevt_u"]
    assert transcript.folded == {"sent by the client, and told again by the session": 1}
    assert transcript.external_id == "sesn_1"


def test_what_was_sent_and_never_told_is_a_step() -> None:
    hello = {"type": "user.message", "content": text("Hi.")}
    sent = ["client.beta.sessions.events.send", ["sesn_1", {"events": [hello]}]]
    transcript = run_of(sent, ["client.beta.sessions.create", SESSION])

    assert [(s.text, s.pointer) for s in transcript.steps] == [("Hi.", "line 1/1/1/events/0")]


def test_a_denied_call_is_a_decision_of_the_person() -> None:
    denied = {"tool_use_id": "sevt_t1", "result": "deny", "deny_message": "Not there."}
    transcript = run_of(
        event("agent.mcp_tool_use", "t1", 1, name="delete", input={}, mcp_server_name="files"),
        event("user.tool_confirmation", "c1", 2, **denied),
        event(
            "agent.mcp_tool_result",
            "r1",
            3,
            mcp_tool_use_id="sevt_t1",
            is_error=True,
            content=text("Denied by the user."),
        ),
    )
    decision = step(transcript, "sevt_c1")

    assert step(transcript, "sevt_t1").status is StepStatus.CANCELLED
    assert (decision.kind, decision.text) == (StepKind.DECISION, "Not there.")
    assert transcript.actor_of(decision).kind is ActorKind.HUMAN
    assert ("sevt_t1", "sevt_c1") in links(transcript, LinkKind.CONSUMES)


def test_an_error_says_whether_it_is_tried_again() -> None:
    def error(name: str, status: str) -> dict[str, Any]:
        body = {"type": "overloaded", "message": "Overloaded", "retry_status": {"type": status}}
        return event("session.error", name, error=body)

    transcript = run_of(
        event("user.message", "u", content=text("Go.")),
        error("e1", "retrying"),
        event("agent.message", "m1", content=text("Here.")),
        error("e2", "exhausted"),
    )

    assert links(transcript, LinkKind.RETRY_OF) == [("sevt_e1", "sevt_m1.reply")]
    assert [(r.value, r.detail) for r in transcript.reports] == [("exhausted", "Overloaded")]


def test_threads_are_instances() -> None:
    transcript = run_of(
        SESSION,
        event("session.thread_status_running", "1", session_thread_id="th_1", agent_name="coder"),
        event("user.message", "u", content=text("Go.")),
        event("session.thread_created", "2", session_thread_id="th_2", agent_name="tester"),
        event("agent.message", "m", content=text("Testing."), session_thread_id="th_2"),
        event("agent.message", "n", content=text("Waiting.")),
    )

    assert [(a.role, a.instance) for a in transcript.actors if a.kind is ActorKind.AGENT] == [
        ("coder", "sesn_1"),
        ("tester", "th_2"),
    ]


def test_the_real_session_is_read() -> None:
    transcript = real_run("anthropic-managed-agents/anthropic_managed_builtin_tools.jsonl")

    assert [(s.tool, s.status) for s in tools(transcript)] == [("bash", StepStatus.OK)]
    assert len(transcript.steps) == 4
