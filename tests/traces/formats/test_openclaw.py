"""openclaw's telemetry: one log of all sessions, in which most things are told several times."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.traces.formats.logs import gaps, lines, links, real_run, run_of, step, tools
from traces.formats import intake
from traces.formats.base import Unreadable
from traces.transcript import ActorKind, LinkKind, StepStatus

MAIN, SUBAGENT = "agent:main:main", "agent:main:subagent:7"


def record(seq: int, kind: str, session: str = MAIN, **more: Any) -> dict[str, Any]:
    return {
        "type": kind,
        "sessionKey": session,
        "agentId": "main",
        "seq": seq,
        "ts": 1772830700000 + 1000 * seq,
        **more,
    }


def user(words: str, seq: int) -> dict[str, Any]:
    content = [{"type": "text", "text": words}]
    return {"role": "user", "content": content, "timestamp": 1772830700000 + 1000 * seq}


def reply(seq: int, words: str, *calls: dict[str, Any]) -> dict[str, Any]:
    content = [{"type": "text", "text": words}, *calls]
    when = 1772830700000 + 1000 * seq
    return {"role": "assistant", "content": content, "model": "m-1", "timestamp": when}


def asks(name: str, tool: str, **given: Any) -> dict[str, Any]:
    return {"type": "toolCall", "id": name, "name": tool, "arguments": given}


def result(name: str, tool: str, words: str, seq: int) -> dict[str, Any]:
    content = [{"type": "text", "text": words}]
    return {
        "role": "toolResult",
        "toolCallId": name,
        "toolName": tool,
        "content": content,
        "isError": False,
        "timestamp": 1772830700000 + 1000 * seq,
    }


def test_notes_alone_are_no_run() -> None:
    with pytest.raises(Unreadable, match="only notes"):
        intake.take(lines(record(1, "llm.usage"), record(2, "agent.end", success=True)))


def test_starts_of_tools_stand_alone_where_no_history_tells_them() -> None:
    transcript = run_of(
        record(1, "agent.start", prompt="Look."),
        record(2, "agent.start", prompt="Look.", messages=[]),
        record(3, "tool.start", toolName="exec", params={"command": "ls"}),
        record(4, "tool.end", toolName="exec", success=False, durationMs=5),
    )
    (tool,) = tools(transcript)

    assert [s.kind.value for s in transcript.steps] == ["input", "decision", "tool"]
    assert tool.status is StepStatus.ERROR
    assert tool.parts[1].capture == {"text": "not_captured"}
    # Nobody knows whether the model said something before it called.
    assert transcript.steps[1].parts[0].capture == {"text": "not_captured"}
    assert transcript.folded == {"starts told twice": 1}


def told() -> list[dict[str, Any]]:
    history = [
        user("Look.", 1),
        reply(2, "I look.", asks("tu_1", "exec", command="ls")),
        result("tu_1", "exec", "x.py", 4),
        reply(5, "x.py."),
    ]
    return [
        record(1, "agent.start", prompt="Look."),
        record(3, "tool.start", toolName="exec", params={"command": "ls"}),
        record(4, "tool.end", toolName="exec", success=True),
        record(6, "agent.end", messages=history, success=True),
        record(7, "message.out", content="x.py."),
        record(8, "agent.start", prompt="More?", messages=history),
    ]


def test_what_is_told_several_times_is_told_once() -> None:
    transcript = run_of(*told())

    assert [s.text for s in transcript.steps] == [
        *("Look.", "I look.", '{"command":"ls"}\nx.py', "x.py.", "More?"),
    ]
    assert step(transcript, "tu_1").status is StepStatus.OK
    assert step(transcript, "tu_1").also_from == ("line 2", "line 4/messages/2")
    assert transcript.folded == {
        "history told again": 4,
        "prompts that messages tell": 1,
        "starts and ends of calls that messages tell": 2,
        "words of an agent told again as they are sent": 1,
    }
    assert [(r.value, r.by) for r in transcript.reports] == [("success", "framework")]


@pytest.mark.parametrize("seed", range(4))
def test_the_sequence_is_the_order(seed: int) -> None:
    shuffled = told()
    random.Random(seed).shuffle(shuffled)

    assert [s.source_id for s in run_of(*shuffled).steps] == [
        s.source_id for s in run_of(*told()).steps
    ]


def test_holes_in_the_sequence_are_a_gap() -> None:
    assert gaps(run_of(*told()), "sequence_hole") == [None]


def test_a_subagent_is_told_by_its_key_and_started_by_a_call() -> None:
    answer = '{"status": "accepted", "childSessionKey": "agent:main:subagent:7"}'
    history = [
        user("Go.", 1),
        reply(2, "I send one.", asks("tu_1", "sessions_spawn", task="Look.")),
        result("tu_1", "sessions_spawn", answer, 3),
    ]
    back = f"[Inter-session message] sourceSession={SUBAGENT} Nothing."
    transcript = run_of(
        record(4, "agent.start", SUBAGENT, prompt="Look."),
        record(5, "tool.start", SUBAGENT, toolName="exec", params={}),
        record(6, "agent.end", messages=history, success=True),
        record(7, "agent.start", prompt=back),
    )

    assert links(transcript, LinkKind.SPAWN) == [("tu_1", "seq 4")]
    assert links(transcript, LinkKind.JOIN) == [("seq 5", "seq 7")]
    assert transcript.actor_by_key[SUBAGENT].role == "subagent"


def test_what_came_in_on_a_channel_is_heard_once() -> None:
    came = {"type": "message.in", "content": "Hello.", "seq": 1, "ts": 1772830700000}
    transcript = run_of(
        came,
        record(2, "agent.start", prompt="Hello."),
        record(3, "agent.end", messages=[user("Hello.", 2), reply(3, "Hi.")], success=True),
    )

    assert [(transcript.actor_of(s).kind, s.text) for s in transcript.steps] == [
        (ActorKind.HUMAN, "Hello."),
        (ActorKind.AGENT, "Hi."),
    ]


def test_the_real_telemetry_has_the_counts_of_the_survey() -> None:
    transcript = real_run("openclaw-telemetry/crux1-sample-telemetry.jsonl")
    (hole,) = [gap for gap in transcript.gaps if gap.kind == "sequence_hole"]

    assert "2 to 154, 156, 158 to 159" in hole.detail
    assert transcript.folded["starts told twice"] == 1
    assert len({r.pointer for r in transcript.records}) == 6
    assert [a.instance for a in transcript.actors if a.role == "subagent"] == [
        "agent:main:subagent:56d1ffc2-631a-4967-bc1f-b39da594b726"
    ]
    assert len(links(transcript, LinkKind.SPAWN)) == 1
