"""AG2's chats: speakers by name, tool answers to their calls, nothing taken for a judgement."""

from __future__ import annotations

from typing import Any

import pytest

from tests.traces.formats.frameworks import gap_kinds, outline, read, taken, texts
from traces.formats.base import Unreadable
from traces.transcript import ActorKind, StepKind

CALL = {"id": "c1", "type": "function", "function": {"name": "find", "arguments": '{"id": 7}'}}
CHAT: list[Any] = [
    {"content": "Where is A-7?", "role": "assistant", "name": "user"},
    {"content": None, "tool_calls": [CALL], "role": "assistant", "name": "clerk"},
    {
        "content": "gone",
        "role": "tool",
        "name": "executor",
        "tool_responses": [{"tool_call_id": "c1", "role": "tool", "content": "gone"}],
    },
    {"content": ["It is", "lost."], "role": "user", "name": "clerk"},
]


def chat(**more: Any) -> dict[str, Any]:
    return {"chat_history": CHAT, "summary": "Lost.", "cost": {"total": 1}} | more


def test_an_empty_chat_fits_no_format() -> None:
    with pytest.raises(Unreadable, match="No known format"):
        taken({"chat_history": [], "summary": ""})


def test_entries_that_are_no_messages_leave_a_gap() -> None:
    transcript = read({"chat_history": [*CHAT, 3], "summary": ""})

    assert len(transcript.steps) == 4
    assert "undecodable_step" in gap_kinds(transcript)
    assert [record.pointer for record in transcript.records] == ["/chat_history/4"]


def test_speakers_are_told_by_name_whatever_their_role() -> None:
    transcript = read(chat())

    assert outline(transcript) == [
        ("input", "user", "Where is A-7?"),
        ("decision", "clerk", ""),
        ("tool", "clerk", '{"id": 7}'),
        ("message", "clerk", "It is\nlost."),
    ]
    assert transcript.steps[2].parts[1].text == "gone"
    assert transcript.actor_of(transcript.steps[0]).kind is ActorKind.HUMAN


def test_a_user_proxy_is_a_program() -> None:
    proxy = {"content": "exitcode: 0", "role": "user", "name": "user_proxy"}
    transcript = read({"chat_history": [*CHAT, proxy], "summary": ""})

    assert transcript.actor_of(transcript.steps[-1]).kind is ActorKind.AGENT


def test_the_summary_is_a_report_and_the_rest_is_withheld() -> None:
    transcript = read(chat(gold="zebra"))

    (report,) = transcript.reports
    assert (report.value, report.by, report.detail) == ("ended", "framework", "Lost.")
    assert transcript.withheld == {"cost": {"total": 1}, "gold": "zebra"}
    assert not any("zebra" in text for text in texts(transcript))


def test_a_history_with_its_question_but_without_labels_is_a_chat() -> None:
    transcript = read({"history": CHAT, "question": "Where?", "ground_truth": "zebra"})

    assert transcript.schema == "ag2"
    assert transcript.task_text == "Where?"
    assert transcript.withheld == {"ground_truth": "zebra"}


def test_old_function_calls_find_their_answers_by_name() -> None:
    asked = {
        "content": None,
        "role": "assistant",
        "name": "clerk",
        "function_call": {"name": "find", "arguments": "{}"},
    }
    answered = {"content": "gone", "role": "function", "name": "find"}
    transcript = read({"chat_history": [CHAT[0], asked, answered]})

    assert [step.kind for step in transcript.steps][1:] == [StepKind.DECISION, StepKind.TOOL]
    assert [part.text for part in transcript.steps[2].parts] == ["{}", "gone"]
