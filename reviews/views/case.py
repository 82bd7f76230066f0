"""The case page: failure, causal picture, evidence side by side, judgement."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from attribution.views.run import comparison_words, links_for, step_of
from reviews.dossier import Dossier
from reviews.models import Case, Claim
from reviews.views.pages import dossier_or_404, fragments
from traces.access import ProjectRequest, member
from traces.models import Role


@require_GET
@member()
def case(request: ProjectRequest, number: int) -> HttpResponse:
    dossier = dossier_or_404(request, number)
    step = step_of(request)
    browser = dossier.browser(around=step)
    context = panel_context(dossier, step) | {
        "browser": browser,
        "map": dossier.minimap(),
        "comparison": comparison_words(dossier.neighbour),
        "links": links_for(dossier.transcript, browser),
        "exclusion": dossier.exclusion,
    }
    return render(request, "reviews/case.html", context)


@require_GET
@member()
def candidates(request: ProjectRequest, number: int) -> HttpResponse:
    """Polled while attributors are at work: the list, the map and the steps they name."""
    dossier = dossier_or_404(request, number)
    context = panel_context(dossier, step_of(request)) | {"oob": True}
    return fragments(
        request,
        ("reviews/_candidates.html", context),
        *trace_fragments(dossier, dossier.marks.candidates, context),
    )


def panel_context(dossier: Dossier, step: int) -> dict[str, Any]:
    """What the adjudication panel needs, whatever state the case is in."""
    names = dossier.actor_names
    selected = max(0, min(step, len(names) - 1))
    return {
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
    dossier: Dossier, steps: Any, context: dict[str, Any]
) -> list[tuple[str, dict[str, object]]]:
    """The minimap and the left side of these steps, drawn again with the reader's marks."""
    side = dossier.side()
    drawn: list[tuple[str, dict[str, object]]] = [
        ("attribution/_minimap.html", {**context, "map": dossier.minimap()})
    ]
    for number in sorted(steps):
        view = side.view(dossier.transcript.steps[number])
        drawn.append(("attribution/_step.html", {**context, "view": view, "side": "s"}))
    return drawn
