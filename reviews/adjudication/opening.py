"""Opening cases: one for each failure of a run, whether it came with it or was added later."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import Max

from reviews.adjudication import status
from reviews.adjudication.frequency import frequencies_with
from reviews.models import Case, Consequence, Policy, Slot
from traces import audit
from traces.models import Failure, Project, Run
from traces.transcript import Outcome


@transaction.atomic
@audit.together()
def open_cases(*, runs: Sequence[Run], at: datetime) -> None:
    """Open one case per failure of these runs of a project, with a slot per signature wanted.

    Called for all new runs and for every failure added to one; calling it again changes nothing.
    """
    failures = list(Failure.objects.filter(run__in=runs, case=None).order_by("pk"))
    having = {failure.run_id for failure in failures}
    failed = [run for run in runs if run.outcome == Outcome.FAILED or run.pk in having]
    if not failed:
        return
    # Case numbers have no holes and no doubles: one writer per project at a time.
    project = Project.objects.select_for_update(no_key=True).get(pk=failed[0].project_id)
    frequencies = frequencies_with(failed)
    policy = _policy(project, at=at)
    last = Case.objects.of_project(project).aggregate(last=Max("number"))["last"] or 0
    cases = Case.objects.bulk_create(
        _case(failure, policy=policy, number=number, frequency=frequencies[failure.run_id], at=at)
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


def _case(failure: Failure, *, policy: Policy, number: int, frequency: int, at: datetime) -> Case:
    named = failure.consequence in Consequence.values
    return Case(
        project=policy.project,
        number=number,
        run_id=failure.run_id,
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
