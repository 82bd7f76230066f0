"""Two runs side by side: which step stands for which, and where they part. No Django in here.

`align` is a global alignment of two transcripts. Its rows hold every step of both runs exactly
once, in the order of each; its divergences say in a sentence what differs, and how much that may
explain of what followed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from attribution.alignment import unpaired
from attribution.alignment.canonical import canonical_steps
from attribution.alignment.differences import SEEN, Difference, compare
from attribution.alignment.pairing import pair
from attribution.alignment.sequences import type_of_pairs
from attribution.alignment.words import Op, similarity, word_diff
from traces.transcript import Transcript

__all__ = ["Alignment", "Divergence", "Op", "Row", "RowKind", "align", "similarity", "word_diff"]

# What the last row's difference still counts for: early ones act on more of the run.
LAST_ROW_COUNTS = 0.5


class RowKind(StrEnum):
    MATCHED = "matched"
    CHANGED = "changed"
    MISSING = "missing"
    EXTRA = "extra"


@dataclass(frozen=True, slots=True)
class Row:
    """One step of either run, or one of each. `note` says why an unpaired step is harmless."""

    left: int | None
    right: int | None
    kind: RowKind
    similarity: float
    note: str = ""


@dataclass(frozen=True, slots=True)
class Divergence:
    """A row at which the runs part. `score` (0 to 1): its weight, less the later it comes."""

    row: int
    sentence: str
    score: float


@dataclass(frozen=True)
class Alignment:
    rows: tuple[Row, ...]
    divergences: tuple[Divergence, ...]

    @cached_property
    def first_divergence(self) -> Divergence | None:
        """The first that weighs: the one with the highest score, the earlier of two equal ones.

        Not simply the first row that differs: another search term comes before the choice that
        decided the run in most pairs of runs, and explains nothing.
        """
        return max(self.divergences, key=lambda divergence: divergence.score, default=None)


def align(left: Transcript, right: Transcript) -> Alignment:
    """The left run, usually the failed one, beside the right one it is compared with."""
    return _Comparison(left, right).alignment()


class _Comparison:
    def __init__(self, left: Transcript, right: Transcript) -> None:
        self.transcripts = left, right
        self.left, self.right = canonical_steps(left), canonical_steps(right)
        pairs = pair(self.left, self.right)
        self.places = list(interleaved(pairs, len(self.left), len(self.right)))

    def alignment(self) -> Alignment:
        notes = self._notes()
        rows: list[Row] = []
        found: list[tuple[int, Difference]] = []
        for index, (i, j) in enumerate(self.places):
            difference = None if index in notes else self._difference(i, j)
            rows.append(self._row(i, j, difference, notes.get(index, "")))
            if difference:
                found.append((index, difference))
        divergences = tuple(_divergence(*each, len(rows)) for each in found)
        return Alignment(tuple(rows), divergences)

    def _difference(self, i: int | None, j: int | None) -> Difference | None:
        if j is None:
            return unpaired.difference(self.left[i or 0], "this")
        if i is None:
            return unpaired.difference(self.right[j], "the other")
        difference = compare(self.left[i], self.right[j])
        if difference and not self.left[i].by_agent and difference.weight > SEEN:
            # Harness, tools and evaluators show what happened; they do not choose it.
            return Difference(SEEN, difference.sentence)
        return difference

    def _row(self, i: int | None, j: int | None, difference: object, note: str) -> Row:
        if j is None:
            return Row(i, None, RowKind.EXTRA, 0.0, note)
        if i is None:
            return Row(None, j, RowKind.MISSING, 0.0, note)
        kind = RowKind.CHANGED if difference else RowKind.MATCHED
        return Row(i, j, kind, similarity(self.left[i].text, self.right[j].text))

    def _notes(self) -> dict[int, str]:
        """Per row of an unpaired harmless step, why it is harmless."""
        ours = {i: row for row, (i, j) in enumerate(self.places) if i is not None and j is None}
        theirs = {j: row for row, (i, j) in enumerate(self.places) if j is not None and i is None}
        moved = unpaired.moved(self.left, self.right, ours, theirs)
        notes: dict[int, str] = {}
        for transcript, steps, rows, reordered in (
            (self.transcripts[0], self.left, ours, moved[0]),
            (self.transcripts[1], self.right, theirs, moved[1]),
        ):
            notes |= {rows[number]: unpaired.MOVED for number in reordered}
            alone = unpaired.harmless(transcript, steps, rows)
            notes |= {rows[number]: note for number, note in alone.items()}
        return notes


def interleaved(
    pairs: type_of_pairs, left: int, right: int
) -> Iterator[tuple[int | None, int | None]]:
    """All positions of both sides in order; between two pairs the left ones come first."""
    i = j = 0
    for next_i, next_j in [*pairs, (left, right)]:
        yield from ((k, None) for k in range(i, next_i))
        yield from ((None, k) for k in range(j, next_j))
        if next_i < left:
            yield next_i, next_j
        i, j = next_i + 1, next_j + 1


def _divergence(row: int, difference: Difference, rows: int) -> Divergence:
    lateness = (1 - LAST_ROW_COUNTS) * row / rows
    return Divergence(row, difference.sentence, round(difference.weight * (1 - lateness), 4))
