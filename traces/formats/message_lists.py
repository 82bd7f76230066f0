"""Finds lists of messages in documents: bare, below a key, one message or one list a line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from traces.completeness import listed
from traces.formats.base import Document, Json, Refusal, replacement_gaps
from traces.formats.chat_words import THOUGHTS, is_answer, is_call, kind_of
from traces.transcript import Gap

SAYS = ("content", "parts", "tool_calls", "function_call", "refusal")
NO_MESSAGE = 'This is no message: it has no "role", or nothing beside it.'


@dataclass(frozen=True, slots=True)
class Listing:
    """A list of messages with the place of each, and what else stood beside the list."""

    pointer: str
    entries: list[tuple[str, Json]]
    beside: Mapping[str, Json]
    gaps: tuple[Gap, ...]

    def sorted_out(self) -> tuple[list[tuple[str, Mapping[str, Json]]], list[Refusal]]:
        """The messages, and a refusal for each entry that is none."""
        good, bad = [], []
        for place, value in self.entries:
            if is_entry(value):
                good.append((place, value))
            else:
                bad.append(Refusal(f"{self.pointer}{place}", NO_MESSAGE))
        return good, bad


def is_message(value: Json) -> bool:
    return (
        isinstance(value, Mapping)
        and isinstance(value.get("role"), str)
        and any(key in value for key in SAYS)
    )


def is_entry(value: Json) -> bool:
    """Whether this stands in a list of messages: one, or an item of OpenAI's Responses."""
    if not isinstance(value, Mapping):
        return False
    kind = kind_of(value)
    if is_call(kind) or is_answer(kind):
        return any(isinstance(value.get(key), str) for key in ("call_id", "id", "name"))
    return is_message(value) or (kind in THOUGHTS and "summary" in value)


def listings(document: Document) -> Iterator[Listing]:
    """One conversation if there is a message a line, or but one; else each value by itself."""
    records = document.records
    if any(is_entry(record.value) for record in records):
        entries = [(record.position, record.value) for record in records]
        lost = tuple(lost_lines(document))
        yield Listing("", entries, {}, document.gaps + lost + replacement_gaps(*records))
        return
    for record in records:
        gaps = document.gaps + replacement_gaps(record)
        yield from found_in(record.value, record.position, gaps)


def lost_lines(document: Document) -> Iterator[Gap]:
    if document.refusals:
        places = listed([refusal.position for refusal in document.refusals])
        yield Gap("damaged", f"Messages are missing, for these could not be read: {places}.")


def found_in(value: Json, pointer: str, gaps: tuple[Gap, ...]) -> Iterator[Listing]:
    if isinstance(value, list) and value and not any(map(is_entry, value)):
        for index, item in enumerate(value):
            below = item if isinstance(item, Mapping) else {"messages": item}
            yield listing(below, f"{pointer}/{index}", gaps)
    elif isinstance(value, list):
        yield Listing(pointer, [(f"/{i}", item) for i, item in enumerate(value)], {}, gaps)
    else:
        yield listing(value if isinstance(value, Mapping) else {}, pointer, gaps)


def listing(value: Mapping[str, Json], pointer: str, gaps: tuple[Gap, ...]) -> Listing:
    """What stands below "messages"; the body of a request is as good as the request."""
    body, path = value, ""
    if "messages" not in value and isinstance(value.get("body"), Mapping):
        body, path = value["body"], "/body"
    given = body.get("messages")
    beside = {
        key: item for key, item in {**value, **body}.items() if key not in ("messages", "body")
    }
    entries = list(enumerate(given)) if isinstance(given, list) else []
    placed = [(f"{path}/messages/{index}", item) for index, item in entries]
    return Listing(pointer, placed, beside, gaps)
