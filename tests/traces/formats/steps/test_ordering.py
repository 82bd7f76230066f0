from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from time import perf_counter

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.factories import make_step
from traces.formats.steps.ordering import (
    causal_order,
    follows_conversation,
    follows_same_actor,
    seconds,
)
from traces.transcript import Link, LinkKind


def test_a_ring_is_cut_at_its_smallest_key_and_nothing_is_lost() -> None:
    assert causal_order([3, 1, 2], [(0, 1), (1, 2), (2, 0)]) == [1, 2, 0]


def test_a_step_that_precedes_itself_is_placed() -> None:
    assert causal_order([0], [(0, 0)]) == [0]


def test_links_come_before_keys() -> None:
    assert causal_order([1, 2, 3], [(2, 0)]) == [1, 2, 0]


def test_keys_decide_where_links_leave_a_choice() -> None:
    assert causal_order(["c", "a", "b"], []) == [1, 2, 0]


@settings(deadline=None)
@given(st.data())
def test_without_rings_every_link_goes_forward(data: st.DataObject) -> None:
    keys = data.draw(st.lists(st.integers(0, 5), min_size=1, max_size=12))
    index = st.integers(0, len(keys) - 1)
    pairs = data.draw(st.lists(st.tuples(index, index)))
    edges = [(min(pair), max(pair)) for pair in pairs if pair[0] != pair[1]]
    order = causal_order(keys, edges)
    place = {index: number for number, index in enumerate(order)}
    assert sorted(order) == list(range(len(keys)))
    assert all(place[source] < place[target] for source, target in edges)


def test_a_ring_costs_no_link_outside_of_it() -> None:
    # 0 hangs on the ring of 1 and 2 and has the smallest key; it leads to the ring of 3 and 4.
    edges = [(1, 2), (2, 1), (2, 0), (0, 3), (3, 4), (4, 3)]
    assert causal_order([0, 5, 6, 1, 2], edges) == [1, 2, 0, 3, 4]


@settings(deadline=None)
@given(st.data())
def test_a_link_that_points_back_is_on_a_ring(data: st.DataObject) -> None:
    keys = data.draw(st.lists(st.integers(0, 5), min_size=1, max_size=12))
    index = st.integers(0, len(keys) - 1)
    edges = data.draw(st.lists(st.tuples(index, index), max_size=30))
    order = causal_order(keys, edges)
    place = {index: number for number, index in enumerate(order)}
    assert sorted(order) == list(range(len(keys)))
    assert all(leads(edges, b, a) for a, b in edges if place[a] >= place[b])


def leads(edges: list[tuple[int, int]], first: int, last: int) -> bool:
    """Whether any way leads from one to the other, by trying as often as there are links."""
    reached = {first}
    for _ in edges:
        reached |= {target for source, target in edges if source in reached}
    return last in reached


def test_many_steps_in_rings_are_ordered_within_seconds() -> None:
    count = 50_000
    pairs = [(n, n + 1) for n in range(count - 1)] + [(n + 1, n) for n in range(0, count - 1, 2)]
    before = perf_counter()
    order = causal_order([-n for n in range(count)], [*pairs, (count - 1, 0)])
    assert perf_counter() - before < 5
    assert sorted(order) == list(range(count))


def test_a_step_without_time_comes_after_those_with_one() -> None:
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    assert sorted([None, moment], key=seconds) == [moment, None]


def test_times_are_compared_by_instant() -> None:
    utc = datetime(2026, 1, 1, 12, tzinfo=UTC)
    same = datetime(2026, 1, 1, 14, tzinfo=timezone(timedelta(hours=2)))
    assert seconds(utc) == seconds(same) == seconds(utc.replace(tzinfo=None))


def test_a_step_whose_predecessor_is_recorded_gets_no_guess() -> None:
    steps = [make_step(0, "a"), make_step(1, "b"), make_step(2, "a"), make_step(3, "a")]
    recorded = [Link(1, 2, LinkKind.CONSUMES)]
    (guess,) = follows_same_actor(steps, recorded)
    assert (guess.source, guess.target, guess.kind) == (2, 3, LinkKind.FOLLOWS)
    assert not guess.recorded


def test_in_a_conversation_each_step_follows_the_one_before() -> None:
    links = list(follows_conversation([make_step(n) for n in range(3)]))
    assert [(link.source, link.target) for link in links] == [(0, 1), (1, 2)]
    assert not any(link.recorded for link in links)
