"""Reads message lists with tool calls, as OpenAI's chat interface takes them.

A call and its answer become one tool step, matched to the nearest following answer with the
call's id. Nothing else is known: no times, no models, no outcome.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from traces.completeness import listed
from traces.formats.base import (
    Document,
    Json,
    ParsedRun,
    Reading,
    Refusal,
    Sample,
    replacement_gaps,
)
from traces.formats.message_steps import Thread
from traces.formats.unsayable import unsayable
from traces.transcript import ActorKind, Gap, Transcript

SAYS = ("content", "tool_calls", "function_call", "refusal")
NOT_IN_SCHEMA = unsayable("outcome", "failures", "task/id", "steps/status", "steps/handoff_from")


class Messages:
    name = "messages"
    version = "2"

    def recognise(self, sample: Sample) -> str | None:
        messages = sum(map(is_message, sample.objects))
        if messages and 2 * messages >= len(sample.objects):
            return 'objects with "role" and "content"'
        for item in sample.objects[:1]:
            listed = item.get("messages")
            if isinstance(listed, list) and listed and is_message(listed[0]):
                return 'key messages, a list of objects with "role" and "content"'
        return None

    def read(self, document: Document) -> Reading:
        runs: list[ParsedRun] = []
        refusals: list[Refusal] = []
        for conversation in conversations(document):
            good, bad = conversation.sorted_out()
            refusals.extend(bad)
            if good:
                runs.append(ParsedRun(transcript(conversation, good, bad), conversation.pointer))
            elif not bad:
                refusals.append(Refusal(conversation.pointer or "/", NOTHING))
        return Reading(tuple(runs), tuple(refusals))


FORMAT = Messages()
NOTHING = "There are no messages here."


@dataclass(frozen=True, slots=True)
class Conversation:
    """A list of messages with the place of each, and what else stood beside the list."""

    pointer: str
    messages: list[tuple[str, Json]]
    beside: Mapping[str, Json]
    gaps: tuple[Gap, ...]

    def sorted_out(self) -> tuple[list[tuple[str, Json]], list[Refusal]]:
        """The messages, and a refusal for each entry that is none."""
        good, bad = [], []
        for place, value in self.messages:
            if is_message(value):
                good.append((place, value))
            else:
                reason = 'This is no message: it has no "role", or nothing beside it.'
                bad.append(Refusal(f"{self.pointer}{place}", reason))
        return good, bad


def is_message(value: Json) -> bool:
    return (
        isinstance(value, Mapping)
        and isinstance(value.get("role"), str)
        and any(key in value for key in SAYS)
    )


def conversations(document: Document) -> Iterator[Conversation]:
    """One conversation if there is a message a line, or but one; else each value by itself."""
    records = document.records
    if any(is_message(record.value) for record in records):
        messages = [(record.position, record.value) for record in records]
        lost = tuple(lost_lines(document))
        yield Conversation("", messages, {}, document.gaps + lost + replacement_gaps(*records))
        return
    for record in records:
        gaps = document.gaps + replacement_gaps(record)
        yield from found_in(record.value, record.position, gaps)


def lost_lines(document: Document) -> Iterator[Gap]:
    if document.refusals:
        places = listed([refusal.position for refusal in document.refusals])
        yield Gap("damaged", f"Messages are missing, for these could not be read: {places}.")


def found_in(value: Json, pointer: str, gaps: tuple[Gap, ...]) -> Iterator[Conversation]:
    if isinstance(value, list) and value and not any(map(is_message, value)):
        for index, item in enumerate(value):
            listed_at = item if isinstance(item, Mapping) else {"messages": item}
            yield conversation(listed_at, f"{pointer}/{index}", gaps)
    elif isinstance(value, list):
        yield Conversation(pointer, [(f"/{i}", item) for i, item in enumerate(value)], {}, gaps)
    else:
        yield conversation(value if isinstance(value, Mapping) else {}, pointer, gaps)


def conversation(value: Mapping[str, Json], pointer: str, gaps: tuple[Gap, ...]) -> Conversation:
    listed_at = value.get("messages")
    messages = listed_at if isinstance(listed_at, list) else []
    beside = {key: item for key, item in value.items() if key != "messages"}
    placed = [(f"/messages/{index}", item) for index, item in enumerate(messages)]
    return Conversation(pointer, placed, beside, gaps)


def transcript(
    conversation: Conversation, messages: list[tuple[str, Json]], bad: list[Refusal]
) -> Transcript:
    """The run. What stood beside the messages is withheld: it may hold scores and answers."""
    names = {m["name"] for _, m in messages if m["role"] == "assistant" and m.get("name")}
    thread = Thread(agents=frozenset(map(str, names)))
    for place, message in messages:
        thread.add(message, place)
    system = models(conversation.beside)
    return Transcript(
        external_id=identity(conversation, messages),
        source="messages",
        schema="messages",
        actors=tuple(thread.actors.values()),
        steps=tuple(thread.steps),
        links=tuple(thread.links),
        gaps=(*conversation.gaps, *thread.gaps, *own_gaps(thread, bad)),
        task_text=first_words(thread),
        system=system,
        withheld={k: v for k, v in conversation.beside.items() if k not in ("id", "model")},
        # A model can stand beside the list.
        capture=NOT_IN_SCHEMA | ({} if system else {"system": "not_captured"}),
    )


def identity(conversation: Conversation, messages: list[tuple[str, Json]]) -> str:
    """The id beside the list, else one made of the messages."""
    given = conversation.beside.get("id")
    if isinstance(given, str) and given:
        return given
    text = json.dumps([message for _, message in messages], sort_keys=True)
    return f"messages-{hashlib.sha256(text.encode()).hexdigest()[:16]}"


def own_gaps(thread: Thread, bad: list[Refusal]) -> Iterator[Gap]:
    if reused := thread.reused():
        yield Gap("reused_call_id", f"Several calls have the id: {listed(reused)}.")
    if bad:
        places = listed([refusal.position for refusal in bad])
        yield Gap("undecodable_step", f"Entries that are no messages: {places}.")


def first_words(thread: Thread) -> str:
    """What the first human says, which is the task as far as anybody knows."""
    human = {actor.key for actor in thread.actors.values() if actor.kind is ActorKind.HUMAN}
    return next((step.text for step in thread.steps if step.actor in human), "")


def models(beside: Mapping[str, Json]) -> dict[str, Json]:
    model = beside.get("model")
    return {"models": {"assistant": model}} if isinstance(model, str) and model else {}
