"""How a text holds its values: one, or one a line; and where a string's body begins and ends.

The reader decides how a document is read, and so it is decided here by what the reader takes for
JSON. Where that is not plain, every way is told, and what stands in either is found.
"""

from __future__ import annotations

import json

import msgspec

Span = tuple[int, int]

# As tolerant as the reader, and no number is too long to be one.
DECODER = json.JSONDecoder(strict=False, parse_int=len, parse_float=len, parse_constant=len)
SPACE = " \t\n\r"


def readings(text: str) -> list[list[Span]]:
    """Each way to read the text: as a whole, line by line, or where it is not plain, both.

    The first is the reader's own.
    """
    whole = [(0, len(text))]
    if parses(text):
        return [whole]
    lines = [line for line in text.split("\n") if line.strip()]
    read = [line for line in lines if parses(line)]
    good = sum(line.lstrip()[0] in "{[" for line in read)
    if not good:
        return [whole]
    if len(read) == len(lines):
        return [lines_of(text)]
    bad = len(lines) - len(read)
    if good > bad or (bad == 1 and len(read) == good):
        return [lines_of(text), whole]
    return [whole, lines_of(text)]


def lines_of(text: str) -> list[Span]:
    """Each line without its end: a string that was cut there does not hold it."""
    spans, start = [], 0
    for line in text.split("\n"):
        spans.append((start, start + len(line)))
        start += len(line) + 1
    return spans


def parses(text: str) -> bool:
    """Whether the text is one value, to the strict and quick decoder or else to the tolerant."""
    try:
        msgspec.json.decode(text, type=msgspec.Raw)
    except RecursionError:
        return False
    except ValueError:
        return parses_tolerantly(text.strip(SPACE))
    return True


def parses_tolerantly(text: str) -> bool:
    try:
        return DECODER.raw_decode(text)[1] == len(text)
    except (ValueError, RecursionError):
        return False


def body_of(text: str, start: int, end: int) -> Span:
    """The inside of a string, which may have been cut before its last quote."""
    closed = end - start > 1 and text[end - 1] == '"' and not is_escaped(text, end - 1)
    return start + 1, end - 1 if closed else end


def is_escaped(text: str, place: int) -> bool:
    before = place
    while before and text[before - 1] == "\\":
        before -= 1
    return bool((place - before) % 2)
