"""Where did this value first appear? Every place in a run that holds a text, earliest first.

Exact places first by nature: a text equal to the last character. Then places that say the same in
another spelling: case, white space, digit grouping and decimals of a number, the order of a date.
Plain Python over the transcript; one pattern is made of the text and run over every part.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from traces.transcript import Transcript

# Characters. Shorter texts are everywhere, longer ones nowhere but where they were taken from.
SHORTEST, LONGEST = 2, 2_000
MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
NUMBER = re.compile(r"\d{1,3}(?:[,' \u00a0\u202f]\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?")
NAMES = "|".join(f"{month}|{month[:3]}" for month in MONTHS)
DATE = re.compile(
    rf"(?P<y>\d{{4}})[-/.](?P<m>\d{{1,2}})[-/.](?P<d>\d{{1,2}})"
    rf"|(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?\.? (?P<n2>{NAMES})\.?,? (?P<y2>\d{{4}})"
    rf"|(?P<n3>{NAMES})\.? (?P<d3>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<y3>\d{{4}})",
    re.IGNORECASE,
)
TOKEN = re.compile(rf"(?P<date>{DATE.pattern})|(?P<number>{NUMBER.pattern})|\s+", re.IGNORECASE)
GROUPING = r"[,' \u00a0\u202f]?"


@dataclass(frozen=True, slots=True)
class Appearance:
    """One place that holds the value: a range of code points in a part's text."""

    step: int
    part: int
    start: int
    end: int
    exact: bool
    observed: bool


class Unsearchable(Exception):
    """The text is too short or too long to say anything about where it came from."""


def appearances(transcript: Transcript, text: str) -> list[Appearance]:
    """All places that hold the text, one per part and spelling run, in causal order.

    Raises Unsearchable.
    """
    text = text.strip()
    if not SHORTEST <= len(text) <= LONGEST:
        raise Unsearchable(f"Select between {SHORTEST} and {LONGEST} characters.")
    return list(_appearances(transcript, text, pattern_of(text)))


def _appearances(
    transcript: Transcript, text: str, pattern: re.Pattern[str]
) -> Iterator[Appearance]:
    for step, index, part in transcript.citable():
        for match in pattern.finditer(part.text):
            observed = part.is_observation(transcript.actor_of(step))
            exact = match.group() == text
            yield Appearance(step.number, index, *match.span(), exact=exact, observed=observed)


def pattern_of(text: str) -> re.Pattern[str]:
    """What the same text may look like in another spelling. Longer numbers are other numbers."""
    pieces: list[str] = []
    position = 0
    for token in TOKEN.finditer(text):
        pieces.append(re.escape(text[position : token.start()]))
        pieces.append(_spellings(token))
        position = token.end()
    pieces.append(re.escape(text[position:]))
    before = r"(?<![\d.])" if text[0].isdigit() else ""
    after = r"(?![\d]|[.,]\d)" if text[-1].isdigit() else ""
    return re.compile(before + "".join(pieces) + after, re.IGNORECASE)


def _spellings(token: re.Match[str]) -> str:
    if token["date"]:
        return _date_spellings(token)
    return _number_spellings(token["number"]) if token["number"] else r"\s+"


def _number_spellings(number: str) -> str:
    """Digit groups may be set apart or not; zeros at the end of decimals say nothing."""
    whole, _, decimals = re.sub(GROUPING[:-1], "", number).partition(".")
    head = len(whole) % 3 or min(3, len(whole))
    groups = [whole[:head], *(whole[i : i + 3] for i in range(head, len(whole), 3))]
    decimals = decimals.rstrip("0")
    return GROUPING.join(groups) + (rf"\.{decimals}0*" if decimals else r"(?:\.0+)?")


def _date_spellings(token: re.Match[str]) -> str:
    day = _date(token)
    if day is None:
        return re.escape(token["date"])
    month = MONTHS[day.month - 1]
    name = rf"(?:{month}|{month[:3]})\.?"
    number = rf"0?{day.day}(?:st|nd|rd|th)?"
    return (
        rf"(?:{day.year}[-/.]0?{day.month}[-/.]0?{day.day}"
        rf"|{number}\.? {name},? {day.year}|{name} {number},? {day.year})"
    )


def _date(token: re.Match[str]) -> date | None:
    year = token["y"] or token["y2"] or token["y3"]
    day = token["d"] or token["d2"] or token["d3"]
    name = (token["n2"] or token["n3"] or "")[:3].lower()
    month = int(token["m"]) if token["m"] else _month_number(name)
    try:
        return date(int(year), month, int(day))
    except ValueError:
        return None


def _month_number(short: str) -> int:
    return next(n for n, month in enumerate(MONTHS, start=1) if month.startswith(short))
