"""What each step of two runs is to the other run: a partner, a twin out of order, or harmless."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from attribution.alignment import unpaired
from attribution.alignment.canonical import Canonical, canonical_steps
from attribution.alignment.moved import Alone, recognised
from attribution.alignment.pairing import pair
from attribution.alignment.sequences import type_of_pairs
from traces.transcript import Transcript

type_of_place = tuple[int | None, int | None]


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two runs and its steps in comparable form."""

    transcript: Transcript
    steps: list[Canonical]

    @classmethod
    def of(cls, transcript: Transcript) -> Side:
        return cls(transcript, canonical_steps(transcript))


@dataclass(frozen=True, slots=True)
class Matching:
    """Pairs in order, twins out of order, and on either side why a step alone is harmless.

    The twins that are beyond doubt are `moved`: a page can send people from one to the other.
    """

    pairs: type_of_pairs
    twins: type_of_pairs
    moved: type_of_pairs
    left_notes: dict[int, str]
    right_notes: dict[int, str]

    def swapped(self) -> Matching:
        found = (self.pairs, self.twins, self.moved)
        pairs, twins, moved = ([(j, i) for i, j in each] for each in found)
        return Matching(pairs, twins, moved, self.right_notes, self.left_notes)


def match(left: Side, right: Side) -> Matching:
    """Swapping the runs swaps the answer: of equally good ones the order of the texts decides."""
    if [step.key for step in right.steps] < [step.key for step in left.steps]:
        return _match(right, left).swapped()
    return _match(left, right)


def _match(left: Side, right: Side) -> Matching:
    pairs = pair(left.steps, right.steps)
    places = list(interleaved(pairs, len(left.steps), len(right.steps)))
    ours = {i: row for row, (i, j) in enumerate(places) if i is not None and j is None}
    theirs = {j: row for row, (i, j) in enumerate(places) if j is not None and i is None}
    twins = list(unpaired.twins(left.steps, right.steps, ours, theirs))
    moved = list(recognised(twins, Alone(left.steps, ours), Alone(right.steps, theirs)))
    left_notes = dict.fromkeys((i for i, _ in twins), unpaired.MOVED)
    left_notes |= unpaired.harmless(left.transcript, left.steps, ours)
    right_notes = dict.fromkeys((j for _, j in twins), unpaired.MOVED)
    right_notes |= unpaired.harmless(right.transcript, right.steps, theirs)
    settled = set(left_notes), set(right_notes)
    pairs = unpaired.instead(pairs, left.steps, right.steps, settled)
    return Matching(pairs, twins, moved, left_notes, right_notes)


def interleaved(pairs: type_of_pairs, left: int, right: int) -> Iterator[type_of_place]:
    """All positions of both sides in order; between two pairs the left ones come first."""
    i = j = 0
    for next_i, next_j in [*pairs, (left, right)]:
        yield from ((k, None) for k in range(i, next_i))
        yield from ((None, k) for k in range(j, next_j))
        if next_i < left:
            yield next_i, next_j
        i, j = next_i + 1, next_j + 1
