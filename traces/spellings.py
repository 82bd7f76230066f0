"""How else the same value may be written: a pattern over folded text, and a text it always has.

Numbers with and without digit groups and decimals of several locales, dates and times by name and
number, per cent, white space. What can be read in two ways is looked for in both. No pattern has
two ways to fail on the same characters: repetitions are possessive.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from traces import dates

NUMBER = r"[0-9]{1,3}(?:[ '_][0-9]{3})++(?![0-9])(?:[.,][0-9]++)?|[0-9]++(?:[.,][0-9]++)*+"
PERCENT = r"(?<=[0-9])\s?(?:%|percent\b|per cent\b|pct\b)"
TOKEN = re.compile(
    rf"(?P<date>{dates.DATE.pattern})|(?P<percent>{PERCENT})"
    rf"|(?<![0-9])(?P<number>{NUMBER})|(?P<space>\s+)"
)
# A number that goes on is another number; after a comma it may be the next one of a list.
BEFORE, AFTER = (
    r"(?<![0-9])(?<![0-9]\.)",
    r"(?![0-9])(?!e[+-]?[0-9])(?!\.[0-9])(?!,0[0-9]{2}(?![0-9]))",
)
# Numbers and dates that are spelled out; in a table of them the others stand as they are.
MOST = 20
# Characters, about: before the year of a date as it may be written.
LONGEST_DATE = 40
# Characters of a number or date that is looked for near its anchor; longer ones, anywhere.
LONGEST_NEAR = 40
STRICT_AFTER = rf"{AFTER}(?![,'][0-9]{{3}}(?![0-9]))"
# A separator of groups, and what may stand before the decimals then.
GROUPED = {",": r"\.", r"\.": ",", " ": "[.,]", "'": "[.,]", "_": r"\."}


# What stands before another number: hexadecimal digits, an exponent, a sign.
APART = r"(?<![0-9a-f][0-9a-f][a-f])(?<![0-9]e)(?<![0-9]e[+-])(?<![^0-9a-z)\]]-)(?<!\A-)"
# What stands before three digits that are not the last of a longer number, but one of a list.
LISTED = r"(?:(?<![0-9],)|(?<=[\[{][0-9],)|(?<=[\[{][0-9]{2},)|(?<=[\[{][0-9]{3},)|(?<=,[0-9],))"


@dataclass(frozen=True, slots=True)
class Spelling:
    """`anchor` is part of every text that the pattern matches.

    With a `reach`, a match begins at most so many characters before its anchor, and with a
    `head`, with one of these letters.
    """

    pattern: re.Pattern[str]
    anchor: str
    reach: int | None = None
    head: str = ""

    def matches(self, text: str) -> Iterator[re.Match[str]]:
        """What `pattern.finditer` finds, sooner where only places near the anchor are tried."""
        if self.reach is None or not self.anchor:
            yield from self.pattern.finditer(text) if self.anchor in text else ()
            return
        tried = 0
        at = text.find(self.anchor)
        while at >= 0:
            starts: Iterable[int] = range(max(tried, at - self.reach), at + 1)
            if self.head:
                starts = [start for start in starts if text[start] in self.head]
            match = next(filter(None, (self.pattern.match(text, start) for start in starts)), None)
            tried = match.end() if match else at + 1
            if match:
                yield match
            at = text.find(self.anchor, tried)


def spelling_of(text: str) -> Spelling:
    """What to look for in folded text, given a folded text that is neither empty nor padded."""
    pieces: list[str] = []
    anchors: list[str] = []
    position = 0
    spelled = 0
    for token in TOKEN.finditer(text):
        spelled += token["space"] is None
        if spelled > MOST and token["space"] is None:
            continue
        literal = text[position : token.start()]
        pattern, anchor = _token(token)
        pieces += [re.escape(literal), pattern]
        anchors += [literal, anchor]
        position = token.end()
    anchors.append(text[position:])
    pieces.append(re.escape(text[position:]))
    before = BEFORE if text[0].isdigit() else ""
    after = AFTER if text[-1].isdigit() else ""
    pattern = f"{before}{re.escape(text)}{after}|{''.join(pieces)}"
    first = TOKEN.match(text)
    if first and first["number"]:
        groups = LISTED if re.match(r"(?:[0-9]{3})+(?![0-9])", text) else ""
        pattern = f"{APART}{groups}(?:{pattern})"
    reach = None
    if first and first.end() == len(text) <= LONGEST_NEAR:
        reach = LONGEST_DATE if first["date"] else 2 * len(text)
    head = text[0] if first and first["number"] else dates.HEADS
    return Spelling(re.compile(pattern), max(anchors, key=len), reach, head)


def _token(token: re.Match[str]) -> tuple[str, str]:
    if token["date"]:
        return dates.spellings(token["date"])
    if token["percent"]:
        return r"\s?(?:%|percent\b|per cent\b|pct\b)", ""
    if token["space"]:
        return r"\s++", ""
    readings = list(_readings(token["number"]))
    if not readings:
        return f"{BEFORE}{re.escape(token['number'])}{AFTER}", ""
    pattern = "|".join(_number(*reading) for reading in readings)
    return f"(?:{pattern})", _common([_kept(*reading) for reading in readings])


def _readings(number: str) -> Iterator[tuple[str, str]]:
    """Digits and decimals that may be meant; none if it is no number, such as a version."""
    digits, marks = re.split(r"[^0-9]", number), re.sub(r"[0-9]", "", number)
    *head, tail = digits
    if len(marks) <= 1 and marks not in ("", *" '_"):
        yield head[0], tail
    if not marks:
        yield tail, ""
    elif len(set(marks)) == 1 and _are_groups(digits):
        yield "".join(digits), ""
    elif len(set(marks[:-1])) == 1 and marks[-1] not in marks[:-1] and _are_groups(head):
        yield "".join(head), tail


def _are_groups(digits: list[str]) -> bool:
    """Groups of three, or of two before the last as in India."""
    first, *rest = digits
    sizes = {len(group) for group in rest[:-1]}
    fits = bool(rest) and len(rest[-1]) == 3 and len(sizes) <= 1 and sizes <= {2, 3}
    return fits and first != "0" and 1 <= len(first) <= max(sizes, default=3)


def _number(whole: str, decimals: str) -> str:
    decimals = decimals.rstrip("0")
    # Three zeros after the comma of a short number are thousands.
    short = 1 <= len(whole) <= 3 and whole != "0"
    found = [whole + _decimals(r"(?:\.|,(?!0{3}(?!0)))" if short else "[.,]", decimals)]
    western, indian = _split(whole, 3), _split(whole, 2)
    if len(western) > 1:
        found += [mark.join(western) + _decimals(dot, decimals) for mark, dot in GROUPED.items()]
    if indian != western:
        found.append(",".join(indian) + _decimals(r"\.", decimals))
    in_group = "(?<![0-9],)" if len(whole) % 3 == 0 else ""
    return f"{BEFORE}(?<![0-9]'){in_group}(?:{'|'.join(found)}){STRICT_AFTER}"


def _decimals(mark: str, decimals: str) -> str:
    """Zeros at the end say nothing."""
    return rf"{mark}{decimals}0*+" if decimals else f"(?:{mark}0++)?+"


def _split(whole: str, size: int) -> list[str]:
    """The digits in groups: the last of three, those before of this size."""
    rest, last = whole[:-3], whole[-3:]
    head = len(rest) % size
    groups = [rest[:head], *(rest[i : i + size] for i in range(head, len(rest), size)), last]
    return [group for group in groups if group]


def _kept(whole: str, decimals: str) -> list[str]:
    """What stands in one piece in every spelling of a number."""
    return [whole[-3:], decimals.rstrip("0")]


def _common(kept: list[list[str]]) -> str:
    shared = [
        piece
        for pieces in kept
        for piece in pieces
        if all(any(piece in other for other in others) for others in kept)
    ]
    return max(shared, key=len, default="")
