"""What a run's record cannot show: everything an auditor asks of it, on one page."""

from __future__ import annotations

from uuid import UUID

from django.db.models import QuerySet
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET

from traces import gaps, quarantine
from traces.access import ProjectRequest, member
from traces.models import Gap, Run
from traces.record import STATES, UNKNOWN, record_of, with_record, with_surroundings
from traces.views.runs import cleaned, whole_number

GAPS_ON_PAGE = 200


@require_GET
@member()
def record(request: ProjectRequest, run_id: UUID) -> HttpResponse:
    found = record_of(run_or_404(request, run_id, with_record()))
    context = {"record": found, "run": found.run, "states": STATES}
    return render(request, "traces/record.html", context)


@require_GET
@member()
def gaps_of_kind(request: ProjectRequest, run_id: UUID) -> HttpResponse:
    """Every gap of one kind in its own words, paged by place; those of the run come first.

    Who names no kind is led to all kinds.
    """
    run = run_or_404(request, run_id)
    kind = cleaned(request.GET.get("kind", ""))
    if not kind:
        return redirect("traces:run-record", request.project.slug, run.pk)
    found = Gap.objects.filter(run=run, kind=kind)
    past = whole_number(request.GET.get("past", ""))
    # Gaps are written in one go: their keys keep the order in which they were found.
    shown = list(found.filter(pk__gt=past).order_by("pk")[: GAPS_ON_PAGE + 1])
    context = {
        "run": run,
        "name": kind,
        "kind": gaps.KINDS.get(kind, UNKNOWN),
        "count": found.count(),
        "gaps": shown[:GAPS_ON_PAGE],
        "next": shown[GAPS_ON_PAGE - 1].pk if len(shown) > GAPS_ON_PAGE else None,
        "paged": past > 0,
    }
    return render(request, "traces/record_gaps.html", context)


def run_or_404(request: ProjectRequest, run_id: UUID, runs: QuerySet[Run] | None = None) -> Run:
    """The run, if this member may read it: see `traces.quarantine`."""
    runs = with_surroundings() if runs is None else runs
    runs = runs.annotate(is_open=quarantine.is_open())
    try:
        run = runs.get(project=request.project, pk=run_id)
    except Run.DoesNotExist as error:
        raise Http404("No such run.") from error
    quarantine.require_readable(run, request.membership)
    return run
