"""MCP logs: answers by id and direction, failures of tools against calls that never ran."""

from __future__ import annotations

from typing import Any

import pytest

from tests.real import content_of
from tests.traces.formats.frameworks import gap_kinds, read, taken
from traces.formats import intake
from traces.formats.base import Unreadable
from traces.transcript import ActorKind, StepStatus


def rpc(**more: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0"} | more


def wrapped(direction: str, **more: Any) -> dict[str, Any]:
    return {"ts": "2026-03-01T10:00:00+00:00", "dir": direction, "msg": rpc(**more)}


def call(id_: Any, tool: str = "find", **more: Any) -> dict[str, Any]:
    return {
        "id": id_,
        "method": "tools/call",
        "params": {"name": tool, "arguments": {"n": 7}} | more,
    }


def result(id_: Any, text: str, *, failed: bool = False) -> dict[str, Any]:
    return {"id": id_, "result": {"content": [{"type": "text", "text": text}], "isError": failed}}


OUT, BACK = "client->server", "server->client"


def test_a_log_without_a_call_is_refused() -> None:
    with pytest.raises(Unreadable, match="no call"):
        taken(rpc(id=0, method="ping"), rpc(id=0, result={}))


def test_a_line_that_is_no_message_is_refused() -> None:
    outcome = taken(rpc(**call(1)), rpc(**result(1, "here")), {"jsonrpc": "2.0"})

    assert [refusal.position for refusal in outcome.refusals] == ["line 3"]
    assert "undecodable_step" in gap_kinds(outcome.runs[0].transcript)


def test_a_call_and_its_result_are_one_step() -> None:
    transcript = read(wrapped(OUT, **call(1)), wrapped(BACK, **result(1, "here")))

    (step,) = transcript.steps
    assert (step.tool, step.status) == ("find", StepStatus.OK)
    assert [part.text for part in step.parts] == ['{"n":7}', "here"]
    assert step.also_from == ("line 2",)
    assert step.ended_at is not None


def test_a_tool_that_failed_is_not_a_call_that_never_ran() -> None:
    transcript = read(
        wrapped(OUT, **call(1)),
        wrapped(BACK, **result(1, "gone", failed=True)),
        wrapped(OUT, **call(2)),
        wrapped(BACK, id=2, error={"code": -32602, "message": "Bad arguments"}),
    )

    failed, refused = transcript.steps
    assert failed.status is refused.status is StepStatus.ERROR
    assert "protocol_error" not in failed.parts[1].data
    assert refused.parts[1].data == {"code": -32602, "protocol_error": True}
    assert refused.parts[1].text == "Bad arguments"


def test_both_sides_may_use_the_same_ids() -> None:
    asked = {"id": 1, "method": "sampling/createMessage", "params": {"messages": []}}
    transcript = read(
        wrapped(OUT, **call(1)),
        wrapped(BACK, **asked),
        wrapped(
            OUT, id=1, result={"role": "assistant", "content": {"type": "text", "text": "Hm."}}
        ),
        wrapped(BACK, **result(1, "here")),
    )

    assert [(step.tool, step.parts[1].text[:4]) for step in transcript.steps] == [
        ("find", "here"),
        ("sampling/createMessage", '{"ro'),
    ]


def test_a_number_and_a_text_are_different_ids() -> None:
    transcript = read(rpc(**call(1)), rpc(**call("1", "other")), rpc(**result("1", "here")))

    assert [len(step.parts) for step in transcript.steps] == [1, 2]
    assert "request_without_response" in gap_kinds(transcript)


def test_each_initialize_begins_a_session() -> None:
    def hello(name: str) -> dict[str, Any]:
        return rpc(id=0, method="initialize", params={"clientInfo": {"name": name}})

    runs = taken(
        hello("one"), rpc(**call(1)), rpc(**result(1, "a")), hello("two"), rpc(**call(1))
    ).runs

    assert [run.transcript.actors[0].role for run in runs] == ["one", "two"]
    assert [len(run.transcript.steps[0].parts) for run in runs] == [2, 1]


def test_sessions_that_are_named_are_kept_apart() -> None:
    runs = taken(
        {"session": "s1", "msg": rpc(**call(1))},
        {"session": "s2", "msg": rpc(**call(1))},
        {"session": "s2", "msg": rpc(**result(1, "b"))},
    ).runs

    assert [run.transcript.external_id for run in runs] == ["s1", "s2"]
    assert [len(run.transcript.steps[0].parts) for run in runs] == [1, 2]


def test_an_answer_to_no_request_is_a_step_of_its_own() -> None:
    transcript = read(wrapped(BACK, **result(9, "late")))

    assert transcript.steps[0].parts[0].text == "late"
    assert "response_without_request" in gap_kinds(transcript)


def test_notifications_are_folded_cancel_or_are_told() -> None:
    transcript = read(
        rpc(**call(1, _meta={"progressToken": "p"})),
        rpc(method="notifications/progress", params={"progressToken": "p", "progress": 1}),
        rpc(method="notifications/message", params={"level": "error", "data": "Disk full"}),
        rpc(method="notifications/cancelled", params={"requestId": 1}),
    )

    assert transcript.steps[0].status is StepStatus.CANCELLED
    assert transcript.steps[0].also_from == ("line 2", "line 4")
    assert transcript.steps[1].parts[0].text == "Disk full"
    assert transcript.actor_of(transcript.steps[1]).kind is ActorKind.TOOL


def test_what_only_sets_up_the_session_is_context() -> None:
    transcript = read(
        rpc(id=0, method="tools/list"), rpc(id=0, result={"tools": []}), rpc(**call(1))
    )

    assert [record.label for record in transcript.records] == ["tools/list", "tools/list result"]


def test_nothing_tells_which_agent_asked() -> None:
    actor = read(rpc(**call(1))).actors[0]

    assert (actor.role, actor.capture["instance"]) == ("client", "not_in_schema")


def test_the_real_log_tells_failures_apart() -> None:
    transcript = intake.take(content_of("formats/mcp/mcp.stdio-jsonrpc.jsonl")).runs[0].transcript

    assert [(step.tool, step.status) for step in transcript.steps] == [
        ("lookup_order", StepStatus.OK),
        ("lookup_order", StepStatus.ERROR),
        ("no_such_tool", StepStatus.ERROR),
        ("no/such_method", StepStatus.ERROR),
    ]
    # The server hides what the exception said.
    assert transcript.steps[1].parts[1].capture == {"error": "withheld"}
    assert transcript.steps[3].parts[1].data["protocol_error"] is True
    assert transcript.system == {"name": "orders", "protocol": "2025-06-18"}
