from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from traces.ranges import Ranges, ranges


def test_neighbours_are_drawn_together() -> None:
    assert str(ranges([*range(15), 17, *range(20, 34)])) == "0-14, 17, 20-33"
    assert ranges([]) == Ranges()
    assert str(ranges([3, 1, 3, 2])) == "1-3"


@given(st.sets(st.integers(0, 500)))
def test_nothing_is_lost_or_made_up(numbers: set[int]) -> None:
    found = ranges(numbers)
    assert [n for first, last in found for n in range(first, last + 1)] == sorted(numbers)
    assert found.size == len(numbers)
    assert found.shown.size + found.more == len(numbers)
    assert found.shown.size + found.folded.size + found.beyond == len(numbers)
    assert found.few.size + found.after_few == len(numbers)


def test_what_is_not_shown_is_counted_in_steps() -> None:
    found = ranges(range(0, 200, 2))
    assert (len(found.few), found.after_few) == (5, 95)
    assert (len(found.shown), found.more) == (20, 80)
    assert (len(found.folded), found.beyond, found.last_step) == (30, 50, 198)
