"""One step as an auditor sees it: who, on whose order, from what, and what came of it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db.models import F, Value
from django.db.models.functions import Left, Length
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from traces import gaps, models, vantage
from traces.access import ProjectRequest, member
from traces.models import Gap, Run, Step
from traces.payload_views import payload_view
from traces.payloads import references
from traces.structure import structure_of
from traces.tallies import states_below
from traces.transcript import OBSERVATIONS, Actor, ActorKind, Part, PartKind, Transcript
from traces.views.record import run_or_404

# Characters of a part's text, and parts and gaps of the step, that the page shows.
SHOWN = 400
MOST = 60


@require_GET
@member()
def step(request: ProjectRequest, run_id: UUID, number: int) -> HttpResponse:
    run = run_or_404(request, run_id)
    if number >= run.step_count:
        raise Http404("No such step.")
    shown = Step.objects.get(run=run, number=number)
    structure = structure_of(run)
    actor = structure.actor_by_key[shown.actor]
    found = list(Gap.objects.filter(run=run, step=number).order_by("pk")[: MOST + 1])
    context = {
        "run": run,
        "step": shown,
        "actor": actor,
        "actor_why": states_below(run, "actors") | dict(actor.capture),
        "step_why": step_states(run) | shown.capture,
        "parts": parts_of(run, number, actor),
        "vantage": vantage.vantage(structure, number),
        "steps": structure.steps,
        "gaps": [(gaps.KINDS.get(gap.kind), gap) for gap in found[:MOST]],
        "more_gaps": len(found) > MOST,
        "most": MOST,
        **way_to(request, structure, number),
    }
    return render(request, "traces/step.html", context)


def step_states(run: Run) -> dict[str, str]:
    """Why a field of any step is empty, under the names of our columns."""
    below = states_below(run, "steps")
    return below | {"attempt_by": below.get("retry/decided_by", "")}


def parts_of(run: Run, number: int, actor: Actor) -> list[dict[str, Any]]:
    """The step's parts with the beginning of their text, and whether each was seen or said."""
    rows = models.Part.objects.filter(run=run, step=number).order_by("position")
    rows = rows.annotate(
        beginning=Left(F("text"), Value(SHOWN)),
        length=Length("text"),
        payload=F("data__payload"),
        payloads=F("data__payloads"),
    )
    names = ("position", "kind", "capture", "beginning", "length", "payload", "payloads")
    environment = actor.kind == ActorKind.ENVIRONMENT
    return [
        {
            **row,
            "observed": row["kind"] in OBSERVATIONS
            or (row["kind"] == PartKind.INPUT and environment),
            "more": max(0, row["length"] - SHOWN),
            **whole(row),
        }
        for row in rows.values(*names)
    ]


def whole(row: dict[str, Any]) -> dict[str, Any]:
    """The payloads of a part, and the length of its text as it came, also if that is in one."""
    named = {"payload": row["payload"], "payloads": row["payloads"]}
    found = list(references(Part(PartKind(row["kind"]), "", named)))
    moved = [each.get("characters") for each in found if each.get("of") == "text"]
    lengths = [length for length in moved if isinstance(length, int)]
    shown = tuple(dict.fromkeys(map(payload_view, found)))
    return {"payloads": shown, "whole": lengths[0] if lengths else row["length"]}


def way_to(request: ProjectRequest, structure: Transcript, number: int) -> dict[str, Any]:
    """The path to the step that the reader asked for, or what is wrong with the question."""
    wanted = request.GET.get("to", "").strip().removeprefix("#")
    if not wanted:
        return {}
    other = int(wanted) if wanted.isascii() and wanted.isdigit() and len(wanted) < 10 else -1
    if not 0 <= other < len(structure.steps):
        last = len(structure.steps) - 1
        return {"to": wanted, "refusal": f"Give a step number from 0 to {last}."}
    return {"to": wanted, "way": vantage.way(structure, number, other)}
