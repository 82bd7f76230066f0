"""What happens on the upper floors when somebody adds a failure to a run."""

from __future__ import annotations

import pytest
from pytest_django import DjangoCaptureOnCommitCallbacks

from attribution import registry
from reviews import queue
from reviews.models import Case, Consequence
from tests.factories import AT, make_project, make_run, make_step, make_transcript, make_user
from tests.reviews.scenes import make_failed_run
from traces import failing, models
from traces.models import Run
from traces.transcript import Failure, Outcome

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def add(run: Run, statement: str = "It lied.", consequence: str = "") -> models.Failure:
    return failing.add_failure(
        run=run,
        failure=Failure(key="", statement=statement, consequence=consequence),
        by=make_user("ada"),
        origin=models.Failure.Origin.PERSON,
        at=AT,
    )


def test_the_gate_takes_the_consequences_that_cases_know() -> None:
    assert list(failing.CONSEQUENCES) == Consequence.values


@pytest.mark.parametrize("outcome", [Outcome.SUCCEEDED, Outcome.UNKNOWN])
def test_a_run_that_nobody_called_failed_gets_a_case_and_its_analyses(outcome: Outcome) -> None:
    project = make_project()
    run = make_run(project, make_transcript(make_step(0), outcome=outcome))
    assert not run.analyses.exists()
    added = add(run, consequence="reported_result")
    case = Case.objects.get()
    assert (case.failure, case.status, case.consequence) == (added, "open", "reported_result")
    assert (case.number, case.frequency, case.slots.count()) == (1, 1, 1)
    assert list(queue.ranked(project)) == [case]
    assert set(run.analyses.values_list("attributor", flat=True)) == set(registry.registered())


def test_a_failed_run_gets_one_case_more_and_no_analysis_twice() -> None:
    run = make_failed_run(make_project())
    analyses = list(run.analyses.order_by("pk").values_list("pk", "queued_at"))
    add(run)
    add(run, "It also leaked.")
    assert list(run.cases.order_by("number").values_list("number", "failure__statement")) == [
        (1, "It broke."), (2, "It lied."), (3, "It also leaked."),
    ]  # fmt: skip
    assert list(run.analyses.order_by("pk").values_list("pk", "queued_at")) == analyses


def test_messages_wait_for_the_commit(
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    run = make_run(make_project(), make_transcript(outcome=Outcome.SUCCEEDED))
    with django_capture_on_commit_callbacks() as waiting:
        add(run)
    sent = [sorted(call.args[0]) for call in waiting if getattr(call, "args", None)]
    assert sorted(run.analyses.values_list("pk", flat=True)) in sent
