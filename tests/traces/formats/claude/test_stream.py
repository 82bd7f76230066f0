"""Claude's stream-json: subagents by the call that started them, an ending that is no outcome."""

from __future__ import annotations

from typing import Any

import pytest

from tests.traces.formats.logs import gaps, lines, links, real_run, run_of, step, tools
from traces.formats import intake
from traces.formats.base import Unreadable
from traces.transcript import ActorKind, Fate, LinkKind, Outcome, StepKind, StepStatus

INIT = {"type": "system", "subtype": "init", "session_id": "s", "model": "m-1", "cwd": "/repo"}


def said(kind: str, message: dict[str, Any], uuid: str, parent: str | None = None) -> Any:
    return {
        "type": kind,
        "message": message,
        "session_id": "s",
        "parent_tool_use_id": parent,
        "uuid": uuid,
    }


def reply(uuid: str, name: str, *blocks: Any, parent: str | None = None) -> Any:
    message = {"id": name, "role": "assistant", "model": "m-1", "content": list(blocks)}
    return said("assistant", message, uuid, parent)


def user(uuid: str, *blocks: Any, parent: str | None = None) -> Any:
    return said("user", {"role": "user", "content": list(blocks)}, uuid, parent)


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def use(name: str, tool: str, **given: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": name, "name": tool, "input": given}


def result(name: str, words: str, **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": name, "content": words, **more}


END = {"type": "result", "subtype": "success", "is_error": False, "session_id": "s"}


def test_a_stream_without_a_message_is_refused() -> None:
    with pytest.raises(Unreadable, match="only notes"):
        intake.take(lines(INIT, END))


def with_subagent() -> list[Any]:
    task = use("tu_1", "Agent", subagent_type="Explore", prompt="Look.")
    return [
        INIT,
        reply("1", "msg_1", text("I send somebody."), task),
        user("2", text("Look."), parent="tu_1"),
        reply("3", "msg_2", use("tu_2", "Bash", command="ls"), parent="tu_1"),
        user("4", result("tu_2", "x.py", is_error=False), parent="tu_1"),
        user("5", result("tu_1", "There is x.py.")),
        reply("6", "msg_3", text("x.py.")),
        END | {"result": "x.py."},
    ]


def test_a_subagent_is_known_by_the_call_that_started_it() -> None:
    transcript = run_of(*with_subagent())
    subagent = transcript.actor_by_key["Explore tu_1"]

    assert [s.source_id for s in transcript.steps] == [
        *("msg_1", "tu_1", "2", "msg_2", "tu_2", "msg_3"),
    ]
    assert (subagent.role, subagent.instance, subagent.parent) == ("Explore", "s/tu_1", "main")
    assert links(transcript, LinkKind.SPAWN) == [("tu_1", "2")]
    assert links(transcript, LinkKind.JOIN) == [("tu_2", "msg_3")]
    assert step(transcript, "2").actor == "main"
    assert gaps(transcript, "join_without_parents") == []


def test_the_result_says_that_the_loop_ended_and_no_more() -> None:
    transcript = run_of(*with_subagent())
    (report,) = transcript.reports

    assert (report.value, report.by, report.detail) == ("success", "framework", "")
    assert transcript.outcome is Outcome.UNKNOWN
    assert transcript.failures == ()
    assert transcript.folded["last words said again in the result"] == 1


def test_an_ending_by_an_error_is_told_with_it() -> None:
    end = END | {"subtype": "error_max_turns", "is_error": True, "errors": ["Too many turns"]}
    (report,) = run_of(INIT, user("1", text("Go.")), end).reports

    assert (report.value, report.detail) == ("error_max_turns", "Too many turns")


def test_a_result_that_calls_its_success_an_error_is_an_error() -> None:
    (report,) = run_of(INIT, user("1", text("Go.")), END | {"is_error": True}).reports

    assert report.value == "error"


def test_a_persons_no_is_their_decision() -> None:
    no = "The user doesn't want to take this action right now."
    transcript = run_of(
        INIT,
        reply("1", "msg_1", use("tu_1", "Bash", command="rm x")),
        user("2", result("tu_1", no, is_error=True)),
    )

    assert step(transcript, "tu_1").status is StepStatus.CANCELLED
    assert transcript.actor_of(transcript.steps[-1]).kind is ActorKind.HUMAN
    assert transcript.steps[-1].kind is StepKind.DECISION


def test_a_call_id_that_is_used_again_has_a_result_each_time() -> None:
    transcript = run_of(
        INIT,
        reply("1", "msg_1", use("Todo:0", "Todo", at=1)),
        user("2", result("Todo:0", "Written.")),
        reply("3", "msg_2", use("Todo:0", "Todo", at=2)),
        user("4", result("Todo:0", "Written.")),
    )

    assert [[part.text for part in s.parts] for s in tools(transcript)] == [
        ['{"at":1}', "Written."],
        ['{"at":2}', "Written."],
    ]
    assert gaps(transcript, "reused_call_id") == [None]


def test_records_that_are_no_messages_are_context_or_named() -> None:
    odd = {"type": "hologram", "session_id": "s"}
    transcript = run_of(INIT, user("1", text("Go.")), odd)

    assert [(r.pointer, r.fate) for r in transcript.records] == [
        ("line 1", Fate.CONTEXT),
        ("line 3", Fate.UNMAPPED),
    ]


def test_the_real_stream_has_one_subagent() -> None:
    name = "claude-agent-sdk-stream-json/test_query_task_subagent_spans.stream.jsonl"
    transcript = real_run(name)

    assert len(links(transcript, LinkKind.SPAWN)) == 1
    assert [actor.role for actor in transcript.actors] == ["main", "general-purpose"]
    assert [each.tool for each in tools(transcript)] == ["Agent", "Bash"]
