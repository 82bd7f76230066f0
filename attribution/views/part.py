"""One part of a step at length: its value in any mode, its whole text, and where words stand in it.

Every view answers with a page, or with the value alone for the scripts of the trace browser.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from http import HTTPStatus
from typing import Any
from uuid import UUID

from django.conf import settings
from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_GET

from attribution import parts
from attribution.rendering import branches
from attribution.rendering.cutting import ALL, PAGE
from attribution.rendering.locate import locate
from attribution.rendering.markdown import host_of
from attribution.rendering.modes import COOKIE, JSON, MODES, RAW, RENDERED, remembered, remembering
from attribution.rendering.repeated import common_length
from attribution.rendering.structure import NoSuchPlace, NotJson
from attribution.views.run import run_or_404
from traces import models, payload_store, whole
from traces.access import ProjectRequest, member
from traces.reading import part_of
from traces.transcript import Actor, ActorKind, Part

YEAR = 365 * 24 * 3600
# The largest number that a column of numbers holds; characters of a selection and of an address.
LARGEST, SELECTED, ADDRESS = 2**31 - 1, 20_000, 4_000


@dataclass(frozen=True)
class Found:
    """A part of a run that this member may read."""

    run: models.Run
    number: int
    position: int
    part: Part

    @cached_property
    def steps_address(self) -> str:
        """What the addresses of this step's parts begin with."""
        run = reverse("attribution:run", args=[self.run.project.slug, self.run.pk])
        return f"{run}steps/{self.number}/parts/"

    @cached_property
    def text(self) -> str:
        """The whole text, or what the part kept of it."""
        try:
            return whole.text_of(self.run, self.part)
        except payload_store.Unavailable:
            return self.part.text

    @property
    def is_observed(self) -> bool:
        step = models.Step.objects.get(run=self.run, number=self.number)
        actor = models.Actor.objects.get(run=self.run, key=step.actor)
        return self.part.is_observation(Actor(actor.key, actor.role, ActorKind(actor.kind)))


@require_GET
@member()
def part(request: ProjectRequest, run_id: UUID, number: int, position: int) -> HttpResponse:
    found = part_or_404(request, run_id, number, position)
    kind = found.part.kind.value
    modes = remembered(request.COOKIES.get(COOKIE, ""))
    asked = request.GET.get("as", "")
    mode = asked if asked in MODES else modes.get(kind, RENDERED)
    if "path" in request.GET:
        return branch(request, found)
    length = "all" if request.GET.get("lines") == "all" else "part"
    shown = view_of(found, mode, length)
    response = answer(request, found, {"part": shown, "page": length})
    if asked in MODES and "keep" in request.GET:
        response.set_cookie(
            COOKIE,
            remembering(modes, kind, asked),
            max_age=YEAR,
            samesite="Lax",
            secure=settings.SESSION_COOKIE_SECURE,
        )
    return response


def view_of(found: Found, mode: str, length: str) -> parts.PartView:
    """The part at length, with every mode to choose."""
    kept = found.part
    data = whole.data_of(found.run, kept) if mode == JSON else kept.data
    given = replace(kept, text=found.text, data=data)
    showing = parts.Showing(
        found.steps_address,
        {kept.kind.value: mode},
        ALL if length == "all" else PAGE,
        None if found.text is kept.text else common_length(found.text, kept.text),
    )
    shown = parts.view(
        given, found.position, observed=found.is_observed, cited=(), other=None, showing=showing
    )
    modes = shown.value.modes or ((RENDERED, RAW, JSON) if data else (RENDERED, RAW))
    return replace(shown, value=replace(shown.value, modes=modes))


def branch(request: ProjectRequest, found: Found) -> HttpResponse:
    """A branch of the part's JSON."""
    is_data = request.GET.get("of") == "data"
    source = whole.data_of(found.run, found.part) if is_data else found.text
    given, path = request.GET.get("from", ""), request.GET["path"]
    start = int(given) if given.isascii() and given.isdigit() and len(given) < 9 else 0
    query = "?as=json&of=data" if is_data else "?as=json"
    address = f"{found.steps_address}{found.position}/{query}"
    try:
        html = branches.branch(source, path, start, address)
    except (NotJson, NoSuchPlace) as error:
        raise Http404("Nothing stands at this place.") from error
    return answer(request, found, {"branch": html, "path": path, "back": address})


def answer(request: ProjectRequest, found: Found, context: dict[str, Any]) -> HttpResponse:
    """The value alone for a script, which knows it by a header; else a page."""
    context |= {"run": found.run, "number": found.number, "position": found.position}
    if request.headers.get("X-Inquest") != "fragments":
        return render(request, "attribution/part.html", context)
    if "branch" in context:
        response = HttpResponse(context["branch"])
    else:
        response = render(request, "attribution/_value.html", context)
    response.headers["X-Inquest"] = "fragments"
    return response


@require_GET
@member()
def text(request: ProjectRequest, run_id: UUID, number: int, position: int) -> HttpResponse:
    """The exact text, as a file to keep."""
    found = part_or_404(request, run_id, number, position)
    plain = "text/plain; charset=utf-8"
    try:
        content = whole.text_of(found.run, found.part)
    except payload_store.Unavailable as error:
        return HttpResponse(str(error), content_type=plain, status=HTTPStatus.BAD_GATEWAY)
    name = f"step-{number}-part-{position}.txt"
    return HttpResponse(
        content.encode(),
        content_type=plain,
        headers={
            "Content-Disposition": content_disposition_header(as_attachment=True, filename=name),
            "X-Content-Type-Options": "nosniff",
        },
    )


@require_GET
@member()
def located(request: ProjectRequest, run_id: UUID, number: int, position: int) -> HttpResponse:
    """The ranges of the part's text, in code points, that hold words selected in a rendered value.

    Only what the part itself keeps can be cited, and is searched.
    """
    found = part_or_404(request, run_id, number, position)
    selected = request.GET.get("text", "")[:SELECTED]
    return JsonResponse({"ranges": locate(found.part.text, selected)})


@require_GET
@member()
def leaving(request: ProjectRequest, run_id: UUID, number: int, position: int) -> HttpResponse:
    """Where a link of the trace leads, said before anybody goes there."""
    found = part_or_404(request, run_id, number, position)
    target = request.GET.get("to", "")[:ADDRESS]
    context = {
        "run": found.run,
        "number": number,
        "target": target,
        "host": host_of(target),
        "back": f"{found.steps_address}{position}/",
    }
    return render(request, "attribution/leaving.html", context)


def part_or_404(request: ProjectRequest, run_id: UUID, number: int, position: int) -> Found:
    run = run_or_404(request, run_id)
    row = None
    if max(number, position) <= LARGEST:
        row = models.Part.objects.filter(run=run, step=number, position=position).first()
    if row is None:
        raise Http404("No such part.")
    return Found(run, number, position, part_of(row))
