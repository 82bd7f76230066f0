"""A withheld value: what is known of it, and the value for who may see it."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from traces import quarantine, withholding
from traces.access import ProjectRequest, member
from traces.models import Membership, Project, Role, Run, Withheld
from traces.withholding import KeyLost

# Of the runs with the placeholder, how many a page lists.
RUNS = 50


@require_http_methods(["GET", "POST"])
@member()
def withheld(request: ProjectRequest, placeholder: str) -> HttpResponse:
    """What stands behind a placeholder. A POST by who may shows the value, and is recorded."""
    found = called(request.project, placeholder)
    needed = withholding.role_for(found)
    may = found.sealed is not None and request.membership.may(needed)
    context: dict[str, Any] = {"withheld": found, "needed": needed, "may": may}
    runs = list(runs_with(found, request.membership)[: RUNS + 1])
    context |= {"runs": runs[:RUNS], "more": len(runs) > RUNS}
    if request.method == "POST":
        at = timezone.now()
        try:
            context["value"] = withholding.reveal(withheld=found, by=request.membership, at=at)
        except KeyLost as error:
            context["refusal"] = str(error)
    return render(request, "traces/withheld.html", context)


def runs_with(withheld: Withheld, membership: Membership) -> QuerySet[Run]:
    """Runs that this member may read, of documents whose receipt has the placeholder."""
    wanted = [{"values": [{"placeholder": withheld.placeholder}]}]
    runs = Run.objects.filter(
        project=withheld.project_id, document__redaction__entries__contains=wanted
    )
    if not membership.may(Role.LEAD):
        runs = runs.filter(~quarantine.restricted())
    return runs.newest_first()


def called(project: Project, placeholder: str) -> Withheld:
    """The value of a placeholder such as EMAIL-3."""
    type_, _, number = placeholder.rpartition("-")
    if number.isascii() and number.isdigit() and len(number) < 10:
        values = Withheld.objects.select_related("project")
        found = values.filter(project=project, type=type_, number=int(number)).first()
        if found is not None:
            return found
    raise Http404("No such placeholder.")
