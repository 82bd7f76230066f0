"""Search inside a run: a list of places as a page, or where the next one is for a script."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import Resolver404, resolve, reverse
from django.views.decorators.http import require_GET

from attribution import finding, minimap
from attribution.filters import Filter
from attribution.finding import Found
from attribution.place import Place, number
from attribution.sought import LONGEST, Sought, Unsearchable
from attribution.views.run import run_or_404
from traces.access import ProjectRequest, member
from traces.models import Run
from traces.outline import Outline
from traces.outlines import outline_of_run

# Places on a page of the list.
SHOWN = 20


@require_GET
@member()
def find(request: ProjectRequest, run_id: UUID) -> HttpResponse:
    run = run_or_404(request, run_id)
    is_fragment = request.headers.get("X-Inquest") == "fragments"
    context = {"run": run, **links(request, run)}
    try:
        sought = Sought.of(context["q"])
    except Unsearchable as error:
        context["refusal"] = str(error) if context["q"] else ""
    else:
        outline = outline_of_run(run)
        found = finding.find(run, outline, sought)
        listed = current_of(request, found) if is_fragment else page_of(request, found)
        told = finding.hits(run, found, sought, listed["places"])
        context |= {"found": found, **listed, **strip_of(outline, sought, found)}
        context["hits"] = [
            {
                "hit": hit,
                "actor": outline.lane(hit.step).name,
                "address": address_of(request, context["place"], sought.text, hit.step),
            }
            for hit in told
        ]
    if not is_fragment:
        return render(request, "attribution/find.html", context)
    response = render(request, "attribution/_found_strip.html", context)
    response.headers["X-Inquest"] = "fragments"
    return response


def links(request: ProjectRequest, run: Run) -> dict[str, Any]:
    """What is looked for, and where the page's links lead."""
    place, back = Place.from_query(request.GET), back_of(request, run)
    query = request.GET.get("q", "")
    address = reverse("attribution:find", args=[request.project.slug, run.pk])
    return {
        "q": query,
        "back": back,
        "place": place,
        "address": back,
        "fields": place.fields("find"),
        "list_address": address + place.query(find=None, q=query[:LONGEST], back=back),
    }


def address_of(request: ProjectRequest, place: Place, words: str, step: int) -> str:
    """Where a step is shown with what is looked for, also if the filter folds it away."""
    wanted = Filter.from_query(request.GET)
    opened = {*wanted.opened, (step, step)} if wanted.active else wanted.opened
    stretches = [f"{first}-{last}" for first, last in sorted(opened)]
    return place.query(find=words, step=step, open=stretches)


def back_of(request: ProjectRequest, run: Run) -> str:
    """The page of the trace browser that was left for this one: the run's if none is named."""
    back = request.GET.get("back", "")
    try:
        match = resolve(back)
    except Resolver404:
        match = None
    if match and match.kwargs.get("slug") == request.project.slug:
        return back
    return reverse("attribution:run", args=[request.project.slug, run.pk])


def strip_of(outline: Outline, sought: Sought, found: Found) -> dict[str, Any]:
    """What the map shows of it, under its lanes."""
    strip = minimap.Strip(f"“{sought.text}”", found.steps, next(iter(found.steps), None))
    drawn = minimap.strips([strip], len(outline))
    return {"strips": drawn, "height": minimap.STRIP * len(drawn)}


def current_of(request: ProjectRequest, found: Found) -> dict[str, Any]:
    """The place that the script goes to: beside the one it is at, or near the selected step."""
    at, step = (number(request.GET.get(name, "")) for name in ("at", "step"))
    direction = request.GET.get("direction", "")
    place = found.near(step or 0, direction) if at is None else found.beside(at, direction)
    return {"places": [] if place is None else [place]}


def page_of(request: ProjectRequest, found: Found) -> dict[str, Any]:
    """A page of places, from the one that the address names."""
    first = number(request.GET.get("from", "")) or 0
    first = min(first, max(0, found.total - 1))
    last = min(first + SHOWN, found.total)
    return {
        "places": range(first, last),
        "first": first + 1,
        "earlier": max(0, first - SHOWN) if first else None,
        "later": last if last < found.total else None,
    }
