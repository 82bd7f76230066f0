"""The facts of a part as lines of its text, so that people can cite, find and compare them.

A reader of a format that knows a part's structure ends its text with one line for each fact.
Who shows the text takes it apart again by the same rule: a text that does not end in exactly
these lines has none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from traces.transcript import Part

NAMES = (
    "to", "chosen", "rejected", "decided_by", "claims", "environment", "side_effects", "artifacts",
    "check", "subject", "method", "verdict", "expected", "observed", "artifact", "before", "after",
    "resolution", "against", "accepted", "rule", "error",
)  # fmt: skip
NAMED = frozenset(NAMES)
# An empty line: who cites the first paragraph of a text cites none of its facts.
APART = "\n\n"

type_of_lines = list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Fact:
    """A label and a value. `start` is the value's place in the part's text, if it stands there."""

    label: str
    value: str
    start: int | None = None


def fact_lines(data: Mapping[str, Any]) -> type_of_lines:
    """Label and value of each fact in a fixed order; empty ones are left out."""
    if data.keys().isdisjoint(NAMED):
        return []
    return [
        (label, value)
        for name in NAMES
        if name in data and data[name] not in (None, "", [])
        for label, value in _values(name, data[name])
    ]


def _values(name: str, given: Any) -> Iterator[tuple[str, str]]:
    items = given if isinstance(given, list | tuple) else ()
    mappings = [item for item in items if isinstance(item, Mapping)]
    if name == "rejected":
        yield from (("rejected", _option(item)) for item in mappings)
    elif name == "artifacts":
        yield from (("artifact", _named(item, "name", "version", "digest")) for item in mappings)
    elif name == "claims":
        yield from (("claims", _named(item, "artifact", "version")) for item in mappings)
    elif name == "against":
        yield from (("against", item) for item in items if isinstance(item, str))
    else:
        yield name.replace("_", " "), str(given)


def _option(item: Mapping[str, Any]) -> str:
    option, reason = item.get("option", ""), item.get("reason", "")
    return f"{option} ({reason})" if reason else str(option)


def _named(item: Mapping[str, Any], *keys: str) -> str:
    return " ".join(str(item[key]) for key in keys if item.get(key))


def with_facts(text: str, lines: type_of_lines) -> str:
    """The text, an empty line, and a line for each fact."""
    return APART.join(piece for piece in (text, _joined(lines)) if piece) if lines else text


def _joined(lines: type_of_lines) -> str:
    return "\n".join(f"{label}: {value}" for label, value in lines)


def main_text(part: Part) -> str:
    """The part's text without its facts."""
    return _parted(part.text, fact_lines(part.data))[0]


def facts(part: Part) -> list[Fact]:
    """The part's facts, each with its place in the text if the text ends in them."""
    lines = fact_lines(part.data)
    _, place = _parted(part.text, lines)
    found: list[Fact] = []
    for label, value in lines:
        start = None if place is None else place + len(f"{label}: ")
        found.append(Fact(label, value, start))
        place = None if start is None else start + len(value) + 1
    return found


def _parted(text: str, lines: type_of_lines) -> tuple[str, int | None]:
    """The main text, and where the facts begin if the text ends in exactly these."""
    ending = _joined(lines)
    if ending and text == ending:
        return "", 0
    if ending and text.endswith(APART + ending):
        place = len(text) - len(ending)
        return text[: place - len(APART)], place
    return text, None
