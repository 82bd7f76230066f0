"""What separates two explanations, sentence by sentence, from a run that fits on a page."""

from __future__ import annotations

from dataclasses import replace

from attribution.explaining import Explanation, Quoted
from attribution.explaining.facts import MOST_NAMED, named
from tests.attribution.explaining.scenes import candidate, explained, outline, text
from traces.outline import Outline


def facts(a: Explanation, b: Explanation, over: Outline | None = None) -> list[str]:
    return [text(sentence) for sentence in explained(a, b, over=over).facts]


def test_nothing_is_told_of_fewer_than_two() -> None:
    for found in (explained(), explained(candidate(1, 0))):
        assert (found.accounts, found.facts, found.rows, found.paths) == ([], [], [], [])


def test_a_later_step_that_recorded_links_lead_to_may_be_a_consequence() -> None:
    assert facts(candidate(1, 5), candidate(2, 0)) == [
        "A may be a consequence of B: 3 links, all recorded, lead from #0 to #5.",
        "A names a step of coder, B one of planner.",
        "On both paths, 2 of them: #5, #7.",
        "Only on the path of B: #0, #2, #4.",
        "Neither can explain #3.",
        "Between #0 and #5, 1 check passed that recorded links lead to from B: #4.",
    ]


def test_a_guess_on_the_way_leaves_it_open() -> None:
    assert facts(candidate(1, 1), candidate(2, 6))[:2] == [
        "Whether B can be a consequence of A is open: from #1 to #6 2 links lead, 1 of them "
        "guessed (previous step of the same instance, into #3).",
        "A names a step of scout, B one of page.",
    ]


def test_concurrent_steps_are_said_to_be_so() -> None:
    assert facts(candidate(1, 1), candidate(2, 5)) == [
        "Neither can have affected the other as far as the record shows: #1 (A) and #5 (B) are "
        "concurrent.",
        "A names a step of scout, B one of coder.",
        "On both paths, 1 of them: #7.",
        "Only on the path of A: #1, #3, #6.",
        "Only on the path of B: #5.",
        "Only A can explain #3.",
        "Between #1 and #5, 1 check passed that nothing leads to from A: #4.",
    ]


def test_the_same_step_may_differ_in_its_part() -> None:
    a, b = candidate(1, 2, part="produced it"), candidate(2, 2, part="failed to catch it")
    assert (
        facts(a, b)[0]
        == "Both name #2; they differ in its part: failed to catch it or produced it."
    )
    assert facts(a, replace(b, part=""))[0] == "Both name #2."
    assert facts(candidate(1, 2), candidate(2, 5))[1] == "Both steps are of coder."


def test_other_exposing_steps_and_paths_apart_are_told() -> None:
    found = facts(candidate(1, 0, 4), candidate(2, 3, 6))
    assert "They name different exposing steps: A #4, B #6." in found
    assert "The paths share no step." in found


def test_without_a_step_the_rest_is_still_told() -> None:
    assert facts(candidate(1, None), candidate(2, 0)) == [
        "A names no step of this run.",
        "On both paths, 1 of them: #7.",
        "Only on the path of B: #0, #2, #4, #5.",
        "Only B can explain #7.",
        "Neither can explain #3.",
    ]


def test_quotes_are_told_by_whether_they_are_shared_and_on_whose_path() -> None:
    shared, overlapping = Quoted(5, 0, 0, 6, "Merged"), Quoted(5, 0, 4, 7, "ed.")
    alone, off = Quoted(0, 0, 0, 3, "Use"), Quoted(1, 0, 0, 2, "{}")
    a = candidate(1, 0, quotes=(shared, alone, off))
    b = candidate(2, 5, quotes=(overlapping,))
    assert facts(a, b)[-3:] == [
        "Both quote #5: Merged",
        "Only A quotes #0, on the path of A: Use",
        "Only A quotes #1, on neither path: {}",
    ]


def test_what_one_turned_down_of_the_other_is_told() -> None:
    a = candidate(1, 0, turned_down=((5, "It only merged."), (3, "No."), (5, "")))
    found = facts(a, candidate(2, 5))
    assert "A considered #5, the step of B: It only merged." in found
    assert "A considered #5, the step of B: no reason given" in found
    assert not any("No." in sentence for sentence in found)


def test_of_many_steps_the_first_are_named() -> None:
    assert text(tuple(named(range(MOST_NAMED + 2)))) == "#0, #1, #2, #3, #4, #5 and 2 more"


def test_the_table_has_a_row_for_what_any_of_them_answers() -> None:
    a = candidate(1, 0, by="first@1", contracts=("Checks.",))
    found = explained(a, candidate(2, 1), over=outline())
    table = {row.label: [[text(s) for s in answer] for answer in row.answers] for row in found.rows}
    assert table == {
        "Path to what exposed the failure": [
            ["#7 is reached by recorded links.", "4 links, all recorded: #0, #2, #4, #5, #7"],
            ["#7 is reached only by guesses.", "3 links, 2 guessed: #1, #3, #6, #7"],
        ],
        "Can explain": [
            ["1 of 2 signs.", "By recorded links: #7 exposed the failure, a check failed"],
            [
                "2 of 2 signs.",
                "Only by guesses: #3 ended badly, #7 exposed the failure, a check failed",
            ],
        ],
        "Cannot explain": [["1: #3 ended badly"], []],
        "Checks passed on the way": [["By recorded links: #4"], []],
        "Contract in force": [["Checks."], []],
        "Whose it is": [["first@1"], []],
    }
