"""Rows and divergences of two runs, from the pairs of their steps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from attribution.alignment import unpaired
from attribution.alignment.canonical import canonical_steps
from attribution.alignment.crossroads import crossroads
from attribution.alignment.differences import SEEN, Difference, compare
from attribution.alignment.pairing import pair
from attribution.alignment.sequences import type_of_pairs
from attribution.alignment.words import similarity
from traces.transcript import Transcript

# What the last row's difference still counts for: early ones act on more of the run.
LAST_ROW_COUNTS = 0.5

type_of_places = list[tuple[int | None, int | None]]


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
    """Pairs first; then what the steps without a partner mean, and who did what instead."""

    def __init__(self, left: Transcript, right: Transcript) -> None:
        self.left, self.right = canonical_steps(left), canonical_steps(right)
        pairs = pair(self.left, self.right)
        ours, theirs = _alone(interleaved(pairs, len(self.left), len(self.right)))
        found = list(unpaired.twins(self.left, self.right, ours, theirs))
        self.forks = dict(crossroads(self.left, self.right))
        self.twins = {twin.left: twin.difference for twin in found}
        self.ours = dict.fromkeys(self.twins, unpaired.MOVED)
        self.ours |= unpaired.harmless(left, self.left, ours)
        self.theirs = dict.fromkeys((twin.right for twin in found), unpaired.MOVED)
        self.theirs |= unpaired.harmless(right, self.right, theirs)
        settled = set(self.ours), set(self.theirs)
        pairs = unpaired.instead(pairs, self.left, self.right, settled)
        self.places = list(interleaved(pairs, len(self.left), len(self.right)))

    def alignment(self) -> Alignment:
        rows, divergences = [], []
        for index, (i, j) in enumerate(self.places):
            difference = self._difference(i, j)
            rows.append(self._row(i, j, difference))
            if difference:
                late = (1 - LAST_ROW_COUNTS) * index / len(self.places)
                score = round(difference.weight * (1 - late), 4)
                divergences.append(Divergence(index, difference.sentence, score))
        return Alignment(tuple(rows), tuple(divergences))

    def _difference(self, i: int | None, j: int | None) -> Difference | None:
        if i is None:
            alone = j is not None and j not in self.theirs
            return unpaired.difference(self.right[j or 0], "the other") if alone else None
        if j is None:
            return self.forks.get(i) or self._unpaired(i)
        difference = self._changed(i, j)
        return difference and self.forks.get(i, difference)

    def _unpaired(self, i: int) -> Difference | None:
        return self.twins.get(i) if i in self.ours else unpaired.difference(self.left[i], "this")

    def _changed(self, i: int, j: int) -> Difference | None:
        difference = compare(self.left[i], self.right[j])
        if difference and not self.left[i].by_agent and difference.weight > SEEN:
            # Harness, tools and evaluators show what happened; they do not choose it.
            return Difference(SEEN, difference.sentence)
        return difference

    def _row(self, i: int | None, j: int | None, difference: Difference | None) -> Row:
        if i is None:
            return Row(i, j, RowKind.MISSING, 0.0, self.theirs.get(j or 0, ""))
        if j is None:
            return Row(i, j, RowKind.EXTRA, 0.0, self.ours.get(i, ""))
        kind = RowKind.CHANGED if difference else RowKind.MATCHED
        return Row(i, j, kind, similarity(self.left[i].text, self.right[j].text))


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


def _alone(
    places: Iterator[tuple[int | None, int | None]],
) -> tuple[dict[int, int], dict[int, int]]:
    """The row of each step without a partner, for either side."""
    ours: dict[int, int] = {}
    theirs: dict[int, int] = {}
    for row, (i, j) in enumerate(places):
        if i is None and j is not None:
            theirs[j] = row
        elif j is None and i is not None:
            ours[i] = row
    return ours, theirs
