"""What a project withholds: its policy, and what a policy would do to what is stored."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.db.models import Count, Exists, OuterRef, Subquery
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from reviews.models import Claim
from reviews.redaction_forms import RuleFormSet, formset_of, rules_from
from traces import quarantine, replacing, withholding
from traces.access import ProjectRequest, member
from traces.formats.base import Unreadable
from traces.models import RedactionPolicy, Role, Run, Withheld
from traces.redaction import BadPolicy
from traces.withholding import KeyLost

# Documents that one answer searches or replaces; they may be large.
ON_PAGE = 20
LISTED = 100


@require_GET
@member()
def redaction(request: ProjectRequest) -> HttpResponse:
    return shown(request)


@require_POST
@member(Role.LEAD)
def set_redaction(request: ProjectRequest) -> HttpResponse:
    """Put the rules of the form in force, or show what they would do, as the button says."""
    formset = RuleFormSet(request.POST, prefix="rule")
    try:
        rules = rules_from(formset) if formset.is_valid() else None
        if rules is None:
            return shown(request, formset=formset)
        if "try" in request.POST:
            return shown(request, formset=formset, findings=findings_of(request, rules))
        note = request.POST.get("note", "").replace("\0", "")[:2000]
        row = withholding.set_policy(
            project=request.project, rules=rules, note=note, by=request.user, at=timezone.now()
        )
    except BadPolicy as error:
        return shown(request, formset=formset, refusal=str(error))
    messages.success(request, f"Version {row.version} is in force for everything sent from now on.")
    return redirect("reviews:redaction", request.project.slug)


@require_POST
@member(Role.LEAD)
def apply_redaction(request: ProjectRequest) -> HttpResponse:
    """Apply the policy in force to the documents that were ticked."""
    keys = [key for key in request.POST.getlist("document") if is_key(key)]
    chosen = replacing.current(request.project).filter(pk__in=keys[:ON_PAGE])
    changed = runs = 0
    for document in chosen:
        try:
            done = replacing.apply(document=document, by=request.user, at=timezone.now())
        except (replacing.NoPolicy, quarantine.Refused, Unreadable, KeyLost) as error:
            messages.error(request, f"{document.sha256[:12]}: {error}")
            continue
        changed, runs = changed + done.changed, runs + done.set_aside
    messages.success(
        request, f"{changed} documents were replaced by redacted copies, and {runs} runs with them."
    )
    return redirect("reviews:redaction", request.project.slug)


def shown(
    request: ProjectRequest, *, formset: Any = None, refusal: str = "", findings: Any = None
) -> HttpResponse:
    versions = RedactionPolicy.objects.filter(project=request.project).order_by("-version")
    listed = list(versions.select_related("made_by")[:LISTED])
    policy = listed[0] if listed else None
    may_change = request.membership.may(Role.LEAD)
    context = {
        "policy": policy,
        "versions": listed,
        "formset": (formset or formset_of(policy.rules if policy else None))
        if may_change
        else None,
        "refusal": refusal,
        "findings": findings,
        "withheld": Withheld.objects.filter(project=request.project).count(),
    }
    return render(request, "reviews/redaction.html", context)


def findings_of(request: ProjectRequest, rules: list[dict[str, Any]]) -> dict[str, Any]:
    """What these rules would do to stored documents, newest first, a page of them.

    Only what is in force can be applied, so the page says whether these rules are.
    """
    past = request.POST.get("past", "")
    documents = replacing.current(request.project)
    if is_key(past):
        documents = documents.filter(pk__lt=int(past))
    page = list(annotated(documents)[: ON_PAGE + 1])
    policy = withholding.policy_in_force(request.project)
    rows = withholding.dry_run(project=request.project, rules=rules, documents=page[:ON_PAGE])
    return {
        "rows": list(rows),
        "past": page[ON_PAGE - 1].pk if len(page) > ON_PAGE else "",
        "in_force": policy is not None and policy.rules == rules,
    }


def is_key(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 19


def annotated(documents: Any) -> Any:
    """With what hangs on each document: its runs, and whether anybody signed a claim on one."""
    claims = Claim.objects.filter(case__run__document=OuterRef("pk"))
    first = Run.objects.filter(document=OuterRef("pk")).order_by("pk")[:1]
    return documents.annotate(
        run_count=Count("runs", distinct=True),
        first_run=Subquery(first.values("pk")),
        first_name=Subquery(first.values("external_id")),
        is_judged=Exists(claims),
    )
