"""Who changed what from what to what, and who raced: small runs worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest

from tests.factories import make_step, make_transcript
from tests.patience import seconds_of
from tests.traces.gaps.pieces import says, state
from traces import states
from traces.transcript import Link, LinkKind, Step, Transcript


def writes(number: int, actor: str, before: str | None, after: str, **more: Any) -> Step:
    return make_step(number, actor, parts=(state("app", before, after, **more),))


def run(*steps: Step, links: tuple[tuple[int, int], ...] = ((0, 1), (0, 2))) -> Transcript:
    recorded = tuple(Link(source, target, LinkKind.CONSUMES) for source, target in links)
    return make_transcript(*steps, links=recorded)


def test_a_run_without_states_has_no_history_and_no_race() -> None:
    assert states.histories(make_transcript()) == {}
    assert states.races(make_transcript()) == []


def test_each_artifact_has_its_history_in_order() -> None:
    transcript = make_transcript(
        make_step(0, parts=(state("plan", None, "plan@1", "Begun.\n\nartifact: plan"),)),
        make_step(1, parts=(state("app", "1", "2"), state("plan", "plan@1", "plan@2"))),
    )
    known = states.histories(transcript)
    assert list(known) == ["plan", "app"]
    assert [(each.step, each.after) for each in known["plan"]] == [(0, "plan@1"), (1, "plan@2")]
    assert known["plan"][0].change == "Begun."


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        ("1", "2", "Step 4 changed app from 1 to 2."),
        (None, "2", "Step 4 left app at 2."),
        ("1", None, "Step 4 changed app from 1 to no version."),
        ("1", "1", "Step 4 left app unchanged at 1."),
        (None, None, "Step 4 changed app; the versions are not recorded."),
    ],
)
def test_a_transition_says_what_it_is(before: Any, after: Any, sentence: str) -> None:
    assert states.Transition("app", 4, before, after).sentence() == sentence


def test_two_who_did_not_know_of_each_other_raced() -> None:
    transcript = run(
        make_step(0),
        writes(1, "ann", "1", "2a"),
        writes(2, "bob", "1", "2b"),
        writes(3, "queue", "2a", "2b", accepted="2b (bob)", rule="last one wins"),
        links=((0, 1), (0, 2), (1, 3), (2, 3)),
    )
    (race,) = states.races(transcript)
    assert race.steps == (1, 2)
    assert [each.step for each in race.losers] == [1]
    assert [each.step for each in race.winners] == [2]
    assert race.sentence() == (
        "Steps 1, 2 raced on app from 1; accepted was 2b (bob), by the rule last one wins."
    )


def test_a_race_that_nobody_settled_says_so() -> None:
    transcript = run(make_step(0), writes(1, "ann", "1", "2a"), writes(2, "bob", "1", "2b"))
    (race,) = states.races(transcript)
    assert race.winners == race.losers == ()
    assert "does not say which version was accepted" in race.sentence()


@pytest.mark.parametrize(
    ("second", "links"),
    [("bob", ((0, 1), (1, 2))), ("ann", ((0, 1), (0, 2)))],
    ids=["consumed it", "same instance"],
)
def test_who_knew_of_the_other_did_not_race(
    second: str, links: tuple[tuple[int, int], ...]
) -> None:
    transcript = run(
        make_step(0), writes(1, "ann", "1", "2a"), writes(2, second, "1", "2b"), links=links
    )
    assert states.races(transcript) == []


def test_without_recorded_links_only_words_tell_of_a_race() -> None:
    silent = (writes(0, "ann", "1", "2a"), writes(1, "bob", "1", "2b"))
    assert states.races(make_transcript(*silent)) == []
    told = writes(1, "bob", "1", "2b", against=["s0"], resolution="rejected", rule="if-match")
    (race,) = states.races(make_transcript(silent[0], told))
    assert race.steps == (0, 1)
    assert [each.step for each in race.losers] == [1]


def test_two_who_made_the_same_thing_anew_raced() -> None:
    steps = (make_step(0), writes(1, "ann", None, "v1"), writes(2, "bob", None, "v2"))
    (race,) = states.races(run(*steps))
    assert (race.steps, race.before) == ((1, 2), None)
    assert race.sentence().startswith("Steps 1, 2 raced on app; the record does not say")
    known = ((0, 1), (1, 2))
    assert states.races(run(*steps, links=known)) == []


def test_resolutions_say_who_won() -> None:
    transcript = run(
        make_step(0),
        writes(1, "ann", "1", "2a", resolution="accepted", against=["s2"]),
        writes(2, "bob", "1", "2b", resolution="rejected", against=["s1"], rule="first wins"),
    )
    (race,) = states.races(transcript)
    assert (race.accepted, race.rule) == ("2a", "first wins")
    assert [each.step for each in race.winners] == [1]


def test_who_goes_on_from_a_contender_is_none() -> None:
    transcript = run(
        make_step(0),
        writes(1, "ann", "1", "2a"),
        writes(2, "bob", "1", "2b"),
        writes(3, "merge", "1", "2a"),
        links=((0, 1), (0, 2), (1, 3)),
    )
    (race,) = states.races(transcript)
    assert race.steps == (1, 2)


def test_a_write_that_was_checked_and_taken_is_no_race() -> None:
    steps = [writes(n, "ann", str(n), str(n + 1), accepted=str(n + 1)) for n in range(3)]
    assert states.races(run(*steps)) == []


def test_fifty_thousand_steps_take_less_than_a_second() -> None:
    steps = [
        make_step(n, f"a{n % 20}", parts=(state(f"f{n % 500}", str(n // 500), str(n // 500 + 1)),))
        for n in range(50_000)
    ]
    links = tuple(Link(n, n + 1, LinkKind.CONSUMES) for n in range(0, 49_999, 2))
    transcript = make_transcript(*steps, make_step(50_000, parts=(says(),)), links=links)
    assert states.races(transcript) == []
    assert seconds_of(lambda: states.races(transcript)) < 1
