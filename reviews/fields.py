"""Reading values and rows out of a draft, where anything at all may stand.

Plain Python. What cannot be used is "", None or left out, never an error.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

# What the database's integer and its keys can hold.
LARGEST_NUMBER = 2**31 - 1
LARGEST_KEY = 2**63 - 1
LONGEST_TAG = 60
PURPOSES = ("origin", "state", "carrier", "exposure", "alternative", "note")


@dataclass(frozen=True, slots=True)
class Quote:
    """A piece of the record: `text` is the characters from `start` to `end` of that part."""

    purpose: str
    step: int
    part: int
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Rejected:
    """Another explanation, and why it was turned down. No step: it is not about one step."""

    step: int | None
    rejected_because: str


@dataclass(frozen=True, slots=True)
class Missed:
    """A chance to stop the error that a contract (by its id) owned; None: not named yet."""

    step: int
    contract: int | None


def number(value: object, *, largest: int = LARGEST_NUMBER) -> int | None:
    """A whole number from 0; digits in a string are one too."""
    if isinstance(value, str):
        value = _read(value.strip())
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= largest:
        return value
    return None


def _read(digits: str) -> int | None:
    # Twenty digits hold the largest key; more would only cost time.
    plain = digits.isascii() and digits.isdecimal() and len(digits) <= 20
    return int(digits) if plain else None


def key(value: object) -> int | None:
    """The id of a row."""
    return number(value, largest=LARGEST_KEY)


def text(value: object) -> str:
    return storable(value).strip() if isinstance(value, str) else ""


def storable(value: str) -> str:
    """Without the two things Postgres cannot hold in a text: NUL and halves of a pair."""
    return value.replace("\0", "").encode(errors="ignore").decode()


def one_of(allowed: Iterable[str], value: object) -> str:
    return value if isinstance(value, str) and value in allowed else ""


def items(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def rows(value: object) -> list[Mapping[str, Any]]:
    return [row for row in items(value) if isinstance(row, Mapping)]


def carriers(value: object) -> tuple[int, ...]:
    numbers = {number(item) for item in items(value)}
    return tuple(sorted(number for number in numbers if number is not None))


def evidence(value: object) -> tuple[Quote, ...]:
    quotes = (_quote(row) for row in rows(value))
    return tuple(dict.fromkeys(quote for quote in quotes if quote))


def _quote(row: Mapping[str, Any]) -> Quote | None:
    purpose, text = one_of(PURPOSES, row.get("purpose")), row.get("text")
    anchor = [number(row.get(key)) for key in ("step", "part", "start", "end")]
    step, part, start, end = anchor
    if step is None or part is None or start is None or end is None or end <= start:
        return None
    if not purpose or not isinstance(text, str) or not text:
        return None
    return Quote(purpose, step, part, start, end, storable(text))


def alternatives(value: object) -> tuple[Rejected, ...]:
    found = (
        Rejected(number(row.get("step")), text(row.get("rejected_because"))) for row in rows(value)
    )
    return tuple(
        dict.fromkeys(row for row in found if row.rejected_because or row.step is not None)
    )


def misses(value: object) -> tuple[Missed, ...]:
    found = ((number(row.get("step")), key(row.get("contract"))) for row in rows(value))
    named = (Missed(step, contract) for step, contract in found if step is not None)
    return tuple(dict.fromkeys(named))


def tags(value: object) -> tuple[str, ...]:
    tags = (text(item)[:LONGEST_TAG].strip() for item in items(value))
    return tuple(dict.fromkeys(tag for tag in tags if tag))
