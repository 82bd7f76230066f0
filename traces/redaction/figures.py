"""Numbers outside quotes: what replaces a part of one replaces the whole of it."""

from __future__ import annotations

import re

NUMBER = re.compile(r"-?\d++(?:\.\d++)?+(?:[eE][+-]?\d++)?+(?=[\s\"{}\[\]:,]|\Z)")
SIGNS = frozenset("0123456789.eE+-")
# Characters of a number on each side of a value. A longer one is none, and costs no more time.
FARTHEST = 100


def number_around(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Where the number stands of which this is a part, or None if it is part of none."""
    farthest = max(0, start - FARTHEST)
    while start > farthest and text[start - 1] in SIGNS:
        start -= 1
    if start and text[start - 1] in SIGNS:
        return None
    beyond = text[start : end + FARTHEST]
    number = NUMBER.match(beyond)
    if number is None or number.end() < end - start:
        return None
    if end + FARTHEST < len(text) and number.end() == len(beyond):
        return None
    return start, start + number.end()
