"""Gaps: what a record lacks or contradicts, what that means, and how to record it next time.

One module for each theme, with its kinds and the finders of those that a transcript shows by
itself. A finder repairs nothing. A fact about the whole run is one gap of the run, not one of
each step.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from traces.gaps import (
    actors,
    calls,
    changes,
    checks,
    clocks,
    content,
    grain,
    order,
    reading,
    references,
    witness,
)
from traces.gaps.kind import Kind
from traces.transcript import Gap, Transcript

__all__ = ["KINDS", "THEMES", "Kind", "completed"]

THEMES: dict[str, dict[str, Kind]] = {
    "Reading the file": reading.KINDS,
    "Order and links": order.KINDS,
    "Times": clocks.KINDS,
    "Actors": actors.KINDS,
    "What the record points at": references.KINDS,
    "Tools and retries": calls.KINDS,
    "Content": content.KINDS,
    "Checks": checks.KINDS,
    "Said instead of seen": witness.KINDS,
    "Changes of state": changes.KINDS,
    "Size of steps": grain.KINDS,
}
KINDS: dict[str, Kind] = {name: kind for kinds in THEMES.values() for name, kind in kinds.items()}
# Characters of a gap of the run to which no more is added.
LONG = 2_000
FINDERS = (
    *order.FINDERS,
    *clocks.FINDERS,
    *actors.FINDERS,
    *references.FINDERS,
    *calls.FINDERS,
    *content.FINDERS,
    *checks.FINDERS,
    *witness.FINDERS,
    *changes.FINDERS,
    *grain.FINDERS,
)


def completed(transcript: Transcript) -> Iterator[Gap]:
    """The gaps the parser met and those the record shows, one per kind and step.

    What several have to say of the run as a whole is said by one, in all their words.
    """
    seen: set[tuple[str, int | None]] = set()
    of_run: dict[str, Gap] = {}
    found = (gap for finder in FINDERS for gap in finder(transcript))
    for gap in (*transcript.gaps, *found):
        if gap.step is None:
            of_run[gap.kind] = joined(of_run.get(gap.kind), gap)
        elif (gap.kind, gap.step) not in seen:
            seen.add((gap.kind, gap.step))
            yield gap
    yield from of_run.values()


def joined(first: Gap | None, other: Gap) -> Gap:
    if first is None or other.detail in first.detail or len(first.detail) > LONG:
        return first or other
    return replace(first, detail=f"{first.detail} {other.detail}")
