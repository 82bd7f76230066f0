"""The run page: the trace browser without a case. Also any two runs side by side."""

from __future__ import annotations

import heapq
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from attribution import browser, candidates, minimap, neighbours
from attribution.sides import Marks
from traces import flags, gaps, quarantine, reading
from traces.access import ProjectRequest, member
from traces.models import Run
from traces.record import replaced
from traces.transcript import Transcript

MOST_LINKS = 5_000


@require_GET
@member()
def run(request: ProjectRequest, run_id: UUID) -> HttpResponse:
    shown = run_or_404(request, run_id)
    wanted = request.GET.get("with", "")
    neighbour = _chosen(request, shown, wanted) if wanted else neighbours.comparison_for(shown)
    beside = [neighbour.run] if neighbour else []
    transcript, *others = reading.transcripts_of([shown, *beside])
    marks = marks_of_candidates(candidates.ranked_for(shown))
    other, around = next(iter(others), None), step_of(request)
    window = browser.browse(transcript, other, marks=marks, around=around)
    context = {
        "run": shown,
        "browser": window,
        "map": minimap.draw(transcript, marks),
        "comparison": comparison_words(neighbour),
        "compare_query": f"with={wanted}&" if wanted else "",
        "others": Run.objects.same_task(shown).counted().newest_first()[:20],
        "links": links_for(transcript, window),
        "selected": max(0, min(around, len(transcript.steps) - 1)),
        "transcript": transcript,
        "gap_kinds": gaps.KINDS,
        "exclusion": quarantine.entry(shown),
        **flags.shown_with(shown),
    }
    return render(request, "attribution/run.html", context)


def run_or_404(request: ProjectRequest, run_id: UUID) -> Run:
    """The run, if this member may read it: see `traces.quarantine`."""
    try:
        related = ("document", "project__trajectory_profile")
        runs = Run.objects.select_related(*related).defer("document__content")
        marked = runs.annotate(is_open=quarantine.is_open(), replaced=replaced())
        run = marked.get(project=request.project, pk=run_id)
    except Run.DoesNotExist as error:
        raise Http404("No such run.") from error
    quarantine.require_readable(run, request.membership)
    return run


def step_of(request: HttpRequest) -> int:
    """The step the page is at, from the address or the form; 0 when it is not a number."""
    value = request.POST.get("step", request.GET.get("step", ""))
    return int(value) if value.isascii() and value.isdigit() and len(value) < 9 else 0


def marks_of_candidates(ranked: list[Any]) -> Marks:
    numbered: dict[int, list[int]] = {}
    for number, candidate in enumerate(ranked, start=1):
        numbered.setdefault(candidate.step, []).append(number)
    return Marks(candidates={step: tuple(numbers) for step, numbers in numbered.items()})


def comparison_words(neighbour: neighbours.Neighbour | None) -> dict[str, Any]:
    """The run on the right side and what stands above it, or why there is none."""
    if neighbour is None:
        return {"absence": "No successful run of this task is here to compare with."}
    return {"title": neighbour.title, "reason": neighbour.reason, "run": neighbour.run}


def links_for(transcript: Transcript, window: browser.Browser) -> list[list[int]]:
    """Links as [source, target, recorded] for the page's script, which lights paths up.

    Those that touch a step of the window, and of very many those that reach the least far.
    """
    steps = range(window.first, window.last + 1)
    near = (link for link in transcript.links if link.source in steps or link.target in steps)
    kept = heapq.nsmallest(MOST_LINKS, near, key=lambda link: link.target - link.source)
    return [[link.source, link.target, int(link.recorded)] for link in kept]


def _chosen(request: ProjectRequest, shown: Run, wanted: str) -> neighbours.Neighbour:
    try:
        other = run_or_404(request, UUID(wanted))
    except ValueError as error:
        raise Http404("No such run.") from error
    return neighbours.Neighbour(
        other, "Run", f"{other.external_id}, {other.outcome}, chosen by you"
    )
