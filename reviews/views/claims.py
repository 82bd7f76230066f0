"""Signing a claim: a page that says what will be signed, then the signature."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from reviews import adjudication, assignment, drafts
from reviews.dossier import Dossier
from reviews.findings import differences, missing_for
from reviews.forms import RevisionForm, UnresolvedForm
from reviews.models import Claim, Slot
from reviews.views.case import panel_context
from reviews.views.pages import back_to_case, dossier_or_404
from traces.access import ProjectRequest, member
from traces.models import Role


@require_http_methods(["GET", "POST"])
@member(Role.REVIEWER)
def sign(request: ProjectRequest, number: int) -> HttpResponse:
    """Sign as it stands; what departs from the candidate it started from is a revision."""
    dossier = dossier_or_404(request, number)
    if dossier.proposal and differences(dossier.finding, dossier.proposal):
        return _page(request, dossier, Claim.Outcome.ATTRIBUTED, form_class=RevisionForm)
    return _page(request, dossier, Claim.Outcome.ATTRIBUTED)


@require_http_methods(["GET", "POST"])
@member(Role.REVIEWER)
def revise(request: ProjectRequest, number: int) -> HttpResponse:
    dossier = dossier_or_404(request, number)
    form_class = RevisionForm if dossier.chosen else None
    return _page(request, dossier, Claim.Outcome.ATTRIBUTED, form_class=form_class)


@require_http_methods(["GET", "POST"])
@member(Role.REVIEWER)
def unresolved(request: ProjectRequest, number: int) -> HttpResponse:
    dossier = dossier_or_404(request, number)
    return _page(request, dossier, Claim.Outcome.UNRESOLVED, form_class=UnresolvedForm)


def _page(
    request: ProjectRequest,
    dossier: Dossier,
    outcome: Claim.Outcome,
    *,
    form_class: type[forms.Form] | None = None,
) -> HttpResponse:
    if dossier.slot is None:
        messages.error(request, "You do not hold this case.")
        return back_to_case(dossier.case)
    form = form_class(request.POST or None, initial=dossier.fields) if form_class else None
    if request.method == "POST" and (form is None or form.is_valid()):
        written = form.cleaned_data if form else {}
        refused = _signed(request, dossier, dossier.slot, outcome=outcome, written=written)
        if not refused:
            messages.success(request, f"Your claim on {dossier.case} is signed.")
            return back_to_case(dossier.case)
    else:
        refused = []
    departs = differences(dossier.finding, dossier.proposal) if dossier.proposal else []
    context = panel_context(dossier, 0) | {
        "form": form,
        "refused": refused,
        "outcome": outcome,
        "differences": departs,
        "lacking": _lacking(dossier, outcome),
    }
    return render(request, "reviews/sign.html", context)


def _lacking(dossier: Dossier, outcome: str) -> list[str]:
    """What the case page still has to say; what this page's own form asks counts as answered."""
    asked_here = replace(
        dossier.finding,
        revision_reason="asked here",
        unresolved_reason=Claim.UnresolvedReason.EVIDENCE_MISSING,
        missing_observation="asked here",
    )
    return missing_for(asked_here, outcome, dossier.proposal)


def _signed(
    request: ProjectRequest,
    dossier: Dossier,
    slot: Slot,
    *,
    outcome: Claim.Outcome,
    written: dict[str, Any],
) -> list[str]:
    """Sign; the sentences of a refusal, or none."""
    token = request.POST.get("token", "")
    try:
        if written:
            drafts.write(slot_id=slot.pk, token=token, changes=written, at=timezone.now())
        adjudication.sign_claim(
            case=dossier.case,
            reviewer=request.user,
            token=token,
            finding=dossier.reread().finding,
            outcome=outcome,
            at=timezone.now(),
        )
    except adjudication.Refused as error:
        return error.sentences
    except assignment.NotYourLease as error:
        return [str(error)]
    return []
