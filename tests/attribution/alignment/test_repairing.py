from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attribution.alignment import Alignment, Divergence, Row, RowKind
from attribution.alignment.aligned import Aligned
from attribution.alignment.alignment import align
from attribution.alignment.differences import Difference
from attribution.alignment.repairing import contradicts, repaired, settled
from tests.attribution.scenes import decides, failed, passed, says

LEFT, RIGHT = 4, 4
# 0=0, 1 and 1 alone, 2=2 (changed), 3=3.
ALIGNED = Aligned.of(
    Alignment(
        (
            Row(0, 0, RowKind.MATCHED, 1.0),
            Row(1, None, RowKind.EXTRA, 0.0),
            Row(None, 1, RowKind.MISSING, 0.0),
            Row(2, 2, RowKind.CHANGED, 0.5),
            Row(3, 3, RowKind.MATCHED, 1.0),
        ),
        (Divergence(1, "only here", 0.3), Divergence(3, "differs", 0.6)),
    )
)


def same(left: int, right: int) -> None:
    return None


def differs(left: int, right: int) -> Difference:
    return Difference(0.7, f"#{left} is not #{right}")


def rows(aligned: Aligned) -> list[tuple[int | None, int | None, str]]:
    return [
        (aligned.left_at(n), aligned.right_at(n), aligned.kind(n).value)
        for n in range(len(aligned))
    ]


@pytest.mark.parametrize("pairs", [[], [(9, 1)], [(1, 9)], [(-1, 1)], [(9, None)]])
def test_without_a_pair_of_steps_that_are_here_all_stays(pairs):
    assert repaired(ALIGNED, pairs, same) is ALIGNED


def test_a_made_pair_becomes_a_row():
    assert rows(repaired(ALIGNED, [(1, 1)], same)) == [
        (0, 0, "matched"), (1, 1, "matched"), (2, 2, "changed"), (3, 3, "matched"),
    ]  # fmt: skip


def test_a_made_pair_that_differs_says_how():
    found = repaired(ALIGNED, [(1, 1)], differs)

    assert rows(found)[1] == (1, 1, "changed")
    assert found.divergences == (
        Divergence(1, "#1 is not #1", 0.7),
        Divergence(2, "differs", 0.6),
    )


def test_a_pair_that_shares_a_step_is_dissolved():
    assert rows(repaired(ALIGNED, [(1, 2)], same)) == [
        (0, 0, "matched"), (None, 1, "missing"), (1, 2, "matched"), (2, None, "extra"),
        (3, 3, "matched"),
    ]  # fmt: skip


def test_pairs_that_cross_are_dissolved():
    assert rows(repaired(ALIGNED, [(3, 1)], same)) == [
        (0, 0, "matched"), (1, None, "extra"), (2, None, "extra"), (3, 1, "matched"),
        (None, 2, "missing"), (None, 3, "missing"),
    ]  # fmt: skip


def test_a_step_without_a_counterpart_stands_alone():
    assert rows(repaired(ALIGNED, [(2, None)], same)) == [
        (0, 0, "matched"), (1, None, "extra"), (None, 1, "missing"), (2, None, "extra"),
        (None, 2, "missing"), (3, 3, "matched"),
    ]  # fmt: skip


def test_of_two_pairs_that_cannot_both_stand_the_later_counts():
    assert settled([(1, 2), (3, 1)]) == [(3, 1)]
    assert settled([(1, 2), (3, None), (1, 1)]) == [(1, 1), (3, None)]


@pytest.mark.parametrize(
    ("one", "other", "contradict"),
    [
        ((1, 1), (1, None), True),
        ((1, 1), (2, 1), True),
        ((1, 2), (2, 1), True),
        ((1, 1), (2, 2), False),
        ((1, None), (2, 1), False),
    ],
)
def test_which_pairs_contradict_each_other(one, other, contradict: bool):
    assert contradicts(one, other) is contradict
    assert contradicts(other, one) is contradict


def test_a_step_that_moved_to_one_that_is_paired_now_has_moved_nowhere():
    aligned = Aligned.of(
        Alignment(
            (
                Row(0, None, RowKind.EXTRA, 0.0, moved=1),
                Row(1, 0, RowKind.MATCHED, 1.0),
                Row(None, 1, RowKind.MISSING, 0.0, moved=0),
                Row(2, None, RowKind.EXTRA, 0.0),
            ),
            (),
        )
    )
    assert repaired(aligned, [(2, 1)], same).moved.tolist() == [-1, -1, -1]
    assert repaired(aligned, [(2, None)], same).moved.tolist() == [1, -1, 0, -1]


steps = st.lists(st.sampled_from("abc"), min_size=1, max_size=8)
made = st.lists(st.tuples(st.integers(0, 8), st.none() | st.integers(0, 8)), max_size=5)


@given(steps, steps, made)
def test_every_step_once_and_in_order_whatever_is_paired(ours, theirs, pairs):
    left = failed(*(decides(n, word) for n, word in enumerate(ours)))
    right = passed(*(says(n, word) for n, word in enumerate(theirs)))
    before = Aligned.of(align(left, right))
    after = repaired(before, pairs, differs)

    assert [n for n in after.left.tolist() if n >= 0] == list(range(len(ours)))
    assert [n for n in after.right.tolist() if n >= 0] == list(range(len(theirs)))
    here = {(after.left_at(n), after.right_at(n)) for n in range(len(after))}
    valid = [(a, b) for a, b in pairs if a < len(ours) and (b is None or b < len(theirs))]
    assert set(settled(valid)) <= here
    both = (after.left >= 0) & (after.right >= 0)
    assert np.isin(after.kinds[both], [0, 1]).all()
    assert (after.kinds[(after.left < 0)] == 2).all()
    assert (after.kinds[(after.right < 0)] == 3).all()
    assert [d.row for d in after.divergences] == sorted({d.row for d in after.divergences})


@given(steps, steps)
def test_what_is_paired_already_changes_nothing(ours, theirs):
    left = failed(*(decides(n, word) for n, word in enumerate(ours)))
    right = passed(*(decides(n, word) for n, word in enumerate(theirs)))
    before = Aligned.of(align(left, right))
    pairs = [(a, b) for a, b, _ in rows(before) if a is not None and b is not None]
    after = repaired(before, pairs, differs)

    assert rows(after) == rows(before)
    assert after.divergences == before.divergences
    assert after.moved.tolist() == before.moved.tolist()
