"""What a claim says, before anybody has signed it: plain data, read from a draft's fields.

Plain Python. A draft may hold anything; what cannot be used counts as not given.
`missing_for` says in sentences, shown as they are, what is still needed for a signature.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

from reviews import fields
from reviews.fields import Missed, Quote, Rejected

LONGEST_ACTOR = 200

RESPONSIBLE = ("actor", "coordination_rule", "task", "harness", "evaluator", "environment")
COUNTERFACTUAL = ("no", "yes", "cannot_tell")
APPARATUS = ("evaluator", "environment", "task", "harness")
APPARATUS_ANSWERS = ("ruled_out", "not_ruled_out")
PHASES = (
    "planning",
    "handoff",
    "retrieval",
    "execution",
    "integration",
    "verification",
    "termination",
)
CONFIDENCE = ("low", "medium", "high")
UNRESOLVED_REASONS = (
    "evidence_missing",
    "equally_supported",
    "unclear_specification",
    "contradiction",
)


@dataclass(frozen=True, slots=True)
class Finding:
    """One reviewer's structured attribution, complete or not."""

    note: str = ""
    decisive_step: int | None = None
    responsible: str = ""
    actor: str = ""
    state_change: str = ""
    exposing_step: int | None = None
    carriers: tuple[int, ...] = ()
    evidence: tuple[Quote, ...] = ()
    alternatives: tuple[Rejected, ...] = ()
    misses: tuple[Missed, ...] = ()
    counterfactual: str = ""
    evaluator: str = ""
    environment: str = ""
    task: str = ""
    harness: str = ""
    category: int | None = None
    phase: str = ""
    tags: tuple[str, ...] = ()
    confidence: str = ""
    unresolved_reason: str = ""
    missing_observation: str = ""
    candidate: int | None = None
    revision_reason: str = ""

    @classmethod
    def from_fields(cls, draft: Mapping[str, Any]) -> Finding:
        """Read a draft's fields. Unknown keys are ignored, unusable values count as not given."""
        apparatus = {key: fields.one_of(APPARATUS_ANSWERS, draft.get(key)) for key in APPARATUS}
        return cls(
            note=fields.text(draft.get("note")),
            decisive_step=fields.number(draft.get("decisive_step")),
            responsible=fields.one_of(RESPONSIBLE, draft.get("responsible")),
            actor=fields.text(draft.get("actor"))[:LONGEST_ACTOR],
            state_change=fields.text(draft.get("state_change")),
            exposing_step=fields.number(draft.get("exposing_step")),
            carriers=fields.carriers(draft.get("carriers")),
            evidence=fields.evidence(draft.get("evidence")),
            alternatives=fields.alternatives(draft.get("alternatives")),
            misses=fields.misses(draft.get("misses")),
            counterfactual=fields.one_of(COUNTERFACTUAL, draft.get("counterfactual")),
            **apparatus,
            category=fields.key(draft.get("category")),
            phase=fields.one_of(PHASES, draft.get("phase")),
            tags=fields.tags(draft.get("tags")),
            confidence=fields.one_of(CONFIDENCE, draft.get("confidence")),
            unresolved_reason=fields.one_of(UNRESOLVED_REASONS, draft.get("unresolved_reason")),
            missing_observation=fields.text(draft.get("missing_observation")),
            candidate=fields.key(draft.get("candidate")),
            revision_reason=fields.text(draft.get("revision_reason")),
        )

    @property
    def blamed_actor(self) -> str:
        """The actor as far as the claim blames one: a rule or the task has none."""
        return self.actor if self.responsible == "actor" else ""

    @property
    def quotes_origin(self) -> bool:
        """Whether a quote shows which action changed the state."""
        return any(quote.purpose == "origin" for quote in self.evidence)

    @property
    def missed_itself(self) -> bool:
        """Whether the decisive step is a missed chance to stop the error."""
        return any(miss.step == self.decisive_step for miss in self.misses)

    @property
    def steps(self) -> frozenset[int]:
        """Every step the finding names, quotes included."""
        quoted = (row.step for row in self.evidence)
        turned_down = (row.step for row in self.alternatives)
        missed = (row.step for row in self.misses)
        own = (self.decisive_step, self.exposing_step, *self.carriers)
        named = chain(own, quoted, turned_down, missed)
        return frozenset(step for step in named if step is not None)


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a candidate says, as far as a claim can agree with it; `kind` is its actor's kind."""

    step: int
    actor: str
    part: str
    kind: str = ""


def differences(finding: Finding, proposal: Proposal) -> list[str]:
    """In what the finding departs from the candidate: step, actor, part. Empty: it stands."""
    blamed = finding.responsible == "actor"
    if blamed or finding.responsible == "coordination_rule":
        same_actor = finding.blamed_actor == proposal.actor
    else:
        same_actor = proposal.kind in ("", finding.responsible)
    same_part = finding.missed_itself == (proposal.part == "missed")
    pairs = {
        "step": finding.decisive_step == proposal.step,
        "actor": same_actor,
        "part": same_part and not (proposal.part == "apparatus" and blamed),
    }
    return [name for name, same in pairs.items() if not same]


def missing_for(finding: Finding, outcome: str, proposal: Proposal | None = None) -> list[str]:
    """Sentences about what is still missing to sign with this outcome; empty: nothing.

    `proposal` is the candidate the finding names. Signed as it stands, its own quotes are the
    evidence; revised, it needs a reason. Left out, the candidate is not compared.
    """
    wanted: Iterable[tuple[bool, str]] = ()
    if outcome == "unresolved":
        wanted = _wanted_unresolved(finding)
    elif outcome == "attributed":
        wanted = chain(_wanted_attributed(finding), _wanted_evidence(finding, proposal))
    else:
        return ["Choose attributed or unresolved."]
    return [sentence for lacking, sentence in [*wanted, *_wanted_always(finding)] if lacking]


def _wanted_attributed(finding: Finding) -> Iterator[tuple[bool, str]]:
    yield finding.decisive_step is None, "Name the decisive step."
    yield not finding.responsible, "Say who or what is responsible."
    yield not finding.state_change, "Say which state changed, and by which action."
    yield finding.exposing_step is None, "Say which observation exposed it."
    yield (
        not finding.counterfactual,
        "Answer whether the failure could still have followed had the step been right.",
    )
    yield (
        finding.counterfactual in ("yes", "cannot_tell"),
        "The failure could still have followed, or you cannot tell: sign it as unresolved.",
    )
    yield (
        finding.responsible in APPARATUS and getattr(finding, finding.responsible) == "ruled_out",
        f"You hold the {finding.responsible} responsible and rule it out.",
    )


def _wanted_evidence(finding: Finding, proposal: Proposal | None) -> Iterator[tuple[bool, str]]:
    changed = differences(finding, proposal) if proposal and finding.candidate else []
    yield (
        not finding.quotes_origin and (finding.candidate is None or bool(changed)),
        "Quote the text that shows which action changed the state.",
    )
    yield (
        bool(changed) and not finding.revision_reason,
        f"Say why you revised the candidate: you differ in {' and '.join(changed)}.",
    )


def _wanted_unresolved(finding: Finding) -> Iterator[tuple[bool, str]]:
    yield not finding.unresolved_reason, "Say why the evidence cannot settle it."
    yield not finding.missing_observation, "Name the missing observation that would settle it."


def _wanted_always(finding: Finding) -> Iterator[tuple[bool, str]]:
    yield finding.responsible == "actor" and not finding.actor, "Name the actor."
    for key in APPARATUS:
        yield not getattr(finding, key), f"Answer whether the {key} is ruled out."
    for row in finding.alternatives:
        unexplained = not row.rejected_because
        yield unexplained, f"Say why #{row.step} is not it, or why it stays open."
    for miss in finding.misses:
        yield miss.contract is None, f"Name the contract that owned the check at #{miss.step}."
    yield not finding.confidence, "Say how confident you are."
