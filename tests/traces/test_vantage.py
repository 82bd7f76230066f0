"""One step's view of a run, by a worked example.

0 task -> 1 plan -> 2 coder-a tries -> 4 tries again -> 5 joins
                 -> 3 coder-b works ------------------> 5      .. 6 (inferred)
"""

from __future__ import annotations

import pytest

from tests.factories import make_step, make_transcript
from traces.transcript import Link, LinkKind, Transcript
from traces.vantage import ENDS, vantage, way

ACTORS = ("owner", "planner", "a", "b", "a", "planner", "planner")


@pytest.fixture
def run() -> Transcript:
    steps = (make_step(number, actor) for number, actor in enumerate(ACTORS))
    pairs = ((0, 1), (1, 2), (1, 3), (4, 5), (3, 5))
    links = [Link(one, other, LinkKind.CONSUMES) for one, other in pairs]
    retry = Link(2, 4, LinkKind.RETRY_OF)
    guess = Link(5, 6, LinkKind.FOLLOWS, "previous step of the same actor")
    return make_transcript(*steps, links=(*links, retry, guess))


def test_what_came_before_and_what_came_of_it(run: Transcript) -> None:
    seen = vantage(run, 3)
    assert (str(seen.ancestors.all), str(seen.descendants.all)) == ("0-1", "5-6")
    assert str(seen.descendants.recorded) == "5"
    assert (str(seen.visible), str(seen.unseen)) == ("0-1", "2")
    assert [link.source for link in seen.inputs] == [1]
    assert [link.target for link in seen.outputs] == [5]


def test_the_first_step_has_nothing_before_it(run: Transcript) -> None:
    seen = vantage(run, 0)
    assert (seen.ancestors.all.size, seen.visible.size, seen.unseen.size) == (0, 0, 0)


def test_attempts_are_followed_both_ways(run: Transcript) -> None:
    for number, repeats in ((2, None), (4, 2)):
        seen = vantage(run, number)
        assert [step.number for step in seen.attempts] == [2, 4]
        assert seen.repeats == repeats
    assert vantage(run, 3).attempts == ()


def test_a_third_attempt_leads_back_to_the_first() -> None:
    links = (Link(0, 1, LinkKind.RETRY_OF), Link(1, 2, LinkKind.RETRY_OF))
    run = make_transcript(*(make_step(n) for n in range(3)), links=links)
    assert [step.number for step in vantage(run, 0).attempts] == [0, 1, 2]


def test_the_path_says_how_much_of_it_is_guessed(run: Transcript) -> None:
    found = way(run, 6, 0)
    assert (found.first, found.last, found.length, found.guesses) == (0, 6, 4, 1)
    assert [link.target for link in found.begin] == [1, 3, 5, 6]
    assert not found.end


def test_a_recorded_path_is_preferred_to_a_shorter_guess() -> None:
    guess = Link(0, 2, LinkKind.FOLLOWS, "order")
    links = (guess, Link(0, 1, LinkKind.CONSUMES), Link(1, 2, LinkKind.CONSUMES))
    found = way(make_transcript(*(make_step(n) for n in range(3)), links=links), 0, 2)
    assert (found.length, found.guesses) == (2, 0)


def test_between_concurrent_steps_there_is_no_path(run: Transcript) -> None:
    assert not way(run, 2, 3).found
    assert (way(run, 2, 2).found, way(run, 2, 2).length) == (True, 0)


def test_of_a_long_path_both_ends_are_kept() -> None:
    count = 2 * ENDS + 11
    links = tuple(Link(n, n + 1, LinkKind.CONSUMES) for n in range(count))
    found = way(make_transcript(*(make_step(n) for n in range(count + 1)), links=links), 0, count)
    assert (found.length, found.between) == (count, 11)
    assert (found.begin[0].source, found.end[-1].target) == (0, count)
