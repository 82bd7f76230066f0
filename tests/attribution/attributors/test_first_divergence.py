from __future__ import annotations

import pytest

from attribution.attributors.base import Proposal, Reading, Role, checked
from attribution.attributors.first_divergence import FirstDivergence
from tests.attribution.scenes import (
    actors,
    calls,
    changes,
    consumes,
    decides,
    failed,
    passed,
    says,
    verifies,
)
from tests.factories import make_step
from traces.transcript import Part, PartKind, StepKind, Transcript


def proposed(run: Transcript, reference: Transcript) -> list[Proposal]:
    return checked(FirstDivergence().propose(Reading.of(run, reference)), run)


def test_without_a_reference_nothing_is_proposed():
    assert FirstDivergence().needs_reference
    assert FirstDivergence().propose(Reading.of(failed(says(0, "x")))) == []


def test_the_same_run_has_no_suspect():
    run = failed(says(0, "Go."), decides(1, "wait"))

    assert proposed(run, run) == []


def test_the_choice_that_differs_comes_first_with_its_words():
    run = failed(
        calls(0, "search", "planner", query="which fees hold now"),
        decides(1, "mail now"),
        says(2, "Done."),
    )
    reference = passed(
        calls(0, "search", "planner", query="fees in force"),
        decides(1, "ask owner"),
        says(2, "Done."),
    )

    first, second = proposed(run, reference)

    assert (first.step, first.actor, first.part) == (1, "planner", Role.PRODUCED)
    assert first.rationale == (
        "Compared with passed: planner chooses “mail now” instead of “ask owner”."
    )
    assert [quote.text for quote in first.quotes] == ["I choose mail now."]
    assert second.step == 0
    assert first.score > second.score


def test_at_most_three_steps_are_proposed():
    run = failed(*(decides(n, f"plan {n}") for n in range(6)))
    reference = passed(*(decides(n, f"scheme {n + 10}") for n in range(6)))

    assert [proposal.step for proposal in proposed(run, reference)] == [0, 1, 2]


def test_the_message_on_which_the_choice_rests_comes_second():
    order = says(0, "Write the module. Totals have two places.", "planner")
    full = says(0, "Write the module; round each row half to even, then sum.", "planner")
    other = calls(2, "write", path="a.py", text="x = 1")
    run = failed(order, decides(1, "sum exact", "coder"), other, links=(consumes(0, 1),))
    reference = passed(full, decides(1, "round per row", "coder"), calls(2, "write", path="b.py"))

    first, second, _ = proposed(run, reference)

    assert (first.step, second.step, second.actor) == (1, 0, "planner")
    assert second.rationale == "#1 rests on this message, worded otherwise in passed."
    assert second.score == pytest.approx(0.9 * first.score, abs=1e-4)


def test_a_message_that_says_the_same_there_is_no_suspect():
    order = says(0, "Write the module; round each row half to even, then sum.", "planner")
    run = failed(order, decides(1, "sum exact", "coder"), links=(consumes(0, 1),))
    reference = passed(order, decides(1, "round per row", "coder"))

    assert [proposal.step for proposal in proposed(run, reference)] == [1]


def test_what_a_tool_or_the_actor_itself_said_is_no_message_to_it():
    kinds = actors(coder="agent", shell="tool")
    run = failed(
        says(0, "My own note, in this run only.", "coder"),
        says(1, "Printed here and nowhere else!", "shell"),
        decides(2, "sum exact", "coder"),
        actors=kinds,
        links=(consumes(0, 2), consumes(1, 2)),
    )
    reference = passed(decides(0, "round per row", "coder"), actors=kinds)

    assert "rests on" not in " ".join(p.rationale for p in proposed(run, reference))


def test_a_check_only_the_reference_made_was_missed_by_who_acted_instead():
    run = failed(calls(0, "build"), says(1, "Approved, all is fine.", "verifier"))
    reference = passed(
        calls(0, "build"),
        verifies(1, "interface is current", "passed", "verifier"),
        says(2, "Approved, all is fine.", "verifier"),
    )

    (only,) = proposed(run, reference)

    assert (only.step, only.actor, only.part) == (1, "verifier", Role.MISSED)
    assert only.rationale == (
        "Compared with passed: only the other run:"
        " verifier verifies: `interface is current` passed."
    )


def test_a_step_of_a_role_this_run_does_not_have_is_nobodys():
    run = failed(calls(0, "build"))
    reference = passed(calls(0, "build"), verifies(1, "lint", "passed", "verifier"))

    assert proposed(run, reference) == []


def test_a_last_step_only_there_points_to_what_that_role_did_last():
    run = failed(decides(0, "go", "planner"), calls(1, "build"))
    reference = passed(
        decides(0, "go", "planner"), calls(1, "build"), decides(2, "wait for b", "planner")
    )

    assert [proposal.step for proposal in proposed(run, reference)] == [0]


def test_what_the_apparatus_shows_is_for_the_apparatus():
    kinds = actors(grader="evaluator")
    run = failed(changes(0, "fixture", "2024", "grader"), actors=kinds)
    reference = passed(changes(0, "fixture", "2026", "grader"), actors=kinds)

    assert [proposal.part for proposal in proposed(run, reference)] == [Role.APPARATUS]


def test_a_step_without_text_is_passed_over():
    state = Part(PartKind.STATE, "", {"artifact": "plan", "after": "x"})
    run = failed(make_step(0, kind=StepKind.STATE, parts=(state,)))

    assert proposed(run, passed(changes(0, "plan", "y"))) == []
