"""A failure comes from what the record shows, and only for a run recorded as failed."""

from __future__ import annotations

from dataclasses import replace
from time import process_time

import pytest

from tests.factories import make_step, make_transcript
from traces.failures import recognised
from traces.transcript import (
    Actor,
    ActorKind,
    Failure,
    Link,
    LinkKind,
    Outcome,
    Part,
    PartKind,
    Report,
    Step,
    StepStatus,
)


def check(verdict: str, name: str = "ci", **data: str) -> Part:
    return Part(PartKind.VERIFICATION, "", {"check": name, "verdict": verdict, **data})


def failure_of(*steps: Step, reports: tuple[Report, ...] = ()) -> Failure:
    (failure,) = recognised(make_transcript(*steps, failures=(), reports=reports))
    return failure


@pytest.mark.parametrize("outcome", [Outcome.SUCCEEDED, Outcome.UNKNOWN])
def test_a_run_not_recorded_as_failed_has_none(outcome: Outcome) -> None:
    step = make_step(0, parts=(check("failed"),), status=StepStatus.ERROR)
    assert recognised(make_transcript(step, outcome=outcome)) == ()


def test_what_the_file_states_is_believed() -> None:
    stated = Failure("f1", "It broke.")
    assert recognised(make_transcript(make_step(0), failures=(stated,))) == (stated,)


def test_each_check_that_was_never_passed_again_is_a_failure() -> None:
    steps = (
        make_step(0, parts=(check("failed", "lint"), check("failed", "types"))),
        make_step(1, parts=(check("failed", "ci", expected="201", observed="500"),)),
        make_step(2, parts=(check("failed", "ci", expected="201", observed="410"),)),
        make_step(3, parts=(check("passed", "types"),)),
    )
    assert recognised(make_transcript(*steps, failures=())) == (
        Failure("check:lint", 'The check "lint" failed.', check="lint", exposed_by=0),
        Failure("check:ci", 'The check "ci" failed.', "201", "410", check="ci", exposed_by=2),
    )


def test_a_check_that_failed_after_it_passed_is_a_failure() -> None:
    steps = (make_step(0, parts=(check("passed"),)), make_step(1, parts=(check("failed"),)))
    assert failure_of(*steps).exposed_by == 1


@pytest.mark.parametrize("later", ["skipped", "inconclusive"])
def test_only_a_pass_clears_a_failure(later: str) -> None:
    steps = (make_step(0, parts=(check("failed"),)), make_step(1, parts=(check(later),)))
    assert failure_of(*steps).exposed_by == 0


@pytest.mark.parametrize(
    ("links", "key"),
    [((), "outcome"), (((0, 2),), "check:ci"), (((0, 1), (1, 2)), "outcome")],
)
def test_a_pass_by_somebody_who_could_not_know_clears_nothing(
    links: tuple[tuple[int, int], ...], key: str
) -> None:
    """Where no link is recorded the order of the steps is all there is."""
    steps = (
        make_step(0, "a"),
        make_step(1, "b", parts=(check("failed"),)),
        make_step(2, "c", parts=(check("passed"),)),
    )
    recorded = tuple(Link(*pair, LinkKind.CONSUMES) for pair in links)
    (failure,) = recognised(make_transcript(*steps, failures=(), links=recorded))
    assert failure.key == key


def test_who_failed_it_may_pass_it_again() -> None:
    actors = (Actor("a", "a", ActorKind.AGENT), Actor("ci", "ci", ActorKind.TOOL))
    steps = (
        make_step(0, "a"),
        make_step(1, "ci", parts=(check("failed"),)),
        make_step(2, "ci", parts=(check("passed"),)),
    )
    links = (Link(0, 1, LinkKind.CONSUMES),)
    (failure,) = recognised(make_transcript(*steps, failures=(), links=links, actors=actors))
    assert failure.key == "outcome"


def test_very_many_checks_take_little_time() -> None:
    steps = [
        make_step(n, f"a{n % 700}", parts=(check("failed" if n % 2 else "passed", f"c{n % 97}"),))
        for n in range(20_000)
    ]
    links = tuple(Link(n, n + 3, LinkKind.CONSUMES) for n in range(19_000))
    begun = process_time()
    recognised(make_transcript(*steps, failures=(), links=links))
    assert process_time() - begun < 4


def test_checks_without_a_name_are_told_apart_by_who_checks() -> None:
    steps = [make_step(n, actor, parts=(check("failed", ""),)) for n, actor in enumerate("aba")]
    found = recognised(make_transcript(*steps, failures=()))
    assert [(each.key, each.exposed_by) for each in found] == [("check:b", 1), ("check:a", 2)]
    assert failure_of(steps[0]).key == "check"


def test_what_an_evaluator_finds_is_a_check_whatever_its_kind() -> None:
    verdict = {"verdict": "failed", "check": "answer", "observed": "7"}
    result = make_step(1, "grader", parts=(Part(PartKind.MESSAGE, "wrong", verdict),))
    actors = (
        Actor("planner", "planner", ActorKind.AGENT),
        Actor("grader", "grader", ActorKind.EVALUATOR),
    )
    found = recognised(make_transcript(make_step(0), result, failures=(), actors=actors))
    assert [(each.key, each.observed, each.exposed_by) for each in found] == [
        ("check:answer", "7", 1)
    ]
    assert failure_of(make_step(0), replace(result, actor="planner")).key == "outcome"


def test_reports_tell_nothing_new_where_checks_speak() -> None:
    failed = make_step(0, parts=(check("failed"),))
    assert failure_of(failed, reports=(Report("failed", "harness"),)).key == "check:ci"


def test_a_report_that_says_something_else_is_a_further_failure() -> None:
    failed = make_step(0, parts=(check("failed", observed="HTTP 500"),))
    other = "Invoice rounding drops a cent for customers abroad."
    reports = (
        Report("failed", "verifier", detail="check ci failed with HTTP 500 on every request"),
        Report("failed", "harness", detail=other),
        Report("rejected", "human", detail=other),
    )
    found = recognised(make_transcript(failed, failures=(), reports=reports))
    assert [(each.key, each.observed) for each in found] == [
        ("check:ci", "HTTP 500"),
        ("report:human", other),
    ]


def test_of_reports_the_one_from_furthest_outside_is_taken() -> None:
    reports = (Report("gave up", "agent"), Report("failed", "harness", 2, detail="2 of 9 failed"))
    failure = failure_of(make_step(0), reports=reports)
    assert failure.statement == 'The harness reported "failed".'
    assert (failure.observed, failure.exposed_by) == ("2 of 9 failed", 2)


def test_good_news_is_no_failure() -> None:
    assert failure_of(make_step(0), reports=(Report("Done", "agent"),)).key == "outcome"


@pytest.mark.parametrize(
    ("status", "words"), [(StepStatus.ERROR, "an error"), (StepStatus.TIMEOUT, "a time-out")]
)
def test_an_error_at_the_end_is_taken_when_nothing_else_speaks(
    status: StepStatus, words: str
) -> None:
    failure = failure_of(make_step(0), make_step(1, text="Boom", status=status))
    assert failure.statement == f"The run ended with {words} in step 1."
    assert (failure.observed, failure.exposed_by) == ("Boom", 1)


def test_a_record_that_shows_nothing_says_so() -> None:
    assert "does not say what failed" in failure_of(make_step(0)).statement
