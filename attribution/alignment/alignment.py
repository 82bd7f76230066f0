"""Rows and divergences of two runs, from the pairs of their steps."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from attribution.alignment import unpaired
from attribution.alignment.crossroads import crossroads
from attribution.alignment.differences import SEEN, Difference, compare
from attribution.alignment.matching import Side, interleaved, match
from attribution.alignment.words import similarity
from traces.transcript import Transcript

# What the last row's difference still counts for: early ones act on more of the run.
LAST_ROW_COUNTS = 0.5


class RowKind(StrEnum):
    MATCHED = "matched"
    CHANGED = "changed"
    MISSING = "missing"
    EXTRA = "extra"


@dataclass(frozen=True, slots=True)
class Row:
    """One step of either run, or one of each. `note` says why an unpaired step is harmless.

    `moved` is the other run's step that an unpaired one stands for, in another order.
    """

    left: int | None
    right: int | None
    kind: RowKind
    similarity: float
    note: str = ""
    moved: int | None = None


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

    def moved_row(self, row: Row) -> int | None:
        """Where the step stands that this row's step was moved from or to; None if in order."""
        places = self._places_of_right if row.right is None else self._places_of_left
        return None if row.moved is None else places[row.moved]

    @cached_property
    def _places_of_left(self) -> dict[int, int]:
        return {row.left: at for at, row in enumerate(self.rows) if row.left is not None}

    @cached_property
    def _places_of_right(self) -> dict[int, int]:
        return {row.right: at for at, row in enumerate(self.rows) if row.right is not None}


def align(left: Transcript, right: Transcript) -> Alignment:
    """The left run, usually the failed one, beside the right one it is compared with."""
    return _Comparison(Side.of(left), Side.of(right)).alignment()


class _Comparison:
    """Tells, place by place, how the two runs differ there."""

    def __init__(self, left: Side, right: Side) -> None:
        self.left, self.right = left.steps, right.steps
        self.matching = match(left, right)
        self.twins = dict(self.matching.twins)
        self.moved_to: dict[int | None, int] = dict(self.matching.moved)
        self.moved_from: dict[int | None, int] = {j: i for i, j in self.matching.moved}
        self.forks = dict(crossroads(self.left, self.right))

    def alignment(self) -> Alignment:
        places = list(interleaved(self.matching.pairs, len(self.left), len(self.right)))
        rows, divergences = [], []
        for index, (i, j) in enumerate(places):
            difference = self._difference(i, j)
            rows.append(self._row(i, j, difference))
            if difference:
                late = (1 - LAST_ROW_COUNTS) * index / len(places)
                score = round(difference.weight * (1 - late), 4)
                divergences.append(Divergence(index, difference.sentence, score))
        return Alignment(tuple(rows), tuple(divergences))

    def _difference(self, i: int | None, j: int | None) -> Difference | None:
        if i is None:
            return None if j is None else self._only_there(j)
        if j is None:
            return self.forks.get(i) or self._only_here(i)
        difference = self._changed(i, j)
        return difference and self.forks.get(i, difference)

    def _only_there(self, j: int) -> Difference | None:
        harmless = j in self.matching.right_notes
        return None if harmless else unpaired.difference(self.right[j], "the other")

    def _only_here(self, i: int) -> Difference | None:
        if i in self.twins:
            return self._changed(i, self.twins[i])
        harmless = i in self.matching.left_notes
        return None if harmless else unpaired.difference(self.left[i], "this")

    def _changed(self, i: int, j: int) -> Difference | None:
        difference = compare(self.left[i], self.right[j])
        if difference and not self.left[i].by_agent and difference.weight > SEEN:
            # Harness, tools and evaluators show what happened; they do not choose it.
            return Difference(SEEN, difference.sentence)
        return difference

    def _row(self, i: int | None, j: int | None, difference: Difference | None) -> Row:
        if i is None:
            note, moved = self.matching.right_notes.get(j or 0, ""), self.moved_from.get(j)
            return Row(i, j, RowKind.MISSING, 0.0, note, moved)
        if j is None:
            note, moved = self.matching.left_notes.get(i, ""), self.moved_to.get(i)
            return Row(i, j, RowKind.EXTRA, 0.0, note, moved)
        kind = RowKind.CHANGED if difference else RowKind.MATCHED
        return Row(i, j, kind, similarity(self.left[i].text, self.right[j].text))
