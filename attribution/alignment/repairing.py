"""An alignment as somebody corrected it: pairs they made stand, and what these contradict goes.

The order of both runs is kept: a pair that crosses a made one, or shares a step with it, is
dissolved into a step of either run alone. Every step stays where a reader looks for it, once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

import numpy as np

from attribution.alignment.aligned import NONE, Aligned, aligned_rows
from attribution.alignment.alignment import Divergence, RowKind
from attribution.alignment.differences import Difference

type_of_pair = tuple[int, int | None]
type_of_place = tuple[int | None, int | None]
# Tells how the left step of this number differs from the right one; None if they are the same.
type_of_comparison = Callable[[int, int], Difference | None]


def settled(pairs: Iterable[type_of_pair]) -> list[type_of_pair]:
    """Pairs that can all stand, in the order of their left steps; of two that cannot, the later
    one of these. `None` says that the left step has no counterpart.
    """
    kept: list[type_of_pair] = []
    for pair in pairs:
        kept = [other for other in kept if not contradicts(other, pair)]
        kept.append(pair)
    return sorted(kept, key=lambda pair: pair[0])


def contradicts(one: type_of_pair, other: type_of_pair) -> bool:
    """Whether two pairs share a step, or cross."""
    (left, right), (other_left, other_right) = one, other
    if left == other_left:
        return True
    if right is None or other_right is None:
        return False
    return (left < other_left) != (right < other_right) or right == other_right


def repaired(
    aligned: Aligned, pairs: Iterable[type_of_pair], compare_steps: type_of_comparison
) -> Aligned:
    """The alignment with these pairs. Those that name a step it does not hold are left out."""
    lefts = set(aligned.left.tolist()) - {NONE}
    rights = {*aligned.right.tolist(), None} - {NONE}
    made = settled(pair for pair in pairs if pair[0] in lefts and pair[1] in rights)
    if not made:
        return aligned
    places = list(_interleaved(aligned, _all_pairs(aligned, made)))
    return _with_rows(aligned, places, compare_steps)


def _all_pairs(aligned: Aligned, made: list[type_of_pair]) -> list[tuple[int, int]]:
    """The made pairs, and those of the alignment that contradict none of them; rising."""
    both = (aligned.left != NONE) & (aligned.right != NONE)
    lefts, rights = aligned.left[both], aligned.right[both]
    stands = ~np.isin(lefts, [left for left, _ in made])
    forced = [(left, right) for left, right in made if right is not None]
    if forced:
        ours, theirs = np.array(forced, dtype=np.int32).T
        # As many made pairs must come before it on either side, and none may hold its steps.
        stands &= ~np.isin(rights, theirs)
        stands &= np.searchsorted(ours, lefts) == np.searchsorted(theirs, rights)
    found = zip(lefts[stands].tolist(), rights[stands].tolist(), strict=True)
    return sorted([*forced, *found])


def _interleaved(aligned: Aligned, pairs: list[tuple[int, int]]) -> Iterator[type_of_place]:
    """All steps of both sides: between two pairs they stand in the order they stood in before."""
    lefts = [step for step in aligned.left.tolist() if step != NONE]
    rights = [step for step in aligned.right.tolist() if step != NONE]
    i = j = 0
    for left, right in [*pairs, (None, None)]:
        to_left = len(lefts) if left is None else lefts.index(left, i)
        to_right = len(rights) if right is None else rights.index(right, j)
        yield from _between(aligned, lefts[i:to_left], rights[j:to_right])
        if left is not None:
            yield left, right
        i, j = to_left + 1, to_right + 1


def _between(aligned: Aligned, lefts: list[int], rights: list[int]) -> Iterator[type_of_place]:
    alone: list[tuple[int, int, type_of_place]] = [
        (aligned.row_of_left(step), 0, (step, None)) for step in lefts
    ]
    alone += [(aligned.row_of_right(step), 1, (None, step)) for step in rights]
    yield from (place for _, _, place in sorted(alone, key=lambda each: each[:2]))


def _with_rows(
    aligned: Aligned, places: list[type_of_place], compare_steps: type_of_comparison
) -> Aligned:
    """What stood so before keeps its kind and its divergence; a new pair is compared."""
    before = {place: row for row, place in enumerate(_places(aligned))}
    told = {divergence.row: divergence for divergence in aligned.divergences}
    rows: list[tuple[int | None, int | None, RowKind]] = []
    moved: list[int | None] = []
    divergences: list[Divergence] = []
    for at, (left, right) in enumerate(places):
        row = before.get((left, right))
        moved.append(None if row is None else aligned.moved_at(row))
        if row is None:
            kind, found = _new_row(left, right, compare_steps)
        else:
            kind, found = aligned.kind(row), told.get(row)
        rows.append((left, right, kind))
        if found:
            divergences.append(Divergence(at, found.sentence, found.score))
    column = np.array(_moves(places, moved), dtype=np.int32)
    return replace(aligned_rows(rows, divergences), moved=column)


def _new_row(
    left: int | None, right: int | None, compare_steps: type_of_comparison
) -> tuple[RowKind, Divergence | None]:
    if left is None:
        return RowKind.MISSING, None
    if right is None:
        return RowKind.EXTRA, None
    found = compare_steps(left, right)
    if found is None:
        return RowKind.MATCHED, None
    return RowKind.CHANGED, Divergence(0, found.sentence, found.weight)


def _moves(places: list[type_of_place], moved: list[int | None]) -> list[int]:
    """Where steps alone have moved, as far as what they moved to still stands alone."""
    lone_left = {left for left, right in places if right is None}
    lone_right = {right for left, right in places if left is None}
    return [
        NONE if to is None or to not in (lone_left if left is None else lone_right) else to
        for (left, _), to in zip(places, moved, strict=True)
    ]


def _places(aligned: Aligned) -> list[type_of_place]:
    sides = zip(aligned.left.tolist(), aligned.right.tolist(), strict=True)
    return [(None if i == NONE else i, None if j == NONE else j) for i, j in sides]
