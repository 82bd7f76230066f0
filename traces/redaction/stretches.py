"""How a text holds its values: one, or one a line; and where a string's body begins and ends."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec


def stretches(text: str) -> Iterator[tuple[int, int]]:
    """The whole text, or line by line where that is how its values are written."""
    if parses(text) or not are_lines(text):
        yield 0, len(text)
        return
    start = 0
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        yield start, end
        start = end


def are_lines(text: str) -> bool:
    """Whether more lines are values than are not, as the reader decides."""
    lines = [line for line in text.split("\n") if line.strip()]
    good = sum(line.lstrip()[0] in "{[" and parses(line) for line in lines)
    return good > len(lines) - good or (good > 0 and good == len(lines) - 1)


def parses(text: str) -> bool:
    try:
        msgspec.json.decode(text, type=msgspec.Raw)
    except (ValueError, RecursionError):
        return False
    return True


def body_of(text: str, start: int, end: int) -> tuple[int, int]:
    """The inside of a string, which may have been cut before its last quote."""
    closed = end - start > 1 and text[end - 1] == '"' and not is_escaped(text, end - 1)
    return start + 1, end - 1 if closed else end


def is_escaped(text: str, place: int) -> bool:
    before = place
    while before and text[before - 1] == "\\":
        before -= 1
    return bool((place - before) % 2)
