"""Where did this value first appear in the run? A page of its own, or a piece of another."""

from __future__ import annotations

from itertools import groupby
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from attribution.views.run import run_or_404
from traces import reading, values
from traces.access import ProjectRequest, member
from traces.transcript import Transcript

SHOWN = 40


@require_GET
@member()
def appearances(request: ProjectRequest, run_id: UUID) -> HttpResponse:
    run = run_or_404(request, run_id)
    text = request.GET.get("text", "").replace("\0", "")
    context: dict[str, Any] = {"run": run, "text": text}
    try:
        transcript = reading.transcript_of(run)
        steps = by_step(transcript, values.appearances(transcript, text))
        context |= {"steps": steps[:SHOWN], "count": len(steps), "first": next(iter(steps), None)}
    except values.Unsearchable as error:
        context["refusal"] = str(error)
    if request.headers.get("X-Inquest") != "fragments":
        return render(request, "attribution/values.html", context)
    response = render(request, "attribution/_values.html", context)
    response.headers["X-Inquest"] = "fragments"
    return response


def by_step(transcript: Transcript, found: list[values.Appearance]) -> list[dict[str, Any]]:
    """A row per step that holds the value: who, seen or said, to the letter or not."""
    return [
        {
            "number": number,
            "actor": transcript.steps[number].actor,
            "observed": any(place.observed for place in places),
            "exact": any(place.exact for place in places),
            "times": len(places),
        }
        for number, group in groupby(found, key=lambda place: place.step)
        for places in [list(group)]
    ]
