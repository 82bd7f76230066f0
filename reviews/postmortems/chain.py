"""A claim as a document tells it: the causal chain with its evidence, and who signed it."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User

from reviews.findings import APPARATUS
from reviews.models import Alternative, Category, Claim, Evidence, Miss
from reviews.postmortems.plain import moment
from traces.models import Actor, Step


def person(user: User) -> dict[str, str]:
    username = user.get_username()
    return {"username": username, "name": user.get_full_name() or username}


def claim_of(claim: Claim, *, adopted: int | None) -> dict[str, Any]:
    """Who signed what, with the whole argument; `adopted` is the id of the adopted claim."""
    return {
        "adopted": claim.pk == adopted,
        "reviewer": person(claim.reviewer),
        "outcome": claim.outcome,
        "basis": claim.basis,
        "candidate": candidate_name(claim),
        "revision_reason": claim.revision_reason,
        "decisive_step": claim.decisive_step,
        "responsible": claim.responsible,
        "actor": claim.actor,
        "category": claim.category.key if claim.category else None,
        "confidence": claim.confidence,
        "unresolved_reason": claim.unresolved_reason,
        "missing_observation": claim.missing_observation,
        "signed_at": moment(claim.signed_at),
        "finding": finding_of(claim),
    }


def candidate_name(claim: Claim) -> str | None:
    """The candidate the claim signs or revises, as attributor and rank."""
    if claim.candidate is None:
        return None
    return f"{claim.candidate.analysis.attributor} rank {claim.candidate.rank}"


def finding_of(claim: Claim) -> dict[str, Any]:
    """The argument of a claim, from the decisive step to what exposed the error."""
    return {
        "note": claim.note,
        "decisive_step": step_of(claim, claim.decisive_step),
        "responsible": claim.responsible,
        "actor": claim.actor,
        "state_change": claim.state_change,
        "carriers": [step_of(claim, row.step) for row in claim.carriers.order_by("step")],
        "exposing_step": step_of(claim, claim.exposing_step),
        "evidence": [quote_of(quote) for quote in claim.evidence.order_by("pk")],
        "alternatives": [alternative_of(row) for row in claim.alternatives.order_by("pk")],
        "misses": [miss_of(miss) for miss in _misses(claim)],
        "counterfactual": claim.counterfactual,
        "apparatus": {check: getattr(claim, check) for check in APPARATUS},
        "category": category_of(claim.category),
        "phase": claim.phase,
        "tags": list(claim.tags),
        "confidence": claim.confidence,
    }


def step_of(claim: Claim, number: int | None) -> dict[str, Any] | None:
    """A step by its number, with the actor and role that the record gives it."""
    if number is None:
        return None
    run = claim.case.run_id
    step = Step.objects.get(run=run, number=number)
    actor = Actor.objects.filter(run=run, key=step.actor).first()
    return {
        "step": number,
        "source_id": step.source_id,
        "actor": step.actor,
        "role": actor.role if actor else "",
    }


def quote_of(quote: Evidence) -> dict[str, Any]:
    return {
        "purpose": quote.purpose,
        "step": quote.step,
        "part": quote.part,
        "start": quote.start,
        "end": quote.end,
        "text": quote.text,
        "sha256": quote.sha256,
    }


def alternative_of(row: Alternative) -> dict[str, Any]:
    return {"step": row.step, "rejected_because": row.rejected_because}


def miss_of(miss: Miss) -> dict[str, Any]:
    """The missed chance with the clause that owned it and the period it was in force."""
    contract = miss.contract
    return {
        "step": miss.step,
        "contract": contract.key,
        "component": contract.component,
        "clause": contract.clause,
        "valid_from": moment(contract.valid_from),
        "valid_to": moment(contract.valid_to),
    }


def category_of(category: Category | None) -> dict[str, Any] | None:
    if category is None:
        return None
    return {
        "key": category.key,
        "version": category.version,
        "name": category.name,
        "definition": category.definition,
    }


def _misses(claim: Claim) -> list[Miss]:
    return list(claim.misses.select_related("contract").order_by("step", "pk"))
