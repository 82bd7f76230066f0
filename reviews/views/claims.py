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

from reviews import adjudication, assignment, drafts, grounds
from reviews.claim_facts import Fact, Named, facts_of
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
    """Sign what departs from the candidate; without a candidate, one's own finding."""
    dossier = dossier_or_404(request, number)
    if dossier.proposal is None:
        return _page(request, dossier, Claim.Outcome.ATTRIBUTED)
    if dossier.slot and not differences(dossier.finding, dossier.proposal):
        return _unchanged(request, dossier)
    return _page(request, dossier, Claim.Outcome.ATTRIBUTED, form_class=RevisionForm)


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
    context = _context(dossier, outcome) | {"form": form, "refused": refused}
    return render(request, "reviews/sign.html", context)


def _unchanged(request: ProjectRequest, dossier: Dossier) -> HttpResponse:
    """A revision that revises nothing is not signed as one."""
    context = _context(dossier, Claim.Outcome.ATTRIBUTED)
    refused = ["You changed nothing: sign it as it stands."]
    return render(request, "reviews/sign.html", context | {"refused": refused, "unchanged": True})


def _context(dossier: Dossier, outcome: Claim.Outcome) -> dict[str, Any]:
    departs = differences(dossier.finding, dossier.proposal) if dossier.proposal else []
    return panel_context(dossier, 0) | {
        "case_address": dossier.case.get_absolute_url(),
        "outcome": outcome,
        "differences": departs,
        "facts": _facts(dossier, outcome, departs=departs),
        "lacking": _lacking(dossier, outcome),
    }


def _facts(dossier: Dossier, outcome: str, *, departs: list[str]) -> tuple[Fact, ...]:
    """All that would be signed now, with the quotes that come from the candidate."""
    finding, categories = dossier.finding, dossier.case.project.categories
    chosen = dossier.chosen if outcome == Claim.Outcome.ATTRIBUTED else None
    if chosen and not finding.quotes_origin:
        finding = replace(finding, evidence=finding.evidence + grounds.quotes_of(chosen))
    if not departs:
        finding = replace(finding, revision_reason="")
    named = Named(
        roles=dossier.actor_names,
        contracts={contract.pk: contract for contract in dossier.contracts},
        category=categories.filter(pk=finding.category).first() if finding.category else None,
        candidate=chosen,
    )
    basis = Claim.Basis.REVISED if departs else Claim.Basis.SIGNED
    return facts_of(finding, outcome=outcome, basis=basis, named=named)


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
