"""Where did this value first appear in the run? A page of its own, or a piece of another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import groupby
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET

from attribution.minimap import STRIP, Strip, lit_of, strips
from attribution.minimap.scale import TOLD, cut
from attribution.place import Place
from attribution.views.run import run_or_404
from traces import searching, values
from traces.access import ProjectRequest, member
from traces.models import Run
from traces.outline import Outline
from traces.outlines import outline_of_run

SHOWN = 40


@require_GET
@member()
def appearances(request: ProjectRequest, run_id: UUID) -> HttpResponse:
    run = run_or_404(request, run_id)
    text = request.GET.get("text", "").replace("\0", "")
    selected = step_in(request.GET.get("step", ""), run)
    context: dict[str, Any] = {"run": run, "selected": selected, "strips": ()}
    context |= {"text": text[: values.LONGEST + 1], "place": place_of(request)}
    try:
        context |= searched(run, text, selected)
    except values.Unsearchable as error:
        context["refusal"] = str(error)
    if request.headers.get("X-Inquest") != "fragments":
        address = reverse("attribution:run", args=[request.project.slug, run.pk])
        return render(request, "attribution/values.html", context | {"address": address})
    response = render(request, "attribution/_values_strip.html", context)
    response.headers["X-Inquest"] = "fragments"
    return response


def place_of(request: ProjectRequest) -> Place:
    """Where links lead; what is looked for here is elsewhere the name of a filter."""
    place = Place.from_query(request.GET)
    return replace(place, given=tuple(pair for pair in place.given if pair[0] != "text"))


def step_in(text: str, run: Run) -> int | None:
    """The number of a step of the run, if the text is one."""
    is_number = text.isascii() and text.isdigit() and len(text) < 9
    return int(text) if is_number and int(text) < run.step_count else None


def searched(run: Run, text: str, selected: int | None) -> dict[str, Any]:
    """Which steps hold the text, the earliest first. Raises Unsearchable."""
    values.check(text)
    outline = outline_of_run(run)
    texts = searching.texts_of(run)
    found = values.places(texts.sources, text)
    numbers = sorted({place.step for place in found})
    shown = set(numbers[:SHOWN])
    asked = found and selected is not None
    relation = lit_of(outline, selected).relation if asked and selected is not None else None
    strip = Strip(f"“{text.strip()}”", numbers, next(iter(numbers), None))
    drawn = strips([strip], len(outline))
    return {
        "steps": by_step([place for place in found if place.step in shown], outline, relation),
        "count": len(numbers),
        "first": strip.first,
        "strips": drawn,
        "height": STRIP * len(drawn),
        "unread": texts.unread,
        "partial": any(len(list(g)) >= values.MOST for _, g in groupby(found, key=part_of)),
    }


def part_of(place: values.Appearance) -> tuple[int, int]:
    return place.step, place.part


def by_step(
    found: list[values.Appearance], outline: Outline, relation: Callable[[int], str] | None
) -> list[dict[str, Any]]:
    """A row per step that holds the value: who, seen or said, to the letter or not."""
    return [
        {
            "number": number,
            "actor": cut(outline.lane(number).key, TOLD),
            "observed": any(place.observed for place in places),
            "exact": any(place.exact for place in places),
            "payload": all(place.payload for place in places),
            "times": len(places),
            "relation": relation(number) if relation else "",
        }
        for number, group in groupby(found, key=lambda place: place.step)
        for places in [list(group)]
    ]
