"""A failure comes from what the record shows, and only for a run recorded as failed."""

from __future__ import annotations

import pytest

from tests.factories import make_step, make_transcript
from traces.failures import recognised
from traces.transcript import Failure, Outcome, Part, PartKind, Report, Step, StepStatus


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


def test_the_last_failed_check_says_what_failed() -> None:
    failure = failure_of(
        make_step(0, parts=(check("failed", "lint"),)),
        make_step(1, parts=(check("failed", "ci", expected="201", observed="410"),)),
        make_step(2, parts=(check("passed", "types"),)),
    )
    assert failure == Failure(
        "check", 'The check "ci" failed.', expected="201", observed="410", check="ci", exposed_by=1
    )


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
