"""Whether the record bears a finding out: its steps, actor, quotes, contracts and candidate."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from attribution.models import Candidate
from reviews import fields
from reviews.fields import Quote
from reviews.findings import Finding, Proposal
from reviews.models import Case, Category, Contract
from traces.models import Actor, Part, Run, Step


def faults(*, finding: Finding, case: Case) -> list[str]:
    """Sentences about everything in the finding that the record does not bear out."""
    run = case.run
    return [
        *_step_faults(finding, run),
        *_quote_faults(finding.evidence, run),
        *_contract_faults(finding, run),
        *_category_faults(finding, run),
    ]


def candidate_of(*, finding: Finding, case: Case) -> Candidate | None:
    """The candidate the finding names, if an attributor made it for this run."""
    candidates = Candidate.objects.filter(analysis__run=case.run).select_related("analysis")
    return candidates.filter(pk=finding.candidate).first() if finding.candidate else None


def proposal_of(candidate: Candidate, run: Run) -> Proposal:
    actor = Actor.objects.filter(run=run, key=candidate.actor).first()
    kind = actor.kind if actor else ""
    return Proposal(candidate.step, candidate.actor, candidate.part, kind)


def quotes_of(candidate: Candidate) -> tuple[Quote, ...]:
    """The candidate's quotes as evidence of the origin."""
    return fields.evidence([{**quote, "purpose": "origin"} for quote in candidate.quotes])


def time_of(run: Run) -> datetime:
    """When the run happened: its start, else its end, else when we received it."""
    return run.started_at or run.ended_at or run.received_at


def contracts_in_force(run: Run) -> list[Contract]:
    """The contracts that bound this version of the system when the run happened."""
    version = str(run.system.get("version") or "")
    contracts = Contract.objects.filter(project=run.project_id)
    return list(contracts.in_force(at=time_of(run), configuration=version).order_by("key"))


def _step_faults(finding: Finding, run: Run) -> Iterator[str]:
    steps = Step.objects.filter(run=run, number__in=finding.steps)
    actors = dict(steps.values_list("number", "actor"))
    for number in sorted(finding.steps - actors.keys()):
        yield f"There is no step #{number} in this run."
    acting = actors.get(finding.decisive_step) if finding.decisive_step is not None else None
    if acting is not None and finding.blamed_actor not in ("", acting):
        yield (
            f"{finding.blamed_actor} did not act at #{finding.decisive_step}: "
            f"the record names {acting}."
        )


def _quote_faults(quotes: tuple[Quote, ...], run: Run) -> Iterator[str]:
    parts = Part.objects.filter(run=run, step__in={quote.step for quote in quotes})
    texts = {(part.step, part.position): part.text for part in parts}
    for quote in quotes:
        if texts.get((quote.step, quote.part), "")[quote.start : quote.end] != quote.text:
            yield f"The quote “{quote.text[:60]}” does not stand at its place in #{quote.step}."


def _contract_faults(finding: Finding, run: Run) -> Iterator[str]:
    in_force = {contract.pk for contract in contracts_in_force(run)} if finding.misses else set()
    for miss in finding.misses:
        if miss.contract not in in_force:
            yield f"No such contract was in force for the miss at #{miss.step}."


def _category_faults(finding: Finding, run: Run) -> Iterator[str]:
    if finding.category is None:
        return
    if not Category.objects.filter(project=run.project_id, pk=finding.category).exists():
        yield "The category is not one of this project."
