"""Private keys in PEM armour, as they are or as strings of a program."""

from __future__ import annotations

import re
from collections.abc import Iterator

NAME = r"[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
BEGIN, END = re.compile(f"-----BEGIN {NAME}"), re.compile(f"-----END {NAME}")
# A key that was cut takes the rest of its text, and of the strings that a program joins to it.
REST = re.compile(
    r"(?:[^\"-]++|-(?!----(?:BEGIN|END) )"
    r"|\"[\w\s+=.,;&()\\]{0,60}+\"(?=(?:\\[nrt])?[A-Za-z0-9+/=]{16}))*+"
    rf"(?:-----END {NAME})?"
)
# Characters from the beginning of a key to its end, with all that a program writes between.
LONGEST = 32_768


def found(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Where keys stand: from beginning to end whatever is between, or what there is of one."""
    begins = [match.span() for match in BEGIN.finditer(text, start, end)]
    ends = END.finditer(text, start, end) if begins else iter(())
    finish, done = next(ends, None), start
    for number, (first, after) in enumerate(begins):
        if first < done:
            continue
        while finish and finish.start() < after:
            finish = next(ends, None)
        last = min(end, after + LONGEST)
        if number + 1 < len(begins):
            last = min(last, begins[number + 1][0])
        if finish and finish.start() < last:
            done = finish.end()
        else:
            rest = REST.match(text, after, end)
            done = rest.end() if rest else after
        yield first, done
