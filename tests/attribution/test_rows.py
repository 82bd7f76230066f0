from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attribution.alignment.aligned import Aligned, aligned_rows
from attribution.alignment.alignment import Divergence, RowKind
from attribution.filters import Filter, listing
from attribution.rows import Rows, alone, beside
from tests.attribution.scenes import failed, says
from traces.outline import outline_of

M, C, L, R = RowKind.MATCHED, RowKind.CHANGED, RowKind.EXTRA, RowKind.MISSING


def laid(*divergences: Divergence) -> Aligned:
    """Rows 0 to 5: only theirs, both, only ours, only theirs, both, only theirs."""
    rows = [(None, 0, R), (0, 1, M), (1, None, L), (None, 2, R), (2, 3, C), (None, 4, R)]
    return aligned_rows(rows, divergences)


def test_an_empty_run_has_no_rows() -> None:
    empty = alone(0)
    assert (len(empty), empty.row_of(0), empty.step_at(0), empty.holds(0)) == (0, 0, None, False)


def test_a_run_alone_has_a_row_for_each_step() -> None:
    rows = alone(3)
    assert (rows.left.tolist(), rows.right.tolist()) == ([0, 1, 2], [-1] * 3)
    assert [rows.row_of(n) for n in (0, 2, 99)] == [0, 2, 2]
    assert [rows.step_at(n) for n in (0, 2, 99)] == [0, 2, 2]
    assert [rows.holds(n) for n in (0, 2, 3)] == [True, True, False]
    assert (dict(rows.divergences), rows.main, rows.aligned) == ({}, None, None)


def test_beside_another_a_row_may_hold_one_of_either() -> None:
    rows = beside(laid())
    assert rows.left.tolist() == [-1, 0, 1, -1, 2, -1]
    assert rows.right.tolist() == [0, 1, -1, 2, 3, 4]
    assert [rows.row_of(n) for n in range(3)] == [1, 2, 4]
    # Of a row without a step of ours, the one before it; before the first, the first.
    assert [rows.step_at(n) for n in range(7)] == [0, 0, 1, 1, 2, 2, 2]


def test_only_the_other_run_has_steps() -> None:
    rows = beside(aligned_rows([(None, 0, R), (None, 1, R)]))
    assert (rows.row_of(5), rows.step_at(1), rows.holds(0)) == (0, None, False)


def test_divergences_are_numbered_by_row_and_the_heaviest_first_one_is_the_main_one() -> None:
    told = (Divergence(1, "one", 0.9), Divergence(2, "light", 0.1), Divergence(4, "four", 1.0))
    rows = beside(laid(*told))
    assert dict(rows.divergences) == {1: (0, "one"), 4: (1, "four")}
    assert rows.main == 4


def test_under_a_filter_divergences_stand_at_their_rows_or_are_left_out() -> None:
    """Only #2 is shown, and its neighbour in the lane grey: rows 1 and 4 keep their numbers."""
    run = failed(says(0, "a", "a"), says(1, "b", "b"), says(2, "c", "c"))
    found = listing(outline_of(run), Filter(actors=frozenset("c")))
    told = (Divergence(1, "one", 0.9), Divergence(4, "four", 1.0))
    rows = found.over(beside(laid(*told)))
    assert 0 not in rows.left
    assert [text for _, text in rows.divergences.values()] == ["four"]
    (row,) = rows.divergences
    assert (rows.main, rows.left[row]) == (row, 2)
    assert rows.divergences[row][0] == 1


@given(st.lists(st.tuples(st.booleans(), st.booleans()).filter(any), max_size=12))
def test_rows_and_steps_lead_to_each_other(sides: list[tuple[bool, bool]]) -> None:
    """`sides` says of each row which of the two runs have a step there."""
    ours = np.cumsum([a for a, _ in sides], dtype=int) - 1
    theirs = np.cumsum([b for _, b in sides], dtype=int) - 1
    rows: Rows = beside(
        aligned_rows(
            [
                (int(ours[n]) if a else None, int(theirs[n]) if b else None, M)
                for n, (a, b) in enumerate(sides)
            ]
        )
    )
    for row, (own, _) in enumerate(sides):
        step = rows.step_at(row)
        if own:
            assert step == ours[row]
            assert rows.row_of(step) == row
        elif step is not None:
            before = [int(ours[n]) for n in range(row) if sides[n][0]]
            assert step == (before[-1] if before else 0)


@pytest.mark.parametrize("step", [0, 1, 2])
def test_a_step_that_a_filter_hides_is_found_at_the_nearest_before_it(step: int) -> None:
    run = failed(says(0, "a", "a"), says(1, "b", "b"), says(2, "c", "c"))
    rows = listing(outline_of(run), Filter(actors=frozenset("b"))).over(alone(3))
    assert rows.left.tolist() == [1]
    assert (rows.row_of(step), rows.holds(step)) == (0, step == 1)
