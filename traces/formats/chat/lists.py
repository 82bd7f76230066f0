"""Finds lists of messages in documents: bare, below a key, one message or one list a line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from traces.formats.base import Document, Json, Refusal, replacement_gaps
from traces.formats.chat.words import THOUGHTS, as_list, is_answer, is_call, kind_of, text_of
from traces.formats.records import loose
from traces.transcript import Gap

SAYS = ("content", "parts", "tool_calls", "function_call", "refusal")
INSTRUCTIONS = ("system", "instructions", "systemInstruction", "system_instruction")
RAN_BY_VENDOR = frozenset(
    {"mcp_call", "web_search_call", "file_search_call", "code_interpreter_call"}
    | {"image_generation_call"}
)
OF_ITEMS = frozenset({"arguments", "input", "action", "operation", "output"})
NO_MESSAGE = 'This is no message: it has no "role", or nothing beside it.'


@dataclass(frozen=True, slots=True)
class Listing:
    """A list of messages with the place of each, and what else stood beside the list."""

    pointer: str
    entries: list[tuple[str, Json]]
    beside: Mapping[str, Json]
    gaps: tuple[Gap, ...]

    def sorted_out(self) -> tuple[list[tuple[str, Mapping[str, Json]]], list[Refusal]]:
        """The messages, and a refusal for each entry that is none.

        Among items of Responses any other item is one too, whatever its type.
        """
        items = any(is_item(value) for _, value in self.entries)
        good, bad = [], []
        for place, value in self.entries:
            if is_entry(value) or (items and isinstance(value, Mapping) and kind_of(value)):
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
    return is_message(value) or is_item(value)


def is_item(value: Json) -> bool:
    if not isinstance(value, Mapping) or "role" in value:
        return False
    kind = kind_of(value)
    if kind in RAN_BY_VENDOR:
        return isinstance(value.get("id"), str)
    if is_call(kind) or is_answer(kind):
        return isinstance(value.get("call_id"), str) and not value.keys().isdisjoint(OF_ITEMS)
    return kind in THOUGHTS and "summary" in value


def listings(document: Document) -> Iterator[Listing]:
    """One conversation if there is a message a line, or but one; else each value by itself."""
    records = document.records
    if any(is_entry(record.value) for record in records):
        entries = [(record.position, record.value) for record in records]
        lost = tuple(loose.lost(document))
        yield Listing("", entries, {}, document.gaps + lost + replacement_gaps(*records))
        return
    for record in records:
        gaps = document.gaps + replacement_gaps(record)
        yield from found_in(record.value, record.position, gaps)


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
    if list_in(value)[0] == "" and isinstance(value.get("body"), Mapping):
        body, path = value["body"], "/body"
    key, given = list_in(body)
    words = [
        word for word in INSTRUCTIONS if key and isinstance(body.get(word), str | list | Mapping)
    ]
    system = [(f"{path}/{word}", {"role": "system", "content": body[word]}) for word in words]
    around = {**value, **body}
    placed = {key, "body", *words}
    return Listing(
        pointer,
        [*system, *((f"{path}/{key}/{index}", item) for index, item in enumerate(given))],
        {name: item for name, item in around.items() if name not in placed},
        gaps,
    )


def list_in(body: Mapping[str, Json]) -> tuple[str, Sequence[Json]]:
    """Which key of a request holds the messages, and what is there."""
    for key in ("messages", "contents"):
        given = body.get(key)
        if isinstance(given, list):
            return key, given
    return "", ()


def tool_names(tools: Json) -> list[str]:
    """The names of the tools that a model was offered."""
    found = []
    for tool in as_list(tools):
        given = tool if isinstance(tool, Mapping) else {}
        function = given.get("function")
        body = function if isinstance(function, Mapping) else given
        found.append(text_of(body.get("name"), given.get("type")))
    return [name for name in found if name]
