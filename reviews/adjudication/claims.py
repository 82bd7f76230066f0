"""Signing a claim: one reviewer's finding, complete, borne out by the record, and final."""

from __future__ import annotations

from dataclasses import asdict, replace
from datetime import datetime
from hashlib import sha256
from uuid import UUID

from django.contrib.auth.models import User
from django.db import transaction

from attribution.models import Candidate
from reviews import assignment, grounds
from reviews.adjudication import contents, status
from reviews.adjudication.refusals import AlreadySigned, Incomplete, NotInTheRecord
from reviews.adjudication.retrying import once_more_on_deadlock
from reviews.fields import Quote
from reviews.findings import APPARATUS, Finding, differences, missing_for
from reviews.models import Alternative, Carrier, Case, Claim, Evidence, Miss, Slot


@once_more_on_deadlock
@transaction.atomic
def sign_claim(
    *, case: Case, reviewer: User, token: UUID | str, finding: Finding, outcome: str, at: datetime
) -> Claim:
    """Sign this finding as the reviewer's claim on the case. It cannot be changed afterwards.

    Raises assignment.NotYourLease, AlreadySigned, Incomplete and NotInTheRecord.
    """
    case = status.locked(case)
    slot = _slot(case, reviewer=reviewer, token=token)
    if outcome == Claim.Outcome.UNRESOLVED:
        # Who leaves a case unresolved neither signs nor revises a candidate.
        finding = replace(finding, candidate=None)
    candidate = grounds.candidate_of(finding=finding, case=case)
    evidence = _checked(finding, case=case, outcome=outcome, candidate=candidate)
    claim = _write_claim(
        finding, case=case, reviewer=reviewer, outcome=outcome, candidate=candidate, at=at
    )
    _write_children(claim, finding=finding, evidence=evidence)
    slot.answered_at = at
    slot.save(update_fields=["answered_at"])
    if not case.slots.filter(answered_at=None).exists():
        status.set_status(case, Case.Status.WAITING)
    content = contents.claim_hashes([claim.pk])[claim.pk]
    data = {"claim": claim.pk, "status": case.status, "content": content}
    status.record(case, action="claim.signed", by=reviewer, at=at, data=data)
    return claim


def _slot(case: Case, *, reviewer: User, token: UUID | str) -> Slot:
    # Whose lease it is comes first: only then may anything be said about the case.
    slot = case.slots.filter(reviewer=reviewer).first()
    if slot is None:
        raise assignment.NotYourLease("You do not hold this case: take it first.")
    slot = assignment.held(slot_id=slot.pk, token=token)
    if slot.answered_at is not None:
        raise AlreadySigned(f"You have signed your claim on case {case.number} already.")
    return slot


def _checked(
    finding: Finding, *, case: Case, outcome: str, candidate: Candidate | None
) -> tuple[Quote, ...]:
    """The evidence the claim will carry, once nothing is missing and the record bears it out."""
    if finding.candidate is not None and candidate is None:
        raise NotInTheRecord("The candidate is gone: its attributor has run again since.")
    proposal = grounds.proposal_of(candidate, case.run) if candidate else None
    missing = missing_for(finding, outcome, proposal)
    if missing:
        raise Incomplete(*missing)
    evidence = finding.evidence
    if candidate and not finding.quotes_origin:
        evidence += grounds.quotes_of(candidate)
    faults = grounds.faults(finding=replace(finding, evidence=evidence), case=case)
    if faults:
        raise NotInTheRecord(*faults)
    return evidence


def _basis(finding: Finding, *, case: Case, candidate: Candidate | None) -> Claim.Basis:
    if candidate is None:
        return Claim.Basis.OWN
    changed = differences(finding, grounds.proposal_of(candidate, case.run))
    return Claim.Basis.REVISED if changed else Claim.Basis.SIGNED


def _write_claim(
    finding: Finding,
    *,
    case: Case,
    reviewer: User,
    outcome: str,
    candidate: Candidate | None,
    at: datetime,
) -> Claim:
    basis = _basis(finding, case=case, candidate=candidate)
    return Claim.objects.create(
        case=case,
        reviewer=reviewer,
        outcome=outcome,
        basis=basis,
        candidate=candidate,
        revision_reason=finding.revision_reason if basis == Claim.Basis.REVISED else "",
        note=finding.note,
        decisive_step=finding.decisive_step,
        responsible=finding.responsible,
        actor=finding.blamed_actor,
        state_change=finding.state_change,
        exposing_step=finding.exposing_step,
        counterfactual=finding.counterfactual,
        category_id=finding.category,
        phase=finding.phase,
        tags=list(finding.tags),
        confidence=finding.confidence,
        unresolved_reason=finding.unresolved_reason,
        missing_observation=finding.missing_observation,
        signed_at=at,
        **{check: getattr(finding, check) for check in APPARATUS},
    )


def _write_children(claim: Claim, *, finding: Finding, evidence: tuple[Quote, ...]) -> None:
    Evidence.objects.bulk_create(
        Evidence(claim=claim, sha256=sha256(quote.text.encode()).hexdigest(), **asdict(quote))
        for quote in evidence
    )
    Carrier.objects.bulk_create(Carrier(claim=claim, step=step) for step in finding.carriers)
    Alternative.objects.bulk_create(
        Alternative(claim=claim, step=row.step, rejected_because=row.rejected_because)
        for row in finding.alternatives
    )
    Miss.objects.bulk_create(
        Miss(claim=claim, step=miss.step, contract_id=miss.contract)
        for miss in finding.misses
        if miss.contract is not None
    )
