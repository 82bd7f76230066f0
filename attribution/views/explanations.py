"""Two explanations of a run side by side: a piece of its page, for the page's script."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET

from attribution import candidates, explanations
from attribution.explaining import Explaining
from attribution.explaining.picking import place_of
from attribution.views.run import run_or_404
from traces import outlines, reading
from traces.access import ProjectRequest, member

FRAGMENTS = "fragments"


@require_GET
@member()
def explain(request: ProjectRequest, run_id: UUID) -> HttpResponse:
    shown = run_or_404(request, run_id)
    if not wants_piece(request):
        return to_page(request, reverse("attribution:run", args=[request.project.slug, shown.pk]))
    found = explanations.explaining_of(
        place_of(request.GET),
        outlines.outline_of_run(shown),
        candidates.ranked_for(shown),
        reading.surroundings_of(shown).failures,
    )
    address = reverse("attribution:explain", args=[request.project.slug, shown.pk])
    return answer(request, found, address)


def wants_piece(request: ProjectRequest) -> bool:
    return bool(request.htmx) or request.headers.get("X-Inquest") == FRAGMENTS


def to_page(request: ProjectRequest, page: str) -> HttpResponse:
    """Without a script: the whole page, at the comparison."""
    return HttpResponseRedirect(f"{page}{place_of(request.GET).query()}#explaining")


def answer(request: ProjectRequest, found: Explaining, address: str) -> HttpResponse:
    response = render(
        request, "attribution/_explain_pieces.html", explanations.context_of(found, address)
    )
    response.headers["X-Inquest"] = FRAGMENTS
    return response
