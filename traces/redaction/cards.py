"""Payment card numbers: digits of a known network that pass the Luhn check."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from itertools import accumulate

from stdnum import luhn

SHORTEST, LONGEST = 13, 19
# What may stand between two groups: spaces and hyphens of all kinds.
BETWEEN = " \u00a0\u2007\u2009\u202f\u2010\u2011\u2013-"
# Thirteen digits, each but the last followed by at most one of these; rarer, and each beginning
# with what few texts have: other spaces however they are spelled, dots, and an exponent.
SIGNS = (
    re.compile(r"\d(?:[ -]?\d){12}"),
    re.compile(rf"(?:[{BETWEEN[1:-1]}]|\\u(?:00[aA]0|20(?:0[79]|2[fF]|1[013])))\d"),
    re.compile(r"\.(?:\d{4}\.\d{4}\.\d|\d{6}\.\d{5}|\d{6,18}[eE]\+?1)"),
)
RUN = re.compile(rf"\d(?:[{BETWEEN}]?\d){{12,}}+")
GROUP = re.compile(r"\d+")
# Groups with dots are those of a card alone: numbers with a fraction are many.
DOTTED = re.compile(
    r"(?<![^\W_])(?<!\d\.)(?:\d{4}\.\d{4}\.\d{4}\.\d{1,7}|\d{4}\.\d{6}\.\d{5})(?![^\W_]|\.\d)"
)
EXPONENT = re.compile(r"(?<![\w.])\d\.\d{6,18}[eE]\+?1[2-8](?![\w.])")
# Beside these, digits are part of a word or of a fraction. A fraction of nothing is none.
BEFORE = re.compile(r"(?:[^\W_]|\d\.)\Z")
AFTER = re.compile(r"[^\W_]|(?!\.0{1,6}(?![\w.]))\.\d")
NETWORK = re.compile(
    r"4(?:\d{12}|\d{15}|\d{18})"  # Visa
    r"|(?:5[1-5]\d{2}|222[1-9]|22[3-9]\d|2[3-6]\d{2}|27[01]\d|2720)\d{12}"  # Mastercard
    r"|3[47]\d{13}"  # American Express
    r"|(?:6011|65\d{2}|64[4-9]\d)\d{12,15}"  # Discover
    r"|3(?:0[0-5]|[68]\d)\d{11}"  # Diners Club
    r"|35(?:2[89]|[3-8]\d)\d{12}"  # JCB
    r"|62\d{14,17}"  # UnionPay
)


FIRST = frozenset("23456")
# Twice a digit, and the digits of that added up.
TWICE = (0, 2, 4, 6, 8, 1, 3, 5, 7, 9)


def found(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Where card numbers stand, written in one or in groups, alone or among other digits."""
    for run in RUN.finditer(text, start, end):
        groups = [group.span() for group in GROUP.finditer(text, *run.span())]
        if BEFORE.search(text, max(0, run.start() - 2), run.start()):
            groups = groups[1:]
        if AFTER.match(text, run.end(), end):
            groups = groups[:-1]
        yield from among(text, groups)
    for match in DOTTED.finditer(text, start, end):
        if is_card(match[0].replace(".", "")):
            yield match.span()
    for match in EXPONENT.finditer(text, start, end):
        if is_card(format(Decimal(match[0]), "f")):
            yield match.span()


def is_card(digits: str) -> bool:
    return bool(digits.isascii() and NETWORK.fullmatch(digits) and luhn.is_valid(digits))


def among(text: str, groups: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The longest card number that begins at each group, and none inside another."""
    digits = "".join(text[start:end] for start, end in groups)
    sums = checksums(digits)
    # Where each group begins among the digits, and the last ends.
    places = list(accumulate((end - start for start, end in groups), initial=0))
    first = 0
    while first < len(groups):
        last = longest(digits, sums, places, first)
        if last is None:
            first += 1
        else:
            yield groups[first][0], groups[last][1]
            first = last + 1


def checksums(digits: str) -> tuple[list[int], list[int]]:
    """The digits added up from the first, with those in odd places counted twice, or in even."""
    plain = [int(digit) for digit in digits]
    twice = [TWICE[digit] for digit in plain]
    mixed = plain[:], twice[:]
    for sums, other in zip(mixed, (twice, plain), strict=True):
        sums[1::2] = other[1::2]
    return list(accumulate(mixed[0], initial=0)), list(accumulate(mixed[1], initial=0))


def longest(
    digits: str, sums: tuple[list[int], list[int]], places: list[int], first: int
) -> int | None:
    """The number of the last group of the longest card number that begins with this group."""
    begin, best = places[first], None
    if digits[begin] not in FIRST:
        return None
    for number in range(first, min(len(places) - 1, first + LONGEST)):
        end = places[number + 1]
        if end - begin > LONGEST:
            break
        if end - begin >= SHORTEST:
            # The last digit counts once, the one before it twice, and so on.
            added = sums[(end - 1) % 2]
            if not (added[end] - added[begin]) % 10 and NETWORK.fullmatch(digits, begin, end):
                best = number
    return best
