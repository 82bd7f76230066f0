"""Changes to the reader's own draft. Each is a plain form first; scripts get fragments back."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import Http404, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_POST

from reviews import assignment, drafts
from reviews.dossier import Dossier
from reviews.views.case import panel_context, trace_fragments
from reviews.views.pages import (
    back_to_case,
    dossier_or_404,
    fragments,
    step_of,
    wants_fragments,
)
from traces.access import ProjectRequest, member
from traces.models import Role
from traces.transcript import Step

REFUSED = 409


@require_POST
@member(Role.REVIEWER)
def write(request: ProjectRequest, number: int) -> HttpResponse:
    """Typed and picked fields. Answers with the saved time and what is still missing."""
    dossier = dossier_or_404(request, number)
    try:
        drafts.write(**_held(request, dossier), changes=request.POST.dict(), at=timezone.now())
        _annotate(request, dossier)
    except assignment.NotYourLease as error:
        return _refusal(request, dossier, error)
    if not wants_fragments(request):
        return back_to_case(dossier.case)
    fresh = dossier_or_404(request, number)
    context = panel_context(fresh, step_of(request))
    return fragments(
        request, ("reviews/_saved.html", context), ("reviews/_claim_footer.html", context)
    )


@require_POST
@member(Role.REVIEWER)
def mark(request: ProjectRequest, number: int) -> HttpResponse:
    dossier = dossier_or_404(request, number)
    purpose, at_step = _mark_of(request)
    step = _step_or_404(dossier, at_step)
    actor = dossier.transcript.actor_of(step)
    return _changed(
        request, dossier, drafts.mark, step=step, actor=actor, purpose=purpose, at=timezone.now()
    )


@require_POST
@member(Role.REVIEWER)
def unmark(request: ProjectRequest, number: int) -> HttpResponse:
    dossier = dossier_or_404(request, number)
    purpose, at_step = _mark_of(request)
    step = _step_or_404(dossier, at_step).number
    return _changed(request, dossier, drafts.unmark, step=step, purpose=purpose, at=timezone.now())


@require_POST
@member(Role.REVIEWER)
def cite(request: ProjectRequest, number: int) -> HttpResponse:
    dossier = dossier_or_404(request, number)
    step = _step_or_404(dossier, step_of(request))
    given = [request.POST.get(name, "") for name in ("part", "start", "end")]
    try:
        quote = (
            drafts.exact_quote(step, *(int(value) for value in given))
            if all(value.isascii() and value.isdigit() for value in given)
            else drafts.telling_quote(step)
        )
    except drafts.NothingToQuote as error:
        return HttpResponse(str(error), status=REFUSED, content_type="text/plain")
    return _changed(request, dossier, drafts.cite, quote=quote, at=timezone.now())


@require_POST
@member(Role.REVIEWER)
def uncite(request: ProjectRequest, number: int) -> HttpResponse:
    dossier = dossier_or_404(request, number)
    values = request.POST.get("anchor", "").split("-")
    if len(values) != 4 or not all(value.isascii() and value.isdigit() for value in values):
        raise Http404("No such quote.")
    anchor = [int(value) for value in values]
    return _changed(request, dossier, drafts.uncite, anchor=anchor, at=timezone.now())


@require_POST
@member(Role.REVIEWER)
def start_from(request: ProjectRequest, number: int) -> HttpResponse:
    """Take a candidate as the starting point, or (without one) set it aside."""
    dossier = dossier_or_404(request, number)
    wanted = request.POST.get("candidate", "")
    if not wanted:
        return _changed(request, dossier, drafts.set_candidate_aside, at=timezone.now())
    found = [e.candidate for e in dossier.explanations if str(e.candidate.pk) == wanted]
    if not found:
        raise Http404("No such candidate.")
    actor = dossier.transcript.actor_by_key[found[0].actor]
    return _changed(
        request, dossier, drafts.start_from, candidate=found[0], actor=actor, at=timezone.now()
    )


def _changed(request: ProjectRequest, dossier: Dossier, verb: Any, **given: Any) -> HttpResponse:
    """Do one change; answer with the claim and every step whose marks differ now."""
    try:
        if "note" in request.POST:  # a plain form brings its other fields along
            drafts.write(**_held(request, dossier), changes=request.POST.dict(), at=timezone.now())
        verb(**_held(request, dossier), **given)
    except assignment.NotYourLease as error:
        return _refusal(request, dossier, error)
    step = step_of(request)
    if not wants_fragments(request):
        return back_to_case(dossier.case, step=step)
    fresh = dossier_or_404(request, dossier.case.number)
    context = panel_context(fresh, step)
    return fragments(
        request,
        ("reviews/_claim.html", context),
        ("reviews/_candidates.html", context),
        *trace_fragments(fresh, dossier.finding.steps | fresh.finding.steps, context),
    )


def _mark_of(request: ProjectRequest) -> tuple[str, int]:
    """Purpose and step: of the selected step, or named together by a button of the claim."""
    purpose, _, step = request.POST.get("mark", "").partition("-")
    if not purpose:
        purpose, step = request.POST.get("purpose", ""), str(step_of(request))
    if purpose not in drafts.MARKS or not (step.isascii() and step.isdigit()):
        raise Http404("No such mark.")
    return purpose, int(step)


def _held(request: ProjectRequest, dossier: Dossier) -> dict[str, Any]:
    try:
        token = UUID(request.POST.get("token", ""))
    except ValueError as error:
        raise Http404("No lease was named.") from error
    if dossier.slot is None:
        raise assignment.NotYourLease(
            "You do not hold this case any more: your lease ended and was given to somebody else."
        )
    return {"slot_id": dossier.slot.pk, "token": token}


def _refusal(request: ProjectRequest, dossier: Dossier, error: Exception) -> HttpResponse:
    if wants_fragments(request):
        return HttpResponse(str(error), status=REFUSED, content_type="text/plain")
    return back_to_case(dossier.case)


def _step_or_404(dossier: Dossier, number: int) -> Step:
    if number >= len(dossier.transcript.steps):
        raise Http404("No such step.")
    return dossier.transcript.steps[number]


def _annotate(request: ProjectRequest, dossier: Dossier) -> None:
    """`contract-12` and `because-12` complete the rows that marks at step 12 made."""
    for name, value in request.POST.items():
        kind, _, step = name.partition("-")
        list_name = {"contract": "misses", "because": "alternatives"}.get(kind)
        if list_name and step.isascii() and step.isdigit():
            drafts.annotate(
                **_held(request, dossier),
                list_name=list_name,
                step=int(step),
                value=value,
                at=timezone.now(),
            )
