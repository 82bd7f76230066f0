"""Opening cases: one for each failure of a run, whether it came with it or was added later."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from django.db import transaction
from django.db.models import Max

from reviews.adjudication import status
from reviews.adjudication.frequency import frequency_with
from reviews.models import Case, Consequence, Policy, Slot
from traces import audit
from traces.models import Failure, Project, Run
from traces.transcript import Outcome


@transaction.atomic
@audit.together()
def open_cases(*, run: Run, at: datetime) -> None:
    """Open one case per failure of the run, with as many slots as the policy wants signatures.

    Called for every new run and for every failure added to one; calling it again changes nothing.
    """
    failed = run.outcome == Outcome.FAILED
    if not failed and not run.failures.exists():
        return
    # Case numbers have no holes and no doubles: one writer per project at a time.
    project = Project.objects.select_for_update(no_key=True).get(pk=run.project_id)
    frequency = frequency_with(run)
    policy = _policy(project, at=at)
    last = Case.objects.of_project(project).aggregate(last=Max("number"))["last"] or 0
    failures = run.failures.filter(case=None).order_by("pk")
    cases = Case.objects.bulk_create(
        _case(failure, run=run, policy=policy, number=number, frequency=frequency, at=at)
        for number, failure in enumerate(failures, start=last + 1)
    )
    _add_slots(cases, policy=policy)
    for case in cases:
        data = {"number": case.number, "failure": case.failure_id, "policy": policy.version}
        status.record(case, action="case.opened", by=None, at=at, data=data)


def _policy(project: Project, *, at: datetime) -> Policy:
    """The policy in force; a project without one gets the default as its first version."""
    policies = Policy.objects.filter(project=project).order_by("-version")
    return policies.first() or Policy.objects.create(project=project, version=1, created_at=at)


def _case(
    failure: Failure, *, run: Run, policy: Policy, number: int, frequency: int, at: datetime
) -> Case:
    named = failure.consequence in Consequence.values
    return Case(
        project=policy.project,
        number=number,
        run=run,
        failure=failure,
        policy=policy,
        consequence=failure.consequence if named else Consequence.REMEDIATION,
        frequency=frequency,
        opened_at=at,
    )


def _add_slots(cases: Iterable[Case], *, policy: Policy) -> None:
    positions = range(1, policy.signatures_needed + 1)
    Slot.objects.bulk_create(
        Slot(case=case, position=position) for case in cases for position in positions
    )
