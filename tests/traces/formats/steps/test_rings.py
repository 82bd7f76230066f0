from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from traces.formats.steps.rings import components

SIZE = 8


def test_steps_of_one_ring_have_the_same_and_others_themselves() -> None:
    found = components([[1], [2], [1, 3], [], [4]], range(5))
    assert found[1] == found[2]
    assert [found[n] for n in (0, 3, 4)] == [0, 3, 4]


def test_what_is_not_among_the_steps_is_left_out() -> None:
    assert components([[1], [2], [0]], {0: None, 1: None}) == {0: 0, 1: 1}


@given(st.lists(st.lists(st.integers(0, SIZE - 1), max_size=4), min_size=SIZE, max_size=SIZE))
def test_two_steps_have_the_same_if_each_leads_to_the_other(targets: list[list[int]]) -> None:
    reach = [{n} for n in range(SIZE)]
    for _ in range(SIZE):
        reach = [here.union(*(targets[n] for n in here)) for here in reach]
    found = components(targets, range(SIZE))
    for a in range(SIZE):
        for b in range(SIZE):
            assert (found[a] == found[b]) == (b in reach[a] and a in reach[b])
