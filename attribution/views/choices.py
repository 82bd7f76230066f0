"""What can be laid beside a run: other runs with the reason, branches, a step, the raw source."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET

from attribution import neighbours
from attribution.alignment import branches
from attribution.comparing import ALIGNABLE
from attribution.place import Place
from attribution.views.run import run_or_404
from traces import reading
from traces.access import ProjectRequest, member
from traces.models import Run

MOST_FORKS = 12


@require_GET
@member()
def choices(request: ProjectRequest, run_id: UUID) -> HttpResponse:
    shown = run_or_404(request, run_id)
    return answer(
        request, shown, back=reverse("attribution:run", args=[request.project.slug, run_id])
    )


def answer(request: ProjectRequest, shown: Run, *, back: str) -> HttpResponse:
    """The choices, as a page or as a piece of one; they lead to the page at `back`."""
    place = Place.from_query(request.GET)
    forks = branches.forks(reading.transcript_of(shown)) if shown.step_count <= ALIGNABLE else []
    context = {
        "run": shown,
        "back": back,
        "selected": place.step or 0,
        "others": [
            (each, place.query(**{"with": str(each.run.pk), "lock": None}))
            for each in neighbours.choices_for(shown)
        ],
        "forks": [
            (
                fork,
                [
                    (one, place.query(**{"with": f"branch:{fork.branches[0].first}-{one.first}"}))
                    for one in fork.branches[1:]
                ],
            )
            for fork in forks[:MOST_FORKS]
        ],
        "more_forks": max(0, len(forks) - MOST_FORKS),
        "own": [
            (
                "This step, to compare others with",
                place.query(**{"with": f"step:{place.step or 0}"}),
            ),
            ("The raw source of the selected step", place.query(**{"with": "raw"})),
            ("Nothing", place.query(**{"with": "none"})),
        ],
    }
    if request.headers.get("X-Inquest") != "fragments" and not request.htmx:
        return render(request, "attribution/choices.html", context)
    response = render(request, "attribution/_choices.html", context)
    response.headers["X-Inquest"] = "fragments"
    return response
