"""Labelled pieces of text, of which every readable export is made. Plain Python."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

Data = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Row:
    """One labelled piece of text. `label` is ours and `text` is hostile.

    `own` marks text of our own words; a quote keeps its lines; `anchor` says where a quote
    stands and what its hash is.
    """

    label: str
    text: str
    own: bool = False
    quote: bool = False
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    title: str
    rows: tuple[Row, ...] = field(default=())


def said(label: str, text: object) -> Iterator[Row]:
    """A row of text from outside, if there is any."""
    if text not in (None, "", []):
        yield Row(label, str(text))


def ours(label: str, words: str | None) -> Iterator[Row]:
    """A row of our own words, if there are any: cannot_tell becomes "cannot tell"."""
    if words:
        yield Row(label, words.replace("_", " "), own=True)


def steps(label: str, steps: Iterable[Data | None]) -> Iterator[Row]:
    """A row that names these steps, if any is given."""
    yield from said(label, "; ".join(step_words(step) for step in steps if step is not None))


def step_words(step: Data) -> str:
    role = f", {step['role']}" if step["role"] not in ("", step["actor"]) else ""
    return f"#{step['step']} {step['actor']}{role} (in the source: {step['source_id']})"


def moment_words(moment: str | None) -> str:
    """A time as people read it, to the second; what is no time stays as it is."""
    try:
        at = datetime.fromisoformat(moment or "").astimezone(UTC)
    except (ValueError, OverflowError):
        return moment or ""
    return f"{at:%Y-%m-%d %H:%M:%S} UTC"


def person_words(person: Data) -> str:
    return f"{person['name']} ({person['username']})"
