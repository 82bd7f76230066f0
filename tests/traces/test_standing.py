from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.factories import make_step, make_transcript
from traces.causality import could_see
from traces.standing import could_reach, standing
from traces.transcript import Actor, ActorKind, Link, LinkKind

CONSUMES = LinkKind.CONSUMES


@pytest.mark.parametrize(
    ("other", "relation"),
    [
        (0, "perhaps_before"),
        (1, "before"),
        (2, "concurrent"),
        (3, "here"),
        (4, "after"),
        (5, "perhaps_after"),
    ],
)
def test_memory_and_guesses_are_told_from_recorded_links(other: int, relation: str) -> None:
    """Of 0 the actor of 1 remembers, and 5 was linked by a guess."""
    steps = [make_step(n, actor) for n, actor in enumerate("aabcde")]
    links = (Link(1, 3, CONSUMES), Link(3, 4, CONSUMES), Link(3, 5, LinkKind.FOLLOWS, "order"))
    assert standing(make_transcript(*steps, links=links), 3).relation(other) == relation


pairs = st.sets(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=12)


@given(pairs, st.lists(st.sampled_from("abcd"), min_size=10, max_size=10))
def test_a_step_reaches_exactly_those_that_could_see_it(
    linked: set[tuple[int, int]], actors: list[str]
) -> None:
    links = tuple(Link(a, b, CONSUMES) for a, b in linked if a < b)
    kinds = {"a": ActorKind.AGENT, "b": ActorKind.HUMAN, "c": ActorKind.TOOL}
    run = make_transcript(
        *(make_step(n, actor) for n, actor in enumerate(actors)),
        links=links,
        actors=tuple(Actor(key, key, kinds.get(key, ActorKind.HARNESS)) for key in "abcd"),
    )
    for step in range(10):
        seers = {n for n in range(10) if step in could_see(run, n)}
        assert could_reach(run, step) == seers
