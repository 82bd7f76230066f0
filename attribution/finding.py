"""Search inside a run: every place in its texts that holds some words, loaded by a page or not.

The database hands over only texts that can hold them; of each no more is kept than how many
places it has. Texts that were moved to payloads are searched whole, as many as
`traces.searching` reads. What could not be searched is told.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple
from uuid import UUID

import numpy as np
from django.db import transaction
from django.db.models import F, Func, IntegerField, Q
from django.db.models.functions import Collate, Length, Lower

from attribution.lookalikes import lookalikes
from attribution.sought import Sought
from traces import payload_store, searching
from traces.display import Piece, pieces
from traces.models import Part, Run
from traces.outline import Numbers, Outline, Truths

# Characters of a run that one search reads, from its begin.
MOST = 256 * 2**20
# Bytes that letters take beyond one each, until texts are searched as they are written.
FOREIGN = 32 * 2**20
# Steps that are named for the map, on which many share a column.
NAMED = 1_400
# Characters of an excerpt before and after a place.
BEFORE, AFTER = 60, 140
IN_ONE_READ = 500
# Answers to filters that are kept: a byte for each step of a run.
KEPT = 16
_ANSWERS: dict[tuple[UUID, int, str, frozenset[str]], Truths] = {}


class Held(NamedTuple):
    """A part whose text holds what is looked for, so many times; `payload` has that text."""

    step: int
    part: int
    places: int
    payload: str


@dataclass(frozen=True, eq=False)
class Found:
    """The texts that hold it, in order. Places are numbered from 0 over all of them.

    `unread` payloads were not searched whole, `as_written` texts only as they are written, and
    of the steps those before `searched`.
    """

    held: list[Held]
    searched: int
    steps_in_all: int
    unread: int = 0
    as_written: int = 0

    @cached_property
    def ends(self) -> Numbers:
        """For each text, how many places there are up to its end."""
        return np.cumsum([text.places for text in self.held], dtype=np.int32)

    @property
    def total(self) -> int:
        return int(self.ends[-1]) if self.held else 0

    @cached_property
    def steps(self) -> list[int]:
        return list(dict.fromkeys(text.step for text in self.held))

    @property
    def named(self) -> list[int]:
        """Steps for the map: of very many, one for each of its columns."""
        if len(self.steps) <= NAMED:
            return self.steps
        columns = {step * NAMED // max(1, self.steps_in_all): step for step in self.steps[::-1]}
        return sorted(columns.values())

    def near(self, step: int, direction: str) -> int | None:
        """The first place at a step or after it; after it for "next", before it for "previous".

        From the end it goes on at the other.
        """
        if not self.held:
            return None
        owners = np.array([text.step for text in self.held])
        if direction == "previous":
            at = int(np.searchsorted(owners, step))
            return int(self.ends[at - 1]) - 1
        at = int(np.searchsorted(owners, step, side="right" if direction == "next" else "left"))
        return int(self.ends[at - 1]) if 0 < at < len(owners) else 0

    def beside(self, place: int, direction: str) -> int | None:
        """The place after this one, or before it."""
        by = {"next": 1, "previous": -1}.get(direction, 0)
        return (min(max(place, 0), self.total - 1) + by) % self.total if self.held else None


def find(run: Run, outline: Outline, sought: Sought) -> Found:
    """In three queries, and three more where texts were moved."""
    size = np.cumsum(outline.size, dtype=np.int64)
    searched = int(np.searchsorted(size, MOST, side="right"))
    reading = _Reading(run, sought, Q(step__lt=searched))
    held = sorted(reading.held())
    return Found(held, searched, len(outline), reading.unread, reading.as_written)


class Holding(NamedTuple):
    """Of each step whether it holds the text; `unread` payloads were not searched whole."""

    steps: Truths
    unread: int


def holding(run: Run, size: int, text: str, kinds: Collection[str] = ()) -> Holding:
    """For a filter: which steps have a part, of these kinds if any are given, that holds the text.

    Raises Unsearchable. The answer is kept for the windows that are scrolled to next, as long as
    the run is read the same way and everything could be searched.
    """
    asked = run.pk, run.revision, text, frozenset(kinds)
    if asked in _ANSWERS:
        return Holding(_ANSWERS[asked], 0)
    there = np.zeros(size, dtype=bool)
    reading = _Reading(run, Sought.of(text), Q(kind__in=kinds) if kinds else Q())
    for held in reading.held():
        there[held.step] = True
    there.flags.writeable = False
    if not reading.unread:
        _ANSWERS[asked] = there
        for oldest in list(_ANSWERS)[:-KEPT]:
            _ANSWERS.pop(oldest, None)
    return Holding(there, reading.unread)


class _Reading:
    """One pass over the texts of a run."""

    def __init__(self, run: Run, sought: Sought, among: Q) -> None:
        self.run, self.sought = run, sought
        self.parts = Part.objects.filter(among, run=run)
        self.as_written = self.unread = 0
        self.room = FOREIGN

    def held(self) -> Iterator[Held]:
        moved = searching.moved(self.run)
        whole: dict[str, int] = {}
        if moved:
            contents = searching.contents(self.run, set(moved.values()))
            whole = {sha256: self._count(text) for sha256, text in contents}
            self.unread = len(set(moved.values()) - whole.keys())
            yield from self._in_payloads(moved, whole)
        for step, part, text in self._texts():
            places = 0 if moved.get((step, part)) in whole else self._count(text)
            if places:
                yield Held(step, part, places, "")

    def _in_payloads(
        self, moved: searching.type_of_places, whole: dict[str, int]
    ) -> Iterator[Held]:
        having = {place: sha256 for place, sha256 in moved.items() if whole.get(sha256)}
        wanted = self.parts.filter(pk__in=[(self.run.pk, *place) for place in having])
        for place in wanted.values_list("step", "position") if having else ():
            yield Held(*place, whole[having[place]], having[place])

    def _texts(self) -> Iterable[tuple[int, int, str]]:
        """What can hold it: text with the anchors as they are, or with letters beyond ASCII
        that folding may turn into them."""
        octets = Func(F("text"), function="octet_length", output_field=IntegerField())
        rows = self.parts.alias(octets=octets, plain=Lower(Collate("text", "C")))
        anchors = self.sought.anchors
        # In nested conditions the cheaper question is asked first.
        able = foreign = Q(octets__gt=Length("text"))
        if all(anchor.isascii() for anchor in anchors):
            likes = lookalikes("".join(anchors))
            able = foreign & Q(text__regex=f"[{likes}]") if likes else Q(pk__isnull=True)
            able = Q(*(Q(plain__contains=anchor) for anchor in anchors)) | able
        # Within a transaction the database hands rows over as they are read.
        with transaction.atomic():
            found = rows.filter(able).values_list("step", "position", "text")
            yield from found.iterator(chunk_size=IN_ONE_READ)

    def _count(self, text: str) -> int:
        if text.isascii():
            return self.sought.count(text)
        self.room -= len(text.encode()) - len(text)
        if self.room >= 0:
            return self.sought.count(text)
        self.as_written += 1
        return self.sought.count_as_written(text)


@dataclass(frozen=True)
class Hit:
    """A place: a range of code points in a part's text, or in the payload that has it whole."""

    place: int
    step: int
    part: int
    start: int
    end: int
    payload: str
    excerpt: list[Piece]
    cut: tuple[bool, bool]


def hits(run: Run, found: Found, sought: Sought, places: Iterable[int]) -> list[Hit]:
    """These places with what stands around them; in a query, and two for each payload."""
    at = [(place, int(np.searchsorted(found.ends, place, side="right"))) for place in places]
    texts = dict(_texts(run, {found.held[index] for _, index in at}))
    ranges = {held: sought.ranges(text) for held, text in texts.items()}
    told = []
    for place, index in at:
        held = found.held[index]
        within = place - (int(found.ends[index - 1]) if index else 0)
        # A text may be other than when it was counted: its run was read anew meanwhile.
        if within < len(ranges.get(held, ())):
            told.append(_hit(place, held, texts[held], *ranges[held][within]))
    return told


def _texts(run: Run, wanted: set[Held]) -> Iterator[tuple[Held, str]]:
    stored = {(held.step, held.part): held for held in wanted if not held.payload}
    rows = Part.objects.filter(pk__in=[(run.pk, *place) for place in stored]) if stored else ()
    yield from ((stored[row.step, row.position], row.text) for row in rows)
    moved = [held for held in wanted if held.payload]
    texts = {sha256: _payload(run, sha256) for sha256 in {held.payload for held in moved}}
    yield from ((held, texts[held.payload]) for held in moved)


def _payload(run: Run, sha256: str) -> str:
    payload = payload_store.used(run, sha256)
    try:
        return payload_store.content_of(payload).decode() if payload else ""
    except payload_store.Unavailable:
        return ""


def _hit(place: int, held: Held, text: str, start: int, end: int) -> Hit:
    first, last = max(0, start - BEFORE), min(len(text), end + AFTER)
    excerpt = pieces(text, start=first, end=last, cited=[(start, end)])
    cut = first > 0, last < len(text)
    return Hit(place, held.step, held.part, start, end, held.payload, excerpt, cut)
