"""Questions that the minimap asks about one step: what stands before and after it, what its actor
could see, and which step stands at a place of the map.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET

from attribution import minimap, seeing
from attribution.place import Place, number
from attribution.views.run import run_or_404
from traces import outlines
from traces.access import ProjectRequest, member
from traces.models import Run
from traces.outline import Outline


@require_GET
@member()
def reach(request: ProjectRequest, run_id: UUID) -> HttpResponse:
    """The overlay of the map for a selected step, and how many steps stand where."""
    _, outline, step = asked(request, run_id)
    lit = minimap.overlay(minimap.Scale(outline), step, minimap.lit_of(outline, step))
    response = render(request, "attribution/_lit.html", {"lit": lit})
    response.headers["X-Inquest"] = "fragments"
    return response


@require_GET
@member()
def seen(request: ProjectRequest, run_id: UUID) -> HttpResponse:
    """What the actor of a step could see there: a page of its own, or a piece of another."""
    run, outline, step = asked(request, run_id)
    context = {"run": run, "place": Place.from_query(request.GET)}
    context |= seen_context(outline, step)
    if request.headers.get("X-Inquest") != "fragments":
        address = reverse("attribution:run", args=[request.project.slug, run.pk])
        return render(request, "attribution/seen.html", context | {"address": address})
    response = render(request, "attribution/_seen_strip.html", context)
    response.headers["X-Inquest"] = "fragments"
    return response


@require_GET
@member()
def at(request: ProjectRequest, run_id: UUID) -> JsonResponse:
    """The step nearest to one in a row of the map, its own without one, and those beside it."""
    _, outline, step = asked(request, run_id)
    scale = minimap.Scale(outline)
    row = number(request.GET.get("row", ""))
    found = step if row is None else scale.nearest(step, row)
    before, after = scale.beside(found)
    return JsonResponse(
        {
            "step": found,
            "row": int(scale.row[found]),
            "text": minimap.label(outline, found),
            "before": before,
            "after": after,
        }
    )


def asked(request: ProjectRequest, run_id: UUID) -> tuple[Run, Outline, int]:
    """The run, its outline and the step that the address names: the first if it names none."""
    run = run_or_404(request, run_id)
    outline = outlines.outline_of_run(run)
    if not len(outline):
        raise Http404("The run has no steps.")
    step = number(request.GET.get("step", "")) or 0
    return run, outline, min(step, len(outline) - 1)


def seen_context(outline: Outline, step: int) -> dict[str, Any]:
    """What the templates of the question need, on a page of its own or with the trace."""
    found = seeing.seen_at(outline, step)
    strips = minimap.strips([seeing.strip(found)], len(outline))
    return {"seen": found, "strips": strips, "height": minimap.STRIP * len(strips)}
