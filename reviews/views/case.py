"""The case page: failure, causal picture, evidence side by side, judgement."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET

from attribution.beside import nothing
from attribution.explanations import context_of
from attribution.place import Place
from attribution.place import number as number_of
from attribution.viewing import Viewing
from attribution.views.choices import answer as choices_of_run
from attribution.views.run import beside_of, chunk, map_of, modes_of, page_context
from reviews.dossier import Dossier
from reviews.explanations import explaining_of
from reviews.models import Case, Claim
from reviews.views.pages import case_or_404, dossier_or_404, fragments
from traces import content
from traces.access import ProjectRequest, member
from traces.models import Role


@require_GET
@member()
def case(request: ProjectRequest, number: int) -> HttpResponse:
    dossier = dossier_or_404(request, number)
    viewing = viewing_of(request, dossier)
    shown = dossier.case
    context = panel_context(dossier, viewing.selected, place=viewing.place) | {
        "rows_address": reverse("reviews:rows", args=[request.project.slug, shown.number]),
        "choices_address": reverse("reviews:choices", args=[request.project.slug, shown.number]),
        "exclusion": dossier.exclusion,
    }
    return render(request, "reviews/case.html", context | page_context(request, viewing))


@require_GET
@member()
def rows(request: ProjectRequest, number: int) -> HttpResponse:
    """A window of the step list, for the page's script."""
    return chunk(request, viewing_of(request, dossier_or_404(request, number)))


@require_GET
@member()
def choices(request: ProjectRequest, number: int) -> HttpResponse:
    """What can be laid beside the case's run."""
    shown = case_or_404(request, number)
    back = reverse("reviews:case", args=[request.project.slug, shown.number])
    return choices_of_run(request, shown.run, back=back)


@require_GET
@member()
def candidates(request: ProjectRequest, number: int) -> HttpResponse:
    """Polled while attributors are at work: the list, the map and the steps they name."""
    dossier = dossier_or_404(request, number)
    step = min(number_of(request.GET.get("step", "")) or 0, max(0, len(dossier.outline) - 1))
    context = panel_context(dossier, step) | {"oob": True}
    return fragments(
        request,
        ("reviews/_candidates.html", context),
        *trace_fragments(dossier, dossier.marks.candidates, context),
    )


def viewing_of(request: ProjectRequest, dossier: Dossier) -> Viewing:
    place = Place.from_query(request.GET)
    viewing = dossier.viewing(place, beside_of(request, dossier.case.run, place))
    viewing.reader, viewing.modes = request.user, modes_of(request)
    return viewing


def panel_context(dossier: Dossier, step: int, *, place: Place | None = None) -> dict[str, Any]:
    """What the adjudication panel needs, whatever state the case is in."""
    arguments = [dossier.case.project.slug, dossier.case.number]
    explaining = explaining_of(dossier, place or Place(step=step))
    names = dossier.actor_names
    selected = max(0, min(step, len(names) - 1))
    return context_of(explaining, reverse("reviews:explain", args=arguments)) | {
        "case": dossier.case,
        "run": dossier.case.run,
        "dossier": dossier,
        "finding": dossier.finding,
        "fields": dossier.fields,
        "renewed": dossier.fields.get("renewed"),
        "slot": dossier.slot,
        "selected": selected,
        "selected_actor": names[selected] if names else "",
        "missing": dossier.missing(Claim.Outcome.ATTRIBUTED) if dossier.slot else [],
        "may_review": dossier.membership.may(Role.REVIEWER),
        "may_take": dossier.may_take,
        "settled": dossier.case.status == Case.Status.SETTLED,
        "choices": Claim,
    }


def trace_fragments(
    dossier: Dossier, steps: Collection[int], context: dict[str, Any]
) -> list[tuple[str, dict[str, object]]]:
    """The minimap and the left side of these steps, drawn again with the reader's marks."""
    viewing = dossier.viewing(Place(step=context["selected"]), nothing())
    drawn: list[tuple[str, dict[str, object]]] = [
        ("attribution/_minimap.html", {**context, "map": map_of(viewing), "place": viewing.place})
    ]
    side, _ = viewing.sides()
    before = viewing.outline.previous_of_actor(steps)
    found = content.steps_of({viewing.run.pk: {*steps, *before.values()}})
    by_number = {number: step for (_, number), step in found.items()}
    for number in sorted(set(steps) & by_number.keys()):
        view = side.view(by_number[number], before=by_number.get(before.get(number, -1)))
        step = {**context, "view": view, "side": "s", "place": viewing.place}
        drawn.append(("attribution/_step.html", step))
    return drawn
