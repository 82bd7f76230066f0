"""Opening cases: one for each failure of a new run."""

from __future__ import annotations

from bisect import bisect_right
from datetime import datetime

from django.db import transaction
from django.db.models import Max

from reviews.adjudication import status
from reviews.models import Case, Consequence, Policy, Slot
from reviews.models.cases import FREQUENCIES
from traces.models import Failure, Project, Run
from traces.transcript import Outcome


@transaction.atomic
def open_cases(*, run: Run, at: datetime) -> None:
    """Open one case per failure of the run, with as many slots as the policy wants signatures.

    Called for every new run; calling it again changes nothing.
    """
    failed = run.outcome == Outcome.FAILED
    if not failed and not run.failures.exists():
        return
    # Case numbers have no holes and no doubles: one writer per project at a time.
    project = Project.objects.select_for_update(no_key=True).get(pk=run.project_id)
    frequency = _frequency(run)
    policy = _policy(project, at=at)
    last = Case.objects.of_project(project).aggregate(last=Max("number"))["last"] or 0
    failures = run.failures.filter(case=None).order_by("pk")
    for number, failure in enumerate(failures, start=last + 1):
        _open(failure, run=run, policy=policy, number=number, frequency=frequency, at=at)


def _frequency(run: Run) -> int:
    """Failed runs of the task, rounded down; when it grew, open cases of the task follow."""
    others = Run.objects.same_task(run).failed()
    count = others.count() + 1
    frequency = FREQUENCIES[bisect_right(FREQUENCIES, count) - 1]
    if count > 1 and count == frequency:
        cases = Case.objects.open().filter(run__in=others, frequency__lt=frequency)
        cases.update(frequency=frequency)
    return frequency


def _policy(project: Project, *, at: datetime) -> Policy:
    """The policy in force; a project without one gets the default as its first version."""
    policies = Policy.objects.filter(project=project).order_by("-version")
    return policies.first() or Policy.objects.create(project=project, version=1, created_at=at)


def _open(
    failure: Failure, *, run: Run, policy: Policy, number: int, frequency: int, at: datetime
) -> None:
    named = failure.consequence in Consequence.values
    case = Case.objects.create(
        project=policy.project,
        number=number,
        run=run,
        failure=failure,
        policy=policy,
        consequence=failure.consequence if named else Consequence.REMEDIATION,
        frequency=frequency,
        opened_at=at,
    )
    positions = range(1, policy.signatures_needed + 1)
    Slot.objects.bulk_create(Slot(case=case, position=position) for position in positions)
    data = {"number": number, "failure": failure.pk, "policy": policy.version}
    status.record(case, action="case.opened", by=None, at=at, data=data)
