from __future__ import annotations

import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attribution.alignment import Alignment, Divergence, Row, RowKind, align
from attribution.alignment.aligned import KINDS, Aligned
from tests.attribution.scenes import calls, decides, failed, passed, sample, says

NOTHING = Aligned.of(Alignment((), ()))

# #0 stands for #0; #1 only here, moved to #2 there; #1 only there; #2 changed to #3.
ROWS = (
    Row(0, 0, RowKind.MATCHED, 1.0),
    Row(1, None, RowKind.EXTRA, 0.0, moved=2),
    Row(None, 1, RowKind.MISSING, 0.0),
    Row(None, 2, RowKind.MISSING, 0.0, moved=1),
    Row(2, 3, RowKind.CHANGED, 0.4),
)
DIVERGENCES = (
    Divergence(1, "only here", 0.3),
    Divergence(2, "only there", 0.8),
    Divergence(4, "differs", 0.4),
)


@pytest.fixture
def aligned() -> Aligned:
    return Aligned.of(Alignment(ROWS, DIVERGENCES))


@pytest.mark.parametrize("content", [b"", b"x", NOTHING.pack()[:-4]])
def test_other_bytes_are_refused(content: bytes):
    with pytest.raises((ValueError, zlib.error)):
        Aligned.unpack(content)


def test_no_pickle_is_read():
    held = np.array([object()], dtype=object)
    path = b"".join([b"\x93NUMPY\x01\x00", len(HEAD).to_bytes(2, "little"), HEAD, held.dumps()])
    with pytest.raises(ValueError, match="allow_pickle"):
        Aligned.unpack(zlib.compress(path))


HEAD = b"{'descr': '|O', 'fortran_order': False, 'shape': (1,), }\n"


def test_nothing_beside_nothing_has_no_rows():
    assert len(NOTHING) == 0
    assert NOTHING.first_divergence is None
    assert NOTHING.telling == ()
    assert NOTHING.aligned == 0
    assert NOTHING.row_of_left(5) == 0
    assert NOTHING.step_at(0) == 0


def test_columns_hold_what_the_rows_say(aligned: Aligned):
    rows = range(len(aligned))
    assert [aligned.left_at(row) for row in rows] == [0, 1, None, None, 2]
    assert [aligned.right_at(row) for row in rows] == [0, None, 1, 2, 3]
    assert [aligned.moved_at(row) for row in rows] == [None, 2, None, 1, None]
    assert [aligned.kind(row) for row in rows] == [row.kind for row in ROWS]


def test_a_step_is_found_with_its_row(aligned: Aligned):
    assert [aligned.row_of_left(step) for step in (0, 1, 2)] == [0, 1, 4]
    assert [aligned.row_of_right(step) for step in (0, 1, 2, 3)] == [0, 2, 3, 4]


def test_of_a_step_that_is_not_there_the_nearest_before_it(aligned: Aligned):
    assert aligned.row_of_left(900) == 4
    assert aligned.row_of_right(900) == 4


def test_a_row_without_a_left_step_stands_at_the_one_before(aligned: Aligned):
    assert [aligned.step_at(row) for row in range(5)] == [0, 1, 1, 1, 2]


def test_where_a_moved_step_went_and_came_from(aligned: Aligned):
    assert aligned.moved_row(1) == 3
    assert aligned.moved_row(3) == 1
    assert aligned.moved_row(0) is None


def test_what_weighs_half_as_much_as_the_heaviest_is_told(aligned: Aligned):
    assert aligned.first_divergence == DIVERGENCES[1]
    assert aligned.telling == DIVERGENCES[1:]


def test_counts(aligned: Aligned):
    assert aligned.aligned == 2
    assert aligned.counts == {
        RowKind.MATCHED: 1,
        RowKind.CHANGED: 1,
        RowKind.MISSING: 2,
        RowKind.EXTRA: 1,
    }


def test_half_a_character_in_a_sentence_is_kept_as_a_mark():
    broken = Aligned.of(Alignment(ROWS, (Divergence(0, "a\ud83d", 1.0),)))

    assert Aligned.unpack(broken.pack()).divergences[0].sentence == "a?"


def test_a_sample_comes_back_as_it_was():
    before = Aligned.of(align(sample("lossy-handoff-failed"), sample("lossy-handoff-passed")))
    assert_same(Aligned.unpack(before.pack()), before)


steps = st.lists(
    st.one_of(
        st.text(max_size=8).map(lambda text: lambda n: says(n, text)),
        st.sampled_from("abc").map(lambda name: lambda n: decides(n, name)),
        st.sampled_from("abc").map(lambda path: lambda n: calls(n, "fs.read", path=path)),
    ),
    max_size=12,
)


@given(steps, steps)
def test_what_was_packed_comes_back(ours, theirs):
    left = failed(*(make(n) for n, make in enumerate(ours)))
    right = passed(*(make(n) for n, make in enumerate(theirs)))
    alignment = align(left, right)
    aligned = Aligned.unpack(Aligned.of(alignment).pack())

    assert_same(aligned, Aligned.of(alignment))
    found = [
        (aligned.left_at(n), aligned.right_at(n), aligned.kind(n), aligned.moved_at(n))
        for n in range(len(aligned))
    ]
    assert found == [(row.left, row.right, row.kind, row.moved) for row in alignment.rows]
    assert [aligned.moved_row(n) for n in range(len(aligned))] == [
        alignment.moved_row(row) for row in alignment.rows
    ]
    assert aligned.first_divergence == alignment.first_divergence


def assert_same(found: Aligned, expected: Aligned) -> None:
    for column in ("left", "right", "kinds", "moved"):
        assert np.array_equal(getattr(found, column), getattr(expected, column))
    assert found.divergences == expected.divergences
    assert set(found.kinds) <= set(range(len(KINDS)))
