"""What a postmortem says: one plain dict, from which every export is rendered.

Key order does not matter, because RFC 8785 sorts; every time carries its offset.
"""

from __future__ import annotations

import re
from typing import Any

from django.db.models import Q

from attribution.models import Candidate
from reviews.measurement.accuracy import NOT_MEASURED, accuracy_by_attributor
from reviews.models import Case, Claim, Policy, Verdict
from reviews.postmortems import chain
from reviews.postmortems.plain import moment, plain
from reviews.postmortems.signing import FORMAT
from traces.models import Failure, Run


def subjects_of(verdict: Verdict) -> list[tuple[str, str]]:
    """What is judged, as (name, sha256): the run's content and the document it came in."""
    run = verdict.case.run
    return [
        (f"run:{run.external_id}", run.sha256),
        (f"document:{document_name(run)}", run.document.sha256),
    ]


def document_name(run: Run) -> str:
    """The name of the file the run came in, as the first receipt has it, without its folders."""
    receipt = run.document.receipts.order_by("received_at", "pk").first()
    path = receipt.filename if receipt else ""
    return re.split(r"[/\\]", path.rstrip("/\\"))[-1]


def predicate_of(verdict: Verdict) -> dict[str, Any]:
    """The whole postmortem, self-contained: it needs no database to be read."""
    case = verdict.case
    claims = _claims(case)
    return {
        "format": FORMAT,
        "project": {"slug": case.project.slug, "name": case.project.name},
        "case": _case(case),
        "run": _run(case.run),
        "failure": _failure(case.failure),
        "verdict": _verdict(verdict),
        "finding": chain.finding_of(verdict.adopted) if verdict.adopted else None,
        "claims": [chain.claim_of(claim, adopted=verdict.adopted_id) for claim in claims],
        "candidates": _candidates(case),
        "gaps": _gaps(case, claims),
    }


def _claims(case: Case) -> list[Claim]:
    """All claims on the case, in the order in which they were signed."""
    claims = case.claims.select_related("reviewer", "category", "candidate__analysis")
    return list(claims.order_by("signed_at", "pk"))


def _case(case: Case) -> dict[str, Any]:
    return {
        "number": case.number,
        "consequence": case.consequence,
        "opened_at": moment(case.opened_at),
        "policy": _policy(case.policy),
    }


def _policy(policy: Policy) -> dict[str, Any]:
    return {
        "version": policy.version,
        "signatures_needed": policy.signatures_needed,
        "two_person_rule": policy.two_person_rule,
    }


def _run(run: Run) -> dict[str, Any]:
    return {
        "external_id": run.external_id,
        "source": run.source,
        "task": run.task_id,
        "task_text": run.task_text,
        "outcome": run.outcome,
        "system": plain(run.system),
        "schema": run.schema,
        "steps": run.step_count,
        "started_at": moment(run.started_at),
        "ended_at": moment(run.ended_at),
        "received_at": moment(run.received_at),
        "sha256": run.sha256,
        "document": {
            "name": document_name(run),
            "pointer": run.pointer,
            "size": run.document.size,
            "sha256": run.document.sha256,
        },
    }


def _failure(failure: Failure) -> dict[str, Any]:
    return {
        "key": failure.key,
        "statement": failure.statement,
        "expected": failure.expected,
        "observed": failure.observed,
        "check": failure.check_name,
        "exposed_by": failure.exposed_by,
        "consequence": failure.consequence,
    }


def _verdict(verdict: Verdict) -> dict[str, Any]:
    return {
        "number": verdict.number,
        "outcome": verdict.outcome,
        "reason": verdict.reason,
        "missing_observation": verdict.missing_observation,
        "adopted_claim_of": chain.person(verdict.adopted.reviewer) if verdict.adopted else None,
        "supersedes": verdict.supersedes.number if verdict.supersedes else None,
        "signed_by": chain.person(verdict.signed_by),
        "signed_at": moment(verdict.signed_at),
    }


def _candidates(case: Case) -> list[dict[str, Any]]:
    """What was proposed, and how well its attributor had done on other cases at signing."""
    candidates = Candidate.objects.filter(analysis__run=case.run).select_related("analysis")
    accuracy = accuracy_by_attributor(case.project, leaving_out=case)
    return [
        {
            "attributor": candidate.analysis.attributor,
            "rank": candidate.rank,
            "step": candidate.step,
            "actor": candidate.actor,
            "part": candidate.part,
            "score": plain(candidate.score),
            "rationale": candidate.rationale,
            "accuracy": accuracy.get(candidate.analysis.attributor, NOT_MEASURED).sentence(),
        }
        for candidate in candidates.order_by("analysis__attributor", "rank")
    ]


def _gaps(case: Case, claims: list[Claim]) -> dict[str, Any]:
    """Gaps of the whole run and of the steps that a claim names; and how many there are in all."""
    named = {step for claim in claims for step in _steps_of(claim)}
    gaps = case.run.gaps.filter(Q(step=None) | Q(step__in=named)).order_by("step", "pk")
    return {
        "in_all": case.run.gap_count,
        "that_matter": [{"kind": gap.kind, "step": gap.step, "detail": gap.detail} for gap in gaps],
    }


def _steps_of(claim: Claim) -> set[int | None]:
    children = (claim.carriers, claim.evidence, claim.alternatives, claim.misses)
    named = {step for rows in children for step in rows.values_list("step", flat=True)}
    return named | {claim.decisive_step, claim.exposing_step}
