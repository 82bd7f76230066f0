"""What one explanation explains: signs sorted by hand, and every sign in exactly one place."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from attribution.explaining import Explanation
from attribution.explaining.explanation import MOST_CARRIERS, Account, Quoted, signs_of
from attribution.explaining.ways import Hop, Ways
from tests.attribution.explaining.scenes import RULE, candidate, outline
from tests.factories import make_step, make_transcript
from tests.traces.outline.test_columns import transcripts
from traces.causality import MINDS, StepGraph, memories
from traces.outline import Outline, outline_of
from traces.transcript import Link, LinkKind, Transcript


def account(explanation: Explanation, over: Outline | None = None) -> Account:
    over = outline() if over is None else over
    return Account("A", explanation, over, Ways(over), signs_of(over, [7]))


def test_what_is_no_step_of_the_run_is_left_out() -> None:
    quotes = (Quoted(2, 0, 0, 4, "Text"), Quoted(99, 0, 0, 4, "Text"))
    turned_down = ((3, "No."), (2**31 - 1, "No."))
    given = candidate(1, 8, 2**31 - 1, carriers=(9, 5), quotes=quotes, turned_down=turned_down)
    found = account(given)
    assert (found.step, found.explanation.exposing, found.carriers) == (None, None, (5,))
    assert found.explanation.quotes == quotes[:1]
    assert found.explanation.turned_down == turned_down[:1]
    assert (found.reach, found.direct, found.way.hops, found.steps) == ("", None, (), frozenset())
    assert found.unexplained == [3, 7]


def test_signs_are_steps_that_exposed_it_ended_badly_or_failed_a_check() -> None:
    signs = signs_of(outline(), [2, None, 99])
    assert np.flatnonzero(signs.all).tolist() == [2, 3, 7]
    assert signs.words(2) == "exposed the failure"
    assert signs.words(3) == "ended badly"
    assert signs_of(outline(), [7]).words(7) == "exposed the failure, a check failed"


def test_recorded_links_explain_surely() -> None:
    found = account(candidate(1, 0))
    assert (found.at_it, found.explained, found.perhaps_explained) == ([], [7], [])
    assert (found.unexplained, found.reach, found.passed) == ([3], "recorded", [4])


def test_memory_and_inferred_links_explain_perhaps() -> None:
    found = account(candidate(1, 1))
    assert (found.explained, found.perhaps_explained) == ([], [3, 7])
    assert (found.unexplained, found.reach, found.passed) == ([], "guessed", [])


def test_a_sign_at_the_step_itself_is_told_apart() -> None:
    found = account(candidate(1, 7))
    assert (found.at_it, found.unexplained, found.reach) == ([7], [3], "here")
    assert found.way.hops == ()
    assert found.steps == {7}


def test_what_stands_after_the_exposing_step_cannot_lead_there() -> None:
    found = account(candidate(1, 5, 3))
    assert (found.reach, found.way.hops, found.steps) == ("not at all", (), {3, 5})


def test_carriers_in_a_row_are_passed_in_order() -> None:
    found = account(candidate(1, 0, carriers=(2, 5)))
    assert found.way.hops == (Hop(0, 2), Hop(2, 4), Hop(4, 5), Hop(5, 7))
    assert found.undrawn == []


def test_carriers_beside_each_other_make_the_path_branch() -> None:
    over = outline(Link(0, 3, LinkKind.CONSUMES))
    found = account(candidate(1, 0, carriers=(2, 3)), over)
    assert found.way.hops == (
        Hop(0, 2), Hop(0, 3), Hop(2, 4), Hop(4, 5), Hop(3, 6), Hop(5, 7), Hop(6, 7, RULE)
    )  # fmt: skip


def test_carriers_that_nothing_leads_to_are_told() -> None:
    found = account(candidate(1, 2, carriers=(1, 3, 5)))
    assert found.undrawn == [1, 3]
    assert found.way.hops == (Hop(2, 4), Hop(4, 5), Hop(5, 7))


def test_very_many_carriers_are_not_all_walked() -> None:
    steps = [make_step(n, f"a{n}") for n in range(60)]
    links = tuple(Link(n - 1, n, LinkKind.CONSUMES) for n in range(1, 60))
    shortcut = Link(MOST_CARRIERS, 59, LinkKind.CONSUMES)
    over = outline_of(make_transcript(*steps, links=(*links, shortcut)))
    found = account(candidate(1, 0, 59, carriers=tuple(range(1, 59))), over)
    assert found.steps == {*range(MOST_CARRIERS + 1), 59}
    assert found.undrawn == list(range(MOST_CARRIERS + 1, 59))


@given(transcripts(), st.data())
def test_every_sign_is_in_one_place_and_the_path_is_linked(
    transcript: Transcript, data: st.DataObject
) -> None:
    step = st.integers(0, len(transcript.steps) + 1)
    first, last = data.draw(step), data.draw(step)
    carriers = tuple(data.draw(st.lists(step, max_size=5)))
    over = outline_of(transcript)
    signs = signs_of(over, data.draw(st.lists(step, max_size=4)))
    given = Explanation("d", "My draft", first, exposing=last, carriers=carriers)
    found = Account("A", given, over, Ways(over), signs)
    sorted_out = [*found.at_it, *found.explained, *found.perhaps_explained, *found.unexplained]
    assert sorted(sorted_out) == np.flatnonzero(signs.all).tolist()
    there = {
        (link.source, link.target, link.rule)
        for link in (*transcript.links, *memories(transcript, MINDS))
    }
    assert set(found.way.hops) <= there
    graph = StepGraph(Link(a, b, LinkKind.CONSUMES) for a, b, _ in found.way.hops)
    for each in set(found.way.steps) - {first}:
        assert graph.happens_before(first, each)
    for each in set(found.way.steps) - {last}:
        assert not found.after[last] or graph.happens_before(each, last) or each in carriers
