"""What waits for a lead, the claims beside each other, and the postmortems of what is settled."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods

from reviews import adjudication, queue
from reviews.claim_facts import compared
from reviews.dossier import Dossier
from reviews.fields import key
from reviews.forms import VerdictForm
from reviews.models import Case, Claim, Postmortem, Verdict
from reviews.postmortems import exports, keys, signing
from reviews.views.pages import dossier_or_404
from traces import quarantine
from traces.access import ProjectRequest, member
from traces.models import Role

ON_PAGE = 200
# Of the comparison, in per cent; the claims share the rest.
QUESTION_WIDTH = 12


@require_GET
@member()
def verdicts(request: ProjectRequest) -> HttpResponse:
    cases = Case.objects.of_project(request.project).waiting()
    waiting = cases.counted()
    signed = Verdict.objects.filter(case__project=request.project, superseded_by=None)
    related = ("case__failure", "case__run", "case__project", "signed_by", "adopted")
    context = {
        "waiting": waiting.with_record().order_by("opened_at", "number")[:ON_PAGE],
        "waiting_total": waiting.count(),
        "signed": signed.select_related(*related).order_by("-signed_at", "-pk")[:ON_PAGE],
        "signed_count": signed.count(),
        "left_out": queue.counted(cases.set_aside()),
        "counted": queue.COUNTED,
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
    context = _comparison(request, dossier) | {"form": form, "refused": refused}
    return render(request, "reviews/verdict.html", context)


@require_GET
@member()
def postmortem(request: ProjectRequest, number: int, kind: str) -> HttpResponse:
    found = _postmortem_or_404(request, number)
    export = exports.BY_ENDING.get(kind)
    if export is None:
        raise Http404("No such format.")
    older = f"-verdict-{found.verdict.number}" if "verdict" in request.GET else ""
    name = f"{request.project.slug}-case-{number}-postmortem{older}.{kind}"
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


def _comparison(request: ProjectRequest, dossier: Dossier) -> dict[str, Any]:
    """The claims beside each other, and what the policy lets this lead do with them."""
    case, lead = dossier.case, request.user
    width = (100 - QUESTION_WIDTH) // max(1, len(dossier.claims))
    return {
        "case": case,
        "dossier": dossier,
        "rows": compared([dossier.claim_facts[claim.pk] for claim in dossier.claims]),
        "widths": [QUESTION_WIDTH, *[width for _ in dossier.claims]],
        "choices": [
            (claim, adjudication.bar_to_adopting(claim, case=case, lead=lead))
            for claim in dossier.claims
        ],
        "barred": adjudication.bar_to_deciding(case, lead=lead),
        "case_address": case.get_absolute_url(),
    }


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
            supersedes=_superseded(request, dossier),
        )
    except adjudication.Refused as error:
        return error.sentences
    return []


def _superseded(request: ProjectRequest, dossier: Dossier) -> Verdict | None:
    """The verdict that the lead saw standing, by its number on the page."""
    wanted = key(request.POST.get("supersedes", ""))
    return next((verdict for verdict in dossier.verdicts if verdict.number == wanted), None)


def _postmortem_or_404(request: ProjectRequest, number: int) -> Postmortem:
    """That of the standing verdict, or of ?verdict=N."""
    wanted = request.GET.get("verdict")
    found = Postmortem.objects.of_case(request.project.slug, number)
    if wanted is not None:
        cases = Postmortem.objects.filter(verdict__case__project=request.project)
        signed = cases.filter(verdict__case__number=number).select_related("verdict")
        found = signed.filter(verdict__number=key(wanted) or 0).first()
    if found is None:
        raise Http404("No postmortem is signed yet.")
    quarantine.require_readable(found.verdict.case.run, request.membership)
    return found
