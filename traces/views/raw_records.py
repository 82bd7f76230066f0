"""Raw records of a run: the list of what is no step, and each as it stands in its document."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from traces import excerpts
from traces.access import ProjectRequest, member
from traces.formats.base import Unreadable
from traces.models import RawRecord
from traces.provenance import MEANINGS
from traces.transcript import Fate
from traces.views.documents import require_open
from traces.views.record import run_or_404
from traces.views.runs import cleaned, whole_number

ON_PAGE = 200


@require_GET
@member()
def raw_records(request: ProjectRequest, run_id: UUID) -> HttpResponse:
    """Records that are no steps, of one fate or all, paged by place."""
    run = run_or_404(request, run_id)
    fate, past = request.GET.get("fate", ""), whole_number(request.GET.get("past", ""))
    records = RawRecord.objects.filter(run=run)
    if fate in MEANINGS:
        records = records.filter(fate=fate)
    shown = list(records.filter(position__gte=past).order_by("position")[: ON_PAGE + 1])
    context = {
        "run": run,
        "records": shown[:ON_PAGE],
        "count": records.count(),
        "fates": list(Fate),
        "fate": fate if fate in MEANINGS else "",
        "meaning": MEANINGS[Fate(fate)] if fate in MEANINGS else "",
        "next": shown[ON_PAGE].position if len(shown) > ON_PAGE else None,
        "paged": past > 0,
    }
    return render(request, "traces/raw_records.html", context)


@require_GET
@member()
def raw_record(request: ProjectRequest, run_id: UUID) -> HttpResponse:
    """What stands at a pointer in the run's document, for whoever may open the document."""
    run = run_or_404(request, run_id)
    require_open(run.document, request.membership)
    pointer = cleaned(request.GET.get("at", ""))
    context = {"run": run, "pointer": pointer}
    try:
        found = excerpts.excerpt(run, pointer)
    except Unreadable as error:
        return render(
            request, "traces/raw_record.html", context | {"refusal": str(error)}, status=404
        )
    return render(request, "traces/raw_record.html", context | {"excerpt": found})
