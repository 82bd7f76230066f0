"""The best supported ways: `traces.causality` finds the same, and a few are found by hand."""

from __future__ import annotations

import time
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from attribution.explaining.ways import Hop, Way, Ways
from tests.attribution.explaining.scenes import RULE, outline
from tests.factories import make_step, make_transcript
from tests.traces.outline.test_columns import transcripts
from traces.causality import MINDS, SAME_INSTANCE, StepGraph, memories
from traces.outline import outline_of
from traces.transcript import Actor, ActorKind, Link, LinkKind, Transcript


def test_no_way_back_and_none_where_nothing_leads() -> None:
    ways = Ways(outline())
    assert ways.path(7, 0) is None
    assert ways.path(1, 2) is None
    assert ways.path(5, 6) is None


def test_a_way_to_itself_has_no_hop() -> None:
    assert Ways(outline()).path(3, 3) == Way()


def test_recorded_links_are_preferred_to_fewer_guessed_ones() -> None:
    found = Ways(outline(Link(0, 7, LinkKind.CONSUMES, RULE))).path(0, 7)
    assert found == Way((Hop(0, 2), Hop(2, 4), Hop(4, 5), Hop(5, 7)))
    assert found.guesses == 0


def test_guesses_name_their_rule_and_memory_is_one() -> None:
    found = Ways(outline()).path(1, 7)
    assert found == Way((Hop(1, 3, SAME_INSTANCE), Hop(3, 6), Hop(6, 7, RULE)))
    assert (found.guesses, found.steps) == (2, (1, 3, 6, 7))


def test_of_two_links_between_the_same_steps_the_recorded_one_counts() -> None:
    found = Ways(outline(Link(6, 7, LinkKind.PARENT))).path(6, 7)
    assert found == Way((Hop(6, 7),))


@given(transcripts(), st.data())
def test_the_way_is_as_good_as_the_one_over_objects(
    transcript: Transcript, data: st.DataObject
) -> None:
    size = len(transcript.steps)
    first, last = data.draw(st.tuples(st.integers(0, size - 1), st.integers(0, size - 1)))
    links = [*transcript.links, *memories(transcript, MINDS)]
    wanted = StepGraph(links).path(first, last)
    found = Ways(outline_of(transcript)).path(first, last)
    assert (found is None) == (wanted is None)
    if found is None or wanted is None:
        return
    assert len(found.hops) == len(wanted)
    assert found.guesses == sum(not link.recorded for link in wanted)
    ends = [first, *(hop.target for hop in found.hops)]
    assert ends[-1] == last
    assert [(hop.source, hop.target) for hop in found.hops] == list(pairwise(ends))
    there = {(link.source, link.target, link.rule) for link in links}
    assert set(found.hops) <= there


def test_a_way_through_fifty_thousand_steps_is_quick() -> None:
    names = ("a", "b", "c")
    actors = tuple(Actor(name, name, ActorKind.AGENT) for name in names)
    steps = tuple(make_step(n, names[n % 3]) for n in range(50_000))
    links = tuple(
        Link(n - 1, n, LinkKind.CONSUMES, "guess" * (n % 100 == 0)) for n in range(1, 50_000)
    )
    over = outline_of(make_transcript(*steps, actors=actors, links=links))
    began = time.perf_counter()
    found = Ways(over).path(0, 49_999)
    assert time.perf_counter() - began < 2
    assert found is not None
