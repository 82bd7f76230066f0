"""Content of GenAI model calls that came apart from their spans: as log records, or as events.

Up to version 1.36 of the conventions each message is a record of its own, later one record holds
them all. Without content capture the records come all the same, with nothing in them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from traces.formats.base import Json
from traces.formats.spans.json_text import opened
from traces.formats.spans.span import Event, Facts, Span

SPOKEN = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
}
CHOICE = "gen_ai.choice"
DETAILS = "gen_ai.client.inference.operation.details"
WHOLE = {"gen_ai.content.prompt": "gen_ai.prompt", "gen_ai.content.completion": "gen_ai.completion"}
RANK = {name: rank for rank, name in enumerate((*SPOKEN, CHOICE))}
NAMES = frozenset({*SPOKEN, CHOICE, DETAILS, *WHOLE})


def complete(facts: Facts, span: Span) -> None:
    """Add what records of a span say to what the span says itself."""
    prompt: list[Json] = []
    reply: list[Json] = []
    told = 0
    for event in (*span.events, *in_time(span.logs)):
        if event.name == DETAILS:
            whole(facts, event)
        elif event.name in WHOLE:
            side = prompt if event.name == "gen_ai.content.prompt" else reply
            side.append(event.attributes.get(WHOLE[event.name]))
        elif event.name in RANK:
            told += 1
            spoken = message_of(event)
            if says_something(spoken):
                (reply if event.name == CHOICE else prompt).append(spoken)
    facts.prompt = facts.prompt or prompt or None
    facts.reply = facts.reply or reply or None
    if told and not any(isinstance(each, str) or says_words(each) for each in (*prompt, *reply)):
        facts.silence = "not_captured"


def whole(facts: Facts, event: Event) -> None:
    given = event.attributes
    facts.prompt = facts.prompt or given.get("gen_ai.input.messages")
    facts.reply = facts.reply or given.get("gen_ai.output.messages")
    facts.system = facts.system or given.get("gen_ai.system_instructions")


def in_time(logs: list[Event]) -> list[Event]:
    """Records by their time; those of one time in the order in which conversations begin."""
    return sorted(
        logs, key=lambda each: (each.at_ns or 0, RANK.get(each.name, 9), repr(each.attributes))
    )


def message_of(event: Event) -> dict[str, Any]:
    """The message of a record: in its body, else in its attributes."""
    body = opened(event.attributes.get("body"))
    given = dict(body) if isinstance(body, Mapping) else dict(event.attributes)
    if event.name == CHOICE:
        inner = opened(given.get("message"))
        spoken = dict(inner) if isinstance(inner, Mapping) else dict(flat(given, "message"))
        spoken.setdefault("role", "assistant")
        if isinstance(finish := given.get("finish_reason"), str):
            spoken["finish_reason"] = finish
        return spoken
    spoken = {key: each for key, each in given.items() if key in FIELDS}
    spoken["role"] = SPOKEN[event.name]
    if spoken["role"] == "tool" and "id" in spoken:
        spoken["tool_call_id"] = spoken.pop("id")
    return spoken


FIELDS = frozenset({"content", "tool_calls", "role", "id", "name", "parts"})


def flat(given: Mapping[str, Json], prefix: str) -> Iterator[tuple[str, Json]]:
    """A message whose fields are attributes, or the text itself."""
    if isinstance(text := given.get(prefix), str):
        yield "content", text
    for name, value in given.items():
        if name.startswith(f"{prefix}.") or name in ("content", "tool_calls"):
            yield name.removeprefix(f"{prefix}."), value


def says_something(message: Mapping[str, Json]) -> bool:
    return says_words(message) or bool(message.get("tool_calls"))


def says_words(message: Mapping[str, Json]) -> bool:
    return bool(message.get("content") or message.get("parts"))
