"""Reads logs that are appended to: one JSON object a line, or all of them in one list.

Their order is the order of what happened. What is no object is refused with its place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from traces.completeness import listed
from traces.formats.base import Document, Json, Refusal, Unreadable
from traces.formats.records import loose
from traces.formats.records.loose import Object
from traces.transcript import Fate, Gap, RawRecord

NO_OBJECT = "This is JSON, but no object: the format has none such."


@dataclass(frozen=True, slots=True)
class Entry:
    """One object of a log: its number from 0, and its place in the document."""

    number: int
    pointer: str
    value: Object


@dataclass(frozen=True, slots=True)
class Log:
    """The objects of a log, what is none, and the gaps that reading it left."""

    entries: tuple[Entry, ...]
    refusals: tuple[Refusal, ...]
    gaps: tuple[Gap, ...]

    @property
    def damaged(self) -> bool:
        return any(gap.kind == "damaged" for gap in self.gaps)


def entries_of(document: Document) -> Log:
    """Raises Unreadable if there is not one object."""
    entries: list[Entry] = []
    refusals: list[Refusal] = []
    for pointer, value in _values(document):
        if isinstance(value, Mapping):
            entries.append(Entry(len(entries), pointer, value))
        else:
            refusals.append(Refusal(pointer, NO_OBJECT, loose.shown(value)[:200]))
    if not entries:
        raise Unreadable("There are no records here.")
    return Log(tuple(entries), tuple(refusals), loose.reading_gaps(document))


def _values(document: Document) -> list[tuple[str, Json]]:
    first = document.records[0].value if document.records else None
    if isinstance(first, list) and not document.lines:
        return [(f"/{index}", value) for index, value in enumerate(first)]
    return [(record.position or "line 1", record.value) for record in document.records]


def earliest(times: Sequence[datetime | None]) -> datetime | None:
    known = [each for each in times if each is not None and each.tzinfo]
    return min(known, default=None)


def latest(times: Sequence[datetime | None]) -> datetime | None:
    known = [each for each in times if each is not None and each.tzinfo]
    return max(known, default=None)


def unknown_kinds(records: Sequence[RawRecord]) -> list[Gap]:
    """One gap that names the kinds of records that nobody could place, with their counts."""
    counts: dict[str, int] = {}
    for record in records:
        if record.fate is Fate.UNMAPPED:
            counts[record.label] = counts.get(record.label, 0) + 1
    if not counts:
        return []
    named = listed([f"{label or 'no type'} ({count})" for label, count in sorted(counts.items())])
    return [Gap("kept_in_raw_only", f"Records of unknown kinds: {named}.")]
