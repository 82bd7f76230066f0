"""What waits for a lead, the claims beside each other, and the postmortems of what is settled."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods

from reviews import adjudication
from reviews.dossier import Dossier
from reviews.fields import key
from reviews.forms import VerdictForm
from reviews.models import Case, Claim, Postmortem, Verdict
from reviews.postmortems import exports, keys, signing
from reviews.views.pages import dossier_or_404
from traces.access import ProjectRequest, member
from traces.models import Role

ON_PAGE = 200


@require_GET
@member()
def verdicts(request: ProjectRequest) -> HttpResponse:
    waiting = Case.objects.of_project(request.project).waiting()
    signed = Verdict.objects.filter(case__project=request.project, superseded_by=None)
    related = ("case__failure", "case__run", "case__project", "signed_by", "adopted")
    context = {
        "waiting": waiting.with_record().order_by("opened_at", "number")[:ON_PAGE],
        "waiting_total": waiting.count(),
        "signed": signed.select_related(*related).order_by("-signed_at", "-pk")[:ON_PAGE],
        "signed_count": signed.count(),
    }
    return render(request, "reviews/verdicts.html", context)


@require_http_methods(["GET", "POST"])
@member(Role.LEAD)
def verdict(request: ProjectRequest, number: int) -> HttpResponse:
    """A column per reviewer, nothing preselected; the lead adopts a claim or leaves it open."""
    dossier = dossier_or_404(request, number)
    form = VerdictForm(request.POST or None)
    refused: list[str] = []
    if form.is_valid():
        refused = _settle(request, dossier, form.cleaned_data)
        if not refused:
            messages.success(request, f"The verdict on {dossier.case} is signed.")
            return redirect(dossier.case)
    context = {
        "case": dossier.case,
        "dossier": dossier,
        "form": form,
        "refused": refused,
        "rows": list(_compared(dossier)),
        "case_address": dossier.case.get_absolute_url(),
    }
    return render(request, "reviews/verdict.html", context)


@require_GET
@member()
def postmortem(request: ProjectRequest, number: int, kind: str) -> HttpResponse:
    found = _postmortem_or_404(request, number)
    export = exports.BY_ENDING.get(kind)
    if export is None:
        raise Http404("No such format.")
    name = f"{request.project.slug}-case-{number}-postmortem.{kind}"
    headers = {
        "Content-Disposition": f'{export.disposition}; filename="{name}"',
        "Content-Security-Policy": exports.PAGE_POLICY,
    }
    content = export.render(found.envelope.encode())
    return HttpResponse(content, content_type=export.media_type, headers=headers)


@require_GET
@member()
def public_key(request: ProjectRequest) -> HttpResponse:
    headers = {"Content-Disposition": 'attachment; filename="inquest-public-key.pem"'}
    pem = signing.public_pem(keys.installation_signer())
    return HttpResponse(pem, content_type="application/x-pem-file", headers=headers)


def _settle(request: ProjectRequest, dossier: Dossier, given: dict[str, Any]) -> list[str]:
    """Sign the verdict; the sentences of a refusal, or none."""
    adopted = next((c for c in dossier.claims if c.pk == given["adopted"]), None)
    outcome = adopted.outcome if adopted else Claim.Outcome.UNRESOLVED
    missing = given["missing_observation"] or (adopted.missing_observation if adopted else "")
    if "adopted" not in request.POST:
        return ["Choose a claim to adopt, or leave the case unresolved."]
    if given["adopted"] is not None and adopted is None:
        return ["The claim you adopt is not one of this case."]
    try:
        adjudication.sign_verdict(
            case=dossier.case,
            lead=request.user,
            outcome=outcome,
            adopted=adopted,
            reason=given["reason"],
            missing_observation="" if outcome == Claim.Outcome.ATTRIBUTED else missing,
            seen={key(pk) or 0 for pk in request.POST.getlist("seen")},
            at=timezone.now(),
        )
    except adjudication.Refused as error:
        return error.sentences
    return []


def _postmortem_or_404(request: ProjectRequest, number: int) -> Postmortem:
    found = Postmortem.objects.of_case(request.project.slug, number)
    if found is None:
        raise Http404("No postmortem is signed yet.")
    return found


def _compared(dossier: Dossier) -> Any:
    """Rows of (question, an answer per claim, whether all agree)."""
    roles = dossier.actor_names
    questions: dict[str, Any] = {
        "Outcome": lambda c: c.get_outcome_display(),
        "Decisive step": lambda c: (
            "" if c.decisive_step is None else f"#{c.decisive_step} {roles[c.decisive_step]}"
        ),
        "Responsible": lambda c: c.actor or c.get_responsible_display(),
        "State change": lambda c: c.state_change,
        "Carried by": lambda c: ", ".join(f"#{carrier.step}" for carrier in c.carriers.all()),
        "Exposed by": lambda c: "" if c.exposing_step is None else f"#{c.exposing_step}",
        "Missed at": lambda c: "; ".join(
            f"#{m.step} {m.contract.component}" for m in c.misses.all()
        ),
        "Could still follow": lambda c: c.get_counterfactual_display(),
        "Apparatus not ruled out": _not_ruled_out,
        "Category": lambda c: str(c.category or ""),
        "Phase": lambda c: c.get_phase_display(),
        "Confidence": lambda c: c.get_confidence_display(),
        "Why unresolved": lambda c: c.get_unresolved_reason_display(),
        "Would settle it": lambda c: c.missing_observation,
        "Revised because": lambda c: c.revision_reason,
        "Note": lambda c: c.note,
    }
    for question, answer in questions.items():
        answers = [answer(claim) for claim in dossier.claims]
        if any(answers):
            yield question, answers, len(set(answers)) == 1


def _not_ruled_out(claim: Claim) -> str:
    names = ("evaluator", "environment", "task", "harness")
    doubtful = [name for name in names if getattr(claim, name) == Claim.Apparatus.NOT_RULED_OUT]
    return ", ".join(doubtful) or "none"
