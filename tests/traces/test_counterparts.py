from __future__ import annotations

from dataclasses import replace

import pytest

from tests.factories import make_step, make_transcript
from traces.counterparts import Counterparts
from traces.transcript import Failure, Opinion, Part, PartKind, Transcript

WORDS = "Use v1. It is simpler. Use v1."


def says(*texts: str, kind: PartKind = PartKind.MESSAGE) -> tuple[Part, ...]:
    return tuple(Part(kind, text) for text in texts)


def run(*steps: tuple[str, tuple[Part, ...]]) -> Transcript:
    numbered = enumerate(steps)
    return make_transcript(
        *(make_step(number, source_id=name, parts=parts) for number, (name, parts) in numbered)
    )


BEFORE = run(("a", says("First.")), ("b", says("No.", WORDS)))


def place(after: Transcript, *anchor: int) -> tuple[int, int, int, int] | None:
    return Counterparts(BEFORE, after).place(*anchor)


def test_a_step_is_known_by_the_id_of_its_source_wherever_it_stands() -> None:
    after = run(("new", says("?")), ("b", says(WORDS)), ("a", says("First.")))
    assert Counterparts(BEFORE, after).numbers == {0: 2, 1: 1}


def test_a_step_that_is_gone_has_no_number() -> None:
    readings = Counterparts(BEFORE, run(("b", says(WORDS))))
    assert [readings.step(number) for number in (0, 1, 7, None)] == [None, 0, None, None]


def test_of_two_steps_with_one_id_the_second_stays_the_second() -> None:
    before = run(("x", says("1")), ("x", says("2")))
    after = run(("y", says("0")), ("x", says("1")), ("x", says("2")))
    assert Counterparts(before, after).numbers == {0: 1, 1: 2}


def test_a_quote_follows_its_text_to_another_part() -> None:
    assert place(run(("b", says("Thinking.", "No.", WORDS))), 1, 1, 8, 22) == (0, 2, 8, 22)


def test_a_quote_stays_where_its_words_still_stand() -> None:
    assert place(run(("b", says("No.", f"{WORDS} More."))), 1, 1, 0, 7) == (0, 1, 0, 7)


def test_a_quote_follows_words_that_the_step_says_once() -> None:
    assert place(run(("b", says(f"planner: {WORDS}"))), 1, 1, 8, 22) == (0, 0, 17, 31)


@pytest.mark.parametrize(
    "after",
    [
        run(("a", says("First."))),
        run(("b", says("Something else."))),
        # The words stand there twice: which of them was meant is not known.
        run(("b", says(f"planner: {WORDS}"))),
        # Said by a tool, they are other evidence.
        run(("b", says("x" * 9 + "Use v1.", kind=PartKind.TOOL_RESPONSE))),
    ],
)
def test_a_quote_that_is_not_found_is_nowhere(after: Transcript) -> None:
    assert place(after, 1, 1, 0, 7) is None


@pytest.mark.parametrize("anchor", [(1, 5, 0, 7), (9, 0, 0, 7), (1, 1, 3, 3)])
def test_an_anchor_into_nothing_is_nowhere_or_stays_empty(anchor: tuple[int, ...]) -> None:
    found = place(run(("b", says("No.", "Other."))), *anchor)
    assert found is None or found[2] == found[3]


def test_more_at_the_end_moves_nothing() -> None:
    after = run(("a", says("First.", "Second.")), ("b", says("No.", WORDS)), ("c", says("!")))
    assert not Counterparts(BEFORE, after).moved


@pytest.mark.parametrize(
    "after",
    [
        run(("b", says("No.", WORDS)), ("a", says("First."))),
        run(("a", says("First.")), ("b", says("Well.", "No.", WORDS))),
        run(("a", says("First."))),
    ],
)
def test_other_numbers_and_other_ranges_are_moves(after: Transcript) -> None:
    assert Counterparts(BEFORE, after).moved


def test_labels_and_what_people_added_make_no_other_reading() -> None:
    added = Failure("added-1", "It broke later.", origin="person", added_by="ada")
    after = replace(
        BEFORE,
        opinions=(Opinion("raters", "1", 0, 1, "planner"),),
        withheld={"answer": 42},
        failures=(*BEFORE.failures, added),
    )
    assert Counterparts(BEFORE, after).alike
    assert not Counterparts(BEFORE, replace(BEFORE, task_text="Another.")).alike
