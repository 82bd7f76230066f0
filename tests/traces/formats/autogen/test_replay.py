"""Recorded model sessions of AutoGen: only what is new in a request becomes steps."""

from __future__ import annotations

from typing import Any

import pytest

from tests.real import contents_of
from tests.traces.formats.frameworks import gap_kinds, outline, read, taken
from traces.formats import intake
from traces.formats.base import Unreadable

SYSTEM = {"type": "SystemMessage", "content": "Be brief."}


def user(text: str) -> dict[str, Any]:
    return {"type": "UserMessage", "source": "User", "content": text}


def exchange(answer: str, *messages: dict[str, Any]) -> dict[str, Any]:
    response = {"finish_reason": "stop", "content": answer, "thought": None}
    return {"mode": "create", "messages": list(messages), "response": response, "stream": []}


def test_exchanges_without_answers_fit_no_format() -> None:
    with pytest.raises(Unreadable, match="No known format"):
        taken([{"mode": "create", "messages": [SYSTEM], "response": None}])


def test_a_conversation_that_goes_on_is_told_once() -> None:
    answer = {"type": "AssistantMessage", "source": "assistant", "content": "Hello."}
    transcript = read(
        [
            exchange("Hello.", SYSTEM, user("Hi.")),
            exchange("Bye.", SYSTEM, user("Hi."), answer, user("Go.")),
        ]
    )

    assert outline(transcript) == [
        ("input", "system", "Be brief."),
        ("input", "User", "Hi."),
        ("message", "assistant", "Hello."),
        ("input", "User", "Go."),
        ("message", "assistant", "Bye."),
    ]
    assert transcript.folded == {"messages sent to the model again": 3}


def test_a_new_beginning_follows_nothing() -> None:
    transcript = read([exchange("Two.", user("1 + 1?")), exchange("Four.", user("2 + 2?"))])

    assert [(link.source, link.target) for link in transcript.links] == [(0, 1), (2, 3)]


def test_what_is_no_exchange_is_refused() -> None:
    result = taken([exchange("Two.", user("1 + 1?")), {"mode": "create"}])

    assert [refusal.position for refusal in result.refusals] == ["/1"]
    assert "undecodable_step" in gap_kinds(result.runs[0].transcript)


def test_the_real_sessions_are_read() -> None:
    counts = [
        len(intake.take(each).runs[0].transcript.steps) for each in contents_of("autogen/session*")
    ]

    assert counts == [32, 73, 42]
