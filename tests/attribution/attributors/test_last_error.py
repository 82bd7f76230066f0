from __future__ import annotations

from attribution.attributors.base import Proposal, Reading, Role, checked
from attribution.attributors.last_error import LastError
from tests.attribution.scenes import (
    actors,
    calls,
    consumes,
    decides,
    failed,
    retry,
    says,
    thinks,
    verifies,
)
from tests.factories import make_step
from traces.transcript import Link, LinkKind, Part, PartKind, StepKind, StepStatus, Transcript

KINDS = actors(planner="agent", coder="agent", verifier="agent", shell="tool", harness="harness")


def proposed(run: Transcript) -> list[Proposal]:
    return checked(LastError().propose(Reading.of(run)), run)


def steps(run: Transcript) -> list[int]:
    return [proposal.step for proposal in proposed(run)]


def breaks(number: int, actor: str = "harness", text: str = "budget exhausted"):
    part = Part(PartKind.ERROR, text)
    return make_step(number, actor, kind=StepKind.ERROR, parts=(part,))


def test_a_run_without_a_symptom_has_no_suspect():
    assert proposed(failed(says(0, "All is well."), calls(1, "run"))) == []


def test_who_made_the_call_that_failed_is_the_suspect():
    run = failed(says(0, "Go."), calls(1, "run", answer="no such file", status="error", path="x"))

    (only,) = proposed(run)

    assert (only.step, only.actor, only.part) == (1, "coder", Role.PRODUCED)
    assert only.rationale == "#1 ended in an error; coder made that call itself."
    assert [quote.text for quote in only.quotes] == ['{"path": "x"}', "no such file"]


def test_a_failed_check_leads_back_along_the_recorded_links():
    run = failed(
        calls(0, "repo.write", path="a.py"),
        calls(1, "mail", "planner"),
        says(2, "Approved.", "verifier"),
        verifies(3, "acceptance", "failed", "harness"),
        actors=KINDS,
        links=(consumes(0, 3),),
    )

    (only,) = proposed(run)

    assert (only.step, only.actor) == (0, "coder")
    assert only.rationale == (
        "#3 saw the check “acceptance” fail; "
        "coder acted at #0, the nearest action recorded before it."
    )
    assert [quote.step for quote in only.quotes] == [0, 3]


def test_links_are_followed_through_what_is_no_action():
    run = failed(
        decides(0, "ship it"),
        thinks(1, "Fine.", "planner"),
        breaks(2),
        actors=KINDS,
        links=(consumes(0, 1), consumes(1, 2)),
    )

    assert steps(run) == [0]


def test_a_nearer_input_comes_before_a_farther_one():
    run = failed(
        decides(0, "ship it"),
        calls(1, "build"),
        calls(2, "deploy"),
        breaks(3),
        actors=KINDS,
        links=(consumes(2, 3), consumes(0, 3), consumes(1, 2)),
    )

    assert steps(run) == [2]


def test_a_guessed_link_is_not_followed():
    run = failed(
        decides(0, "ship it"),
        calls(1, "build"),
        breaks(2),
        actors=KINDS,
        links=(Link(0, 2, LinkKind.CONSUMES, rule="named in the text"),),
    )

    (only,) = proposed(run)

    assert only.step == 1
    assert only.rationale == (
        "#2 ended in an error; "
        "coder acted at #1, the nearest action before it; no link is recorded."
    )


def test_an_agent_that_sees_a_check_fail_has_not_caused_it():
    run = failed(
        calls(0, "repo.merge"),
        verifies(1, "integration", "failed"),
        actors=KINDS,
        links=(consumes(0, 1),),
    )

    assert steps(run) == [0]


def test_what_was_got_over_is_no_symptom():
    run = failed(
        calls(0, "search", status="timeout"),
        calls(1, "search"),
        calls(2, "write", status="error"),
        links=(retry(0, 1),),
    )

    assert steps(run) == [2]


def test_the_last_three_distinct_causes_are_proposed_in_that_order():
    run = failed(*(calls(n, f"tool-{n}", status="error") for n in range(5)))

    found = proposed(run)

    assert [proposal.step for proposal in found] == [4, 3, 2]
    assert [proposal.score for proposal in found] == [0.4, 0.3, 0.2]


def test_two_symptoms_of_one_cause_are_one_proposal():
    run = failed(
        calls(0, "deploy"),
        verifies(1, "smoke", "failed", "harness"),
        verifies(2, "acceptance", "failed", "harness"),
        actors=KINDS,
        links=(consumes(0, 1), consumes(0, 2)),
    )

    assert steps(run) == [0]


def test_without_any_agent_the_apparatus_is_to_be_looked_at():
    run = failed(says(0, "begin", "shell"), breaks(1), actors=KINDS)

    (only,) = proposed(run)

    assert (only.step, only.actor, only.part) == (1, "harness", Role.APPARATUS)
    assert only.rationale.endswith("harness is all there is: no agent acted before.")


def test_a_time_out_is_called_one():
    run = failed(calls(0, "export", status="timeout"))

    assert proposed(run)[0].rationale == "#0 timed out; coder made that call itself."


def test_a_check_without_a_name_is_one_too():
    part = Part(PartKind.VERIFICATION, "no", {"verdict": "failed"})
    run = failed(calls(0, "x"), make_step(1, "harness", parts=(part,)), actors=KINDS)

    assert proposed(run)[0].rationale.startswith("#1 saw a check fail;")


def test_a_cause_without_any_text_cannot_be_proposed():
    silent = make_step(0, status=StepStatus.ERROR, parts=(Part(PartKind.TOOL_REQUEST, ""),))

    assert proposed(failed(silent)) == []
