"""Changes to the reader's own draft. Each is a plain form first; scripts get fragments back."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_POST

from attribution.place import Place
from attribution.place import number as number_of
from reviews import assignment, drafts, fields, quoting
from reviews.dossier import Dossier
from reviews.fields import Quote
from reviews.models import Claim
from reviews.views.case import panel_context, trace_fragments
from reviews.views.pages import (
    back_to_case,
    dossier_or_404,
    fragments,
    wants_fragments,
)
from traces import content
from traces.access import ProjectRequest, member
from traces.models import Role
from traces.transcript import Step

REFUSED = 409
SIGNATURES = ("sign", "revise", "unresolved")
NOT_HELD = "You do not hold this case any more: take it again, if it is still free."
READ_ANEW = "The run was read anew since this page was drawn: reload it and mark the step again."
SIGNED = "You have signed your claim on this case; it cannot change any more."


@require_POST
@member(Role.REVIEWER)
def write(request: ProjectRequest, number: int) -> HttpResponse:
    """Typed and picked fields. Answers with the saved time and what is still missing."""
    dossier = dossier_or_404(request, number)
    try:
        drafts.write(**_held(request, dossier), changes=request.POST.dict(), at=timezone.now())
        _annotate(request, dossier)
        if "seen" in request.POST:
            drafts.seen(**_held(request, dossier), at=timezone.now())
    except assignment.NotYourLease as error:
        return _refusal(request, dossier, error)
    if not wants_fragments(request):
        return _onwards(request, dossier)
    fresh = dossier.reread()
    missing = fresh.missing(Claim.Outcome.ATTRIBUTED)
    context = {
        "case": fresh.case,
        "dossier": fresh,
        "missing": missing,
        "renewed": fresh.fields.get("renewed"),
    }
    return fragments(
        request,
        ("reviews/_saved.html", context),
        ("reviews/_renewed.html", context),
        ("reviews/_claim_footer.html", context),
    )


@require_POST
@member(Role.REVIEWER)
def mark(request: ProjectRequest, number: int) -> HttpResponse:
    dossier = dossier_or_404(request, number)
    purpose, at_step = _mark_of(request)
    step = _step_or_404(dossier, at_step)
    actor = dossier.actor_of(step.number)
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
    step = _step_or_404(dossier, fields.number(request.POST.get("step")))
    given = [request.POST.get(name, "") for name in ("part", "start", "end")]
    try:
        quote = _selected(step, given) if any(given) else quoting.telling_quote(step)
    except quoting.NothingToQuote as error:
        return _refusal(request, dossier, error)
    return _changed(request, dossier, drafts.cite, quote=quote, at=timezone.now())


@require_POST
@member(Role.REVIEWER)
def uncite(request: ProjectRequest, number: int) -> HttpResponse:
    dossier = dossier_or_404(request, number)
    values = [fields.number(value) for value in request.POST.get("anchor", "").split("-")]
    anchor = [value for value in values if value is not None]
    if len(values) != 4 or len(anchor) != 4:
        raise Http404("No such quote.")
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
    actor = dossier.actor_by_key[found[0].actor]
    return _changed(
        request, dossier, drafts.start_from, candidate=found[0], actor=actor, at=timezone.now()
    )


def _changed(request: ProjectRequest, dossier: Dossier, verb: Any, **given: Any) -> HttpResponse:
    """Do one change; answer with the claim and every step whose marks differ now."""
    before = dossier.finding.steps
    try:
        if "note" in request.POST:  # a plain form brings its other fields along
            drafts.write(**_held(request, dossier), changes=request.POST.dict(), at=timezone.now())
        _require_current(request, dossier)
        verb(**_held(request, dossier), **given)
    except assignment.NotYourLease as error:
        return _refusal(request, dossier, error)
    step = number_of(request.POST.get("step", "")) or 0
    if not wants_fragments(request):
        return back_to_case(dossier.case, step=step)
    fresh = dossier.reread()
    explain = request.POST.get("explain", "")
    place = Place(step=step, given=(("explain", explain),) if explain else ())
    context = panel_context(fresh, step, place=place)
    return fragments(
        request,
        ("reviews/_claim.html", context),
        ("reviews/_candidates.html", context),
        ("reviews/_claim_footer.html", context),
        *trace_fragments(fresh, before | fresh.finding.steps, context),
    )


def _onwards(request: ProjectRequest, dossier: Dossier) -> HttpResponse:
    """After a plain form was saved: to the signature it was sent for, or back."""
    then = request.POST.get("then")
    if then in SIGNATURES:
        return redirect(f"reviews:{then}", request.project.slug, dossier.case.number)
    return back_to_case(dossier.case, step=number_of(request.POST.get("step", "")))


def _mark_of(request: ProjectRequest) -> tuple[str, int]:
    """Purpose and step: of the selected step, or named together by a button of the claim."""
    purpose, _, named = request.POST.get("mark", "").partition("-")
    step = fields.number(named)
    if not purpose:
        purpose, step = request.POST.get("purpose", ""), fields.number(request.POST.get("step"))
    if purpose not in drafts.MARKS or step is None:
        raise Http404("No such mark.")
    return purpose, step


def _selected(step: Step, given: list[str]) -> Quote:
    """The quote of a selection: part, start and end. What is no number is no place in a text."""
    part, start, end = (-1 if n is None else n for n in map(fields.number, given))
    return quoting.exact_quote(step, part, start, end)


def _held(request: ProjectRequest, dossier: Dossier) -> dict[str, Any]:
    try:
        token = UUID(request.POST.get("token", ""))
    except ValueError as error:
        raise Http404("No lease was named.") from error
    if dossier.slot is None:
        raise assignment.NotYourLease(SIGNED if dossier.own_claim else NOT_HELD)
    return {"slot_id": dossier.slot.pk, "token": token}


def _require_current(request: ProjectRequest, dossier: Dossier) -> None:
    """Steps are named by number, so a page of an earlier reading may mean another step."""
    if request.POST.get("reading", "") not in ("", str(dossier.case.run.revision)):
        raise assignment.NotYourLease(READ_ANEW)


def _refusal(request: ProjectRequest, dossier: Dossier, error: Exception) -> HttpResponse:
    if wants_fragments(request):
        return HttpResponse(str(error), status=REFUSED, content_type="text/plain")
    messages.error(request, str(error))
    return back_to_case(dossier.case, step=number_of(request.POST.get("step", "")))


def _step_or_404(dossier: Dossier, number: int | None) -> Step:
    run = dossier.case.run
    if number is None or number >= run.step_count:
        raise Http404("No such step.")
    return content.steps_of({run.pk: [number]})[run.pk, number]


def _annotate(request: ProjectRequest, dossier: Dossier) -> None:
    """`contract-12` and `because-12` complete the rows that marks at step 12 made."""
    for name, value in request.POST.items():
        kind, _, step = name.partition("-")
        list_name = {"contract": "misses", "because": "alternatives"}.get(kind)
        number = fields.number(step)
        if list_name and number is not None:
            drafts.annotate(
                **_held(request, dossier),
                list_name=list_name,
                step=number,
                value=value,
                at=timezone.now(),
            )
