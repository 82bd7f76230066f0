"""What the escapes of a JSON string stand for, and where each character was written.

Places found in the decoded text lead back to the spelling they came from, so that a value can be
cut out of a document without touching a byte beside it.
"""

from __future__ import annotations

import re
from bisect import bisect_right

ESCAPE = re.compile(
    r"\\(?:u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})"
    r"|u([0-9a-fA-F]{4})|([\"\\/bfnrt]))"
)
SHORT = {
    '"': '"',
    "\\": "\\",
    "/": "/",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
}


class Unescaped:
    """The text of a string's body. A backslash that begins no escape stays what it is."""

    def __init__(self, written: str) -> None:
        pieces: list[str] = []
        self.ends: list[int] = []
        self.offsets = [0]
        done = length = 0
        for match in ESCAPE.finditer(written):
            sign = character(match)
            pieces += (written[done : match.start()], sign)
            length += match.start() - done + 1
            done = match.end()
            self.ends.append(length)
            self.offsets.append(done - length)
        pieces.append(written[done:])
        self.text = "".join(pieces) if self.ends else written

    def written(self, place: int) -> int:
        """Where the character at this place of the text begins in the spelling."""
        return place + self.offsets[bisect_right(self.ends, place)]


def character(match: re.Match[str]) -> str:
    high, low, unit, short = match.groups()
    if short:
        return SHORT[short]
    if unit:
        return chr(int(unit, 16))
    return chr(0x10000 + ((int(high, 16) - 0xD800) << 10) + int(low, 16) - 0xDC00)
