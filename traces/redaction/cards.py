"""Payment card numbers: digits of a known network that pass the Luhn check."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stdnum import luhn

SHORTEST, LONGEST = 13, 19
# Thirteen digits, each but the last followed by at most one space or hyphen.
SIGN = re.compile(r"\d(?:[ -]?\d){12}")
RUN = re.compile(r"\d(?:[ -]?\d){12,}+")
GROUP = re.compile(r"\d+")
# Beside these, digits are part of a word or of a fraction.
BEFORE, AFTER = re.compile(r"(?:\w|\d\.)\Z"), re.compile(r"\w|\.\d")
NETWORK = re.compile(
    r"4(?:\d{12}|\d{15}|\d{18})"  # Visa
    r"|(?:5[1-5]\d{2}|222[1-9]|22[3-9]\d|2[3-6]\d{2}|27[01]\d|2720)\d{12}"  # Mastercard
    r"|3[47]\d{13}"  # American Express
    r"|(?:6011|65\d{2}|64[4-9]\d)\d{12,15}"  # Discover
    r"|3(?:0[0-5]|[68]\d)\d{11}"  # Diners Club
    r"|35(?:2[89]|[3-8]\d)\d{12}"  # JCB
    r"|62\d{14,17}"  # UnionPay
)


def found(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Where card numbers stand, written in one or in groups, alone or among other digits."""
    for run in RUN.finditer(text, start, end):
        groups = [group.span() for group in GROUP.finditer(text, *run.span())]
        if BEFORE.search(text, max(0, run.start() - 2), run.start()):
            groups = groups[1:]
        if AFTER.match(text, run.end(), end):
            groups = groups[:-1]
        yield from among(text, groups)


def among(text: str, groups: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The longest card number that begins at each group, and none inside another."""
    first = 0
    while first < len(groups):
        last = longest(text, groups, first)
        if last is None:
            first += 1
        else:
            yield groups[first][0], groups[last][1]
            first = last + 1


def longest(text: str, groups: list[tuple[int, int]], first: int) -> int | None:
    digits, best = "", None
    for number in range(first, min(len(groups), first + LONGEST)):
        start, end = groups[number]
        if len(digits) + end - start > LONGEST:
            break
        digits += text[start:end]
        if len(digits) >= SHORTEST and NETWORK.fullmatch(digits) and luhn.is_valid(digits):
            best = number
    return best
