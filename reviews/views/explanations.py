"""Two explanations of a case side by side: a piece of its page, for the page's script."""

from __future__ import annotations

from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_GET

from attribution.explaining.picking import place_of
from attribution.views.explanations import answer, to_page, wants_piece
from reviews.explanations import explaining_of
from reviews.views.pages import dossier_or_404
from traces.access import ProjectRequest, member


@require_GET
@member()
def explain(request: ProjectRequest, number: int) -> HttpResponse:
    dossier = dossier_or_404(request, number)
    arguments = [request.project.slug, number]
    if not wants_piece(request):
        return to_page(request, reverse("reviews:case", args=arguments))
    found = explaining_of(dossier, place_of(request.GET))
    return answer(request, found, reverse("reviews:explain", args=arguments))
