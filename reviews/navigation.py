"""What the top bar shows on every page below a project."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from django.db.models import F, Func, IntegerField, QuerySet, Subquery
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from reviews.models import Case
from traces.models import Project, Quarantine, Role


def project_navigation(request: HttpRequest) -> dict[str, Any]:
    """The project, the member's role and, for a lead, how much waits for a decision of theirs."""
    membership = getattr(request, "membership", None)
    if membership is None:
        return {}
    # Fragments have no top bar: who does not show the numbers does not pay for them.
    bar = {"project": membership.project, "membership": membership}
    if not membership.may(Role.LEAD):
        return {**bar, "waiting_count": 0, "proposed_count": 0}
    waits = SimpleLazyObject(partial(waiting_for_lead, membership.project))
    return {
        **bar,
        "waiting_count": SimpleLazyObject(lambda: waits.verdicts),
        "proposed_count": SimpleLazyObject(lambda: waits.proposals),
    }


@dataclass(frozen=True, slots=True)
class Waits:
    """What waits for a lead: cases for a verdict, proposals to set a run aside."""

    verdicts: int
    proposals: int


def waiting_for_lead(project: Project) -> Waits:
    """Both numbers in one query, which stands on every page that a lead opens."""
    cases = Case.objects.of_project(project).waiting().counted()
    proposed = Quarantine.objects.filter(run__project=project, status=Quarantine.Status.PROPOSED)
    numbers = Project.objects.filter(pk=project.pk).values_list(count_of(cases), count_of(proposed))
    verdicts, proposals = numbers[0]
    return Waits(verdicts, proposals)


def count_of(rows: QuerySet[Any]) -> Subquery:
    number = Func(F("pk"), function="COUNT", output_field=IntegerField())
    return Subquery(rows.order_by().annotate(how_many=number).values("how_many"))
