"""The run page: the trace browser without a case. Also any two runs side by side."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET

from attribution import candidates, comparing, explanations, minimap, neighbours, pane, seeing
from attribution.above import FilterForm, FindForm
from attribution.beside import Beside, Holds, Unknown, of_neighbour, of_run, within
from attribution.drawn_steps import Marks
from attribution.models import Candidate
from attribution.place import Place
from attribution.rendering.modes import COOKIE, remembered
from attribution.viewing import Viewing
from attribution.windows import window_of
from traces import flags, gaps, quarantine
from traces.access import ProjectRequest, member
from traces.models import Run
from traces.record import replaced
from traces.views.documents import require_open


@require_GET
@member()
def run(request: ProjectRequest, run_id: UUID) -> HttpResponse:
    viewing = viewing_of(request, run_id)
    shown = viewing.run
    address = reverse("attribution:explain", args=[request.project.slug, shown.pk])
    explaining = explanations.explaining_of(
        viewing.place, viewing.outline, viewing.ranked, viewing.surroundings.failures
    )
    context = explanations.context_of(explaining, address) | {
        "rows_address": reverse("attribution:rows", args=[request.project.slug, shown.pk]),
        "choices_address": reverse("attribution:choices", args=[request.project.slug, shown.pk]),
        "gap_kinds": gaps.KINDS,
        "exclusion": quarantine.entry(shown),
        **flags.shown_with(shown),
    }
    return render(request, "attribution/run.html", context | page_context(request, viewing))


@require_GET
@member()
def rows(request: ProjectRequest, run_id: UUID) -> HttpResponse:
    """A window of the step list, for the page's script; of one in a pane if it says so."""
    viewing = viewing_of(request, run_id)
    return chunk(request, viewing, side="r" if "pane" in request.GET else "s")


@require_GET
@member()
def beside(request: ProjectRequest, run_id: UUID) -> HttpResponse:
    """What stands beside the selected step in a pane of its own, for the page's script."""
    viewing = viewing_of(request, run_id)
    if not viewing.apart or viewing.unlocked:
        raise Http404("Nothing of this run stands in a pane of its own.")
    context = browser_context(viewing) | {"pane": pane_of(request, viewing)}
    response = render(request, "attribution/_pane_content.html", context)
    response.headers["X-Inquest"] = "fragments"
    return response


@require_GET
@member()
def compare(request: ProjectRequest, run_id: UUID) -> HttpResponse:
    """Lay the run that the address names beside this one, however long that takes."""
    shown = run_or_404(request, run_id)
    other = beside_of(request, shown, Place.from_query(request.GET)).run
    if other and not comparing.too_long(shown, other) and not comparing.stored(shown, other):
        comparing.compare(shown, other)
    if request.htmx:
        return render(request, "attribution/_compared.html")
    address = reverse("attribution:run", args=[request.project.slug, shown.pk])
    return redirect(f"{address}?{request.GET.urlencode()}")


def viewing_of(request: ProjectRequest, run_id: UUID) -> Viewing:
    shown = run_or_404(request, run_id)
    place = Place.from_query(request.GET)
    viewing = Viewing(shown, place, beside_of(request, shown, place))
    viewing.reader, viewing.modes = request.user, modes_of(request)
    viewing.ranked = candidates.ranked_for(shown)
    viewing.marks = marks_of_candidates(viewing.ranked)
    return viewing


def modes_of(request: ProjectRequest) -> dict[str, str]:
    """How this reader wants each kind of part shown."""
    return remembered(request.COOKIES.get(COOKIE, ""))


def page_context(request: ProjectRequest, viewing: Viewing) -> dict[str, Any]:
    """What the browser's templates need, on the page of a run and of a case alike."""
    context = browser_context(viewing)
    return context | {
        "pane": pane_of(request, viewing),
        "here": request.get_full_path(),
        "find_form": FindForm(viewing.place),
        "filter_form": filter_form(viewing),
        "locked_address": viewing.place.query(lock=None),
        "unlocked_address": viewing.place.query(lock="off"),
        "window": window_of(viewing, context),
        "map": map_of(viewing),
        "surroundings": viewing.surroundings,
        "seen": viewing.seen,
    }


def filter_form(viewing: Viewing) -> FilterForm:
    unread = viewing.holding.unread if viewing.holding else 0
    return FilterForm(
        viewing.outline, viewing.filter, viewing.listing, viewing.place, unread=unread
    )


def pane_of(request: ProjectRequest, viewing: Viewing) -> dict[str, Any] | None:
    """The pane, for whoever may see what it holds."""
    if viewing.beside.holds is Holds.RAW:
        try:
            require_open(viewing.run.document, request.membership)
        except PermissionDenied as error:
            return {"raw": {"refusal": str(error)}}
    return pane.context_of(viewing)


def map_of(viewing: Viewing) -> minimap.Minimap:
    return minimap.draw(
        viewing.outline,
        viewing.marks,
        gaps=viewing.gap_steps,
        selected=viewing.selected,
        lit=minimap.lit_of(viewing.outline, viewing.selected) if len(viewing.outline) else None,
        strips=[seeing.strip(viewing.seen)] if viewing.seen else [],
        kept=viewing.place.kept,
    )


def browser_context(viewing: Viewing) -> dict[str, Any]:
    return {
        "run": viewing.run,
        "viewing": viewing,
        "place": viewing.place,
        "beside": viewing.beside,
        "selected": viewing.selected,
        "list_side": "s",
    }


def chunk(request: ProjectRequest, viewing: Viewing, *, side: str = "s") -> HttpResponse:
    context = browser_context(viewing) | {"list_side": side}
    context["window"] = window_of(viewing, context)
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
    try:
        wanted = within(place, shown)
    except Unknown as error:
        raise Http404("Nothing like that can be laid beside a run.") from error
    if wanted is None:
        return of_neighbour(neighbours.comparison_for(shown))
    return of_run(run_or_404(request, wanted)) if isinstance(wanted, UUID) else wanted
