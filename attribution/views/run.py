"""The run page: the trace browser without a case. Also any two runs side by side."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET

from attribution import candidates, comparing, minimap, neighbours
from attribution.beside import NOTHING, Beside, of_neighbour
from attribution.models import Candidate
from attribution.place import Place
from attribution.sides import Marks
from attribution.viewing import Viewing
from traces import flags, gaps, quarantine
from traces.access import ProjectRequest, member
from traces.models import Run
from traces.record import replaced


@require_GET
@member()
def run(request: ProjectRequest, run_id: UUID) -> HttpResponse:
    viewing = viewing_of(request, run_id)
    shown = viewing.run
    context = {
        "rows_address": reverse("attribution:rows", args=[request.project.slug, shown.pk]),
        "others": Run.objects.same_task(shown).counted().newest_first()[:20],
        "gap_kinds": gaps.KINDS,
        "exclusion": quarantine.entry(shown),
        **flags.shown_with(shown),
    }
    return render(request, "attribution/run.html", context | page_context(viewing))


@require_GET
@member()
def rows(request: ProjectRequest, run_id: UUID) -> HttpResponse:
    """A window of the step list, for the page's script."""
    return chunk(request, viewing_of(request, run_id))


@require_GET
@member()
def compare(request: ProjectRequest, run_id: UUID) -> HttpResponse:
    """Lay the run that the address names beside this one, however long that takes."""
    shown = run_or_404(request, run_id)
    other = beside_of(request, shown, Place.from_query(request.GET)).run
    if other and not comparing.too_long(shown, other) and not comparing.stored(shown, other):
        comparing.compare(shown, other)
    if request.htmx:
        return HttpResponse(headers={"HX-Refresh": "true"})
    address = reverse("attribution:run", args=[request.project.slug, shown.pk])
    return redirect(f"{address}?{request.GET.urlencode()}")


def viewing_of(request: ProjectRequest, run_id: UUID) -> Viewing:
    shown = run_or_404(request, run_id)
    place = Place.from_query(request.GET)
    viewing = Viewing(shown, place, beside_of(request, shown, place))
    viewing.marks = marks_of_candidates(candidates.ranked_for(shown))
    return viewing


def page_context(viewing: Viewing) -> dict[str, Any]:
    """What the browser's templates need, on the page of a run and of a case alike."""
    context = browser_context(viewing)
    return context | {
        "window": viewing.window(context),
        "map": map_of(viewing),
        "surroundings": viewing.surroundings,
    }


def map_of(viewing: Viewing) -> minimap.Minimap:
    return minimap.Minimap((), (), (), (), (), 10, 0)


def browser_context(viewing: Viewing) -> dict[str, Any]:
    return {
        "run": viewing.run,
        "viewing": viewing,
        "place": viewing.place,
        "beside": viewing.beside,
        "selected": viewing.selected,
    }


def chunk(request: ProjectRequest, viewing: Viewing) -> HttpResponse:
    context = browser_context(viewing)
    context["window"] = viewing.window(context)
    response = render(request, "attribution/_chunk.html", context)
    response.headers["X-Inquest"] = "fragments"
    return response


def run_or_404(request: ProjectRequest, run_id: UUID) -> Run:
    """The run, if this member may read it: see `traces.quarantine`."""
    try:
        related = ("document", "project__trajectory_profile", "stored_outline")
        runs = Run.objects.select_related(*related).defer("document__content")
        marked = runs.annotate(is_open=quarantine.is_open(), replaced=replaced())
        run = marked.get(project=request.project, pk=run_id)
    except Run.DoesNotExist as error:
        raise Http404("No such run.") from error
    quarantine.require_readable(run, request.membership)
    return run


def marks_of_candidates(ranked: list[Candidate]) -> Marks:
    numbered: dict[int, list[int]] = {}
    for number, candidate in enumerate(ranked, start=1):
        numbered.setdefault(candidate.step, []).append(number)
    return Marks(candidates={step: tuple(numbers) for step, numbers in numbered.items()})


def beside_of(request: ProjectRequest, shown: Run, place: Place) -> Beside:
    """What the address wants beside the run; a neighbour if it says nothing."""
    wanted = place.value("with")
    if not wanted:
        return of_neighbour(neighbours.comparison_for(shown))
    if wanted == "none":
        return NOTHING
    try:
        other = run_or_404(request, UUID(wanted))
    except ValueError as error:
        raise Http404("No such run.") from error
    return Beside(other, "Run", f"{other.external_id}, {other.outcome}, chosen by you")
