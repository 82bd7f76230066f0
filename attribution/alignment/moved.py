"""Which twins out of order are so surely one step that a page may say where it went.

Sure is what reads alike and has no rival: of two equal calls nobody can say which one moved.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from attribution.alignment.canonical import Canonical
from attribution.alignment.sequences import type_of_pairs
from attribution.alignment.unpaired import alike

# Texts that have nothing to do with each other are alike by 0.4 to 0.5; what is asked of a tool
# is short, and another file in the same folder reads alike.
WORDS_ALIKE, CALLS_ALIKE = 0.55, 0.75
# How much less alike every rival must be.
CLEARLY = 0.05
# How many unpaired steps to either side are looked at as rivals; bounds the work.
RIVALS = 4


class Alone:
    """The unpaired steps of one run, by manner; takes the row of each."""

    def __init__(self, steps: Sequence[Canonical], rows: Mapping[int, int]) -> None:
        self.steps, self.rows = steps, rows
        self._alike: dict[object, list[int]] = defaultdict(list)
        for number in rows:
            self._alike[steps[number].manner].append(number)

    def around(self, row: int, manner: object) -> list[int]:
        """The steps of this manner that are nearest to a row, some on each side."""
        numbers = self._alike[manner]
        at = bisect_left(numbers, row, key=lambda number: self.rows[number])
        return numbers[max(0, at - RIVALS) : at + RIVALS]


def recognised(twins: type_of_pairs, left: Alone, right: Alone) -> Iterator[tuple[int, int]]:
    """The pairs that read alike, clearly more so than either does with any rival."""
    for i, j in twins:
        ours, theirs = left.steps[i], right.steps[j]
        likeness = alike(ours, theirs)
        if likeness < (CALLS_ALIKE if ours.tool else WORDS_ALIKE):
            continue
        rivals = [
            *(alike(ours, right.steps[k]) for k in _others(right, left.rows[i], j)),
            *(alike(left.steps[k], theirs) for k in _others(left, right.rows[j], i)),
        ]
        if likeness - max(rivals, default=0.0) >= CLEARLY:
            yield i, j


def _others(side: Alone, row: int, number: int) -> list[int]:
    near = side.around(row, side.steps[number].manner)
    return [other for other in near if other != number]
