"""What a claim says, in labelled rows, signed or not: every page that shows one shows these."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from django.db.models import TextChoices

from attribution.models import Candidate
from reviews.fields import Missed, Quote, Rejected
from reviews.findings import APPARATUS, Finding
from reviews.models import Category, Claim, Contract, Evidence, Miss

BASES = {
    Claim.Basis.SIGNED: "signed as proposed by {}, candidate",
    Claim.Basis.REVISED: "revised from the proposal of {}, candidate",
}


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of an answer: words, then a step to link to, then text. Quotes keep their marks."""

    text: str = ""
    step: int | None = None
    before: str = ""
    quote: bool = False


@dataclass(frozen=True, slots=True)
class Fact:
    """One labelled answer; without pieces it was not given. Inline ones stand in one line.

    What is `optional` is not asked of every claim: its lack says nothing.
    """

    label: str
    pieces: tuple[Piece, ...] = ()
    inline: bool = False
    optional: bool = False

    def __str__(self) -> str:
        return "; ".join(_words(piece) for piece in self.pieces)


@dataclass(frozen=True, slots=True)
class Named:
    """What the numbers in a finding stand for: roles by step, contracts by id, and the rest."""

    roles: Sequence[str]
    contracts: Mapping[int, Contract] = field(default_factory=dict)
    category: Category | None = None
    candidate: Candidate | None = None

    def role(self, step: int) -> str:
        """The role that acts at the step; empty when the run has no such step."""
        return self.roles[step] if step < len(self.roles) else ""


@dataclass(frozen=True, slots=True)
class Compared:
    """The answers of several claims to one question, in the order of the claims."""

    label: str
    answers: tuple[Fact, ...]

    @property
    def equal(self) -> bool:
        return len(set(self.answers)) == 1


def facts_of_claim(claim: Claim, *, roles: Sequence[str]) -> tuple[Fact, ...]:
    """All rows of a signed claim, those without an answer too."""
    named = Named(
        roles=roles,
        contracts={miss.contract_id: miss.contract for miss in claim.misses.all()},
        category=claim.category,
        candidate=claim.candidate,
    )
    return facts_of(finding_of(claim), outcome=claim.outcome, basis=claim.basis, named=named)


def facts_of(finding: Finding, *, outcome: str, basis: str, named: Named) -> tuple[Fact, ...]:
    """All rows of a finding, as it would be signed with this outcome."""
    return (
        *_standing(finding, outcome, basis, named),
        *_chain(finding, named),
        *_judgement(finding, named),
        Fact("Evidence", tuple(map(_cited, finding.evidence))),
    )


def compared(claims: Sequence[Sequence[Fact]]) -> list[Compared]:
    """The rows of several claims beside each other; what none of them answers is left out."""
    beside = (Compared(answers[0].label, answers) for answers in zip(*claims, strict=True))
    return [row for row in beside if any(fact.pieces for fact in row.answers)]


def finding_of(claim: Claim | None) -> Finding:
    """A signed claim as the finding it was signed from; without a claim an empty one."""
    if claim is None:
        return Finding()
    quotes, rows = list(claim.evidence.all()), list(claim.alternatives.all())
    return Finding(
        note=claim.note,
        decisive_step=claim.decisive_step,
        responsible=claim.responsible,
        actor=claim.actor,
        state_change=claim.state_change,
        exposing_step=claim.exposing_step,
        carriers=tuple(sorted(carrier.step for carrier in claim.carriers.all())),
        evidence=tuple(_quote(quote) for quote in sorted(quotes, key=lambda row: row.pk)),
        alternatives=tuple(
            Rejected(row.step, row.rejected_because) for row in sorted(rows, key=lambda row: row.pk)
        ),
        misses=tuple(sorted(map(_missed, claim.misses.all()), key=lambda miss: miss.step)),
        counterfactual=claim.counterfactual,
        **{check: getattr(claim, check) for check in APPARATUS},
        category=claim.category_id,
        phase=claim.phase,
        tags=tuple(claim.tags),
        confidence=claim.confidence,
        unresolved_reason=claim.unresolved_reason,
        missing_observation=claim.missing_observation,
        candidate=claim.candidate_id,
        revision_reason=claim.revision_reason,
    )


def _standing(finding: Finding, outcome: str, basis: str, named: Named) -> Iterator[Fact]:
    yield _said("Outcome", Claim.Outcome(outcome).label)
    reason = _label(Claim.UnresolvedReason, finding.unresolved_reason)
    yield _said("Why unresolved", reason, optional=True)
    yield _said("Would settle it", finding.missing_observation, optional=True)
    yield Fact("Basis", (_basis(basis, named.candidate),))
    yield _said("Revised because", finding.revision_reason, optional=True)


def _chain(finding: Finding, named: Named) -> Iterator[Fact]:
    blamed = f"actor {finding.actor}" if finding.blamed_actor else ""
    yield _at("Decisive step", [finding.decisive_step], named)
    yield _said("Responsible", blamed or _label(Claim.Responsible, finding.responsible))
    yield _said("State change", finding.state_change)
    yield _at("Carried by", finding.carriers, named)
    yield _at("Exposed by", [finding.exposing_step], named)
    yield Fact("Missed at", tuple(_miss(miss, named) for miss in finding.misses))
    yield Fact("Considered", tuple(_rejected(row, named) for row in finding.alternatives))


def _judgement(finding: Finding, named: Named) -> Iterator[Fact]:
    answers = (f"{check} {_apparatus(getattr(finding, check))}" for check in APPARATUS)
    yield _said("Could still follow", _label(Claim.Counterfactual, finding.counterfactual))
    yield Fact("Apparatus", tuple(Piece(answer) for answer in answers), inline=True)
    yield _said("Category", named.category.name if named.category else "")
    yield _said("Phase", _label(Claim.Phase, finding.phase))
    yield _said("Tags", ", ".join(finding.tags))
    yield _said("Confidence", _label(Claim.Confidence, finding.confidence))
    yield _said("Note", finding.note)


def _cited(quote: Quote) -> Piece:
    return Piece(quote.text, quote.step, before=Evidence.Purpose(quote.purpose).label, quote=True)


def _said(label: str, text: str, *, optional: bool = False) -> Fact:
    return Fact(label, (Piece(text),) if text else (), optional=optional)


def _at(label: str, steps: Iterable[int | None], named: Named) -> Fact:
    given = (step for step in steps if step is not None)
    return Fact(label, tuple(Piece(named.role(step), step) for step in given), inline=True)


def _basis(basis: str, candidate: Candidate | None) -> Piece:
    if candidate is None:
        return Piece("own finding")
    words = BASES[Claim.Basis(basis)].format(candidate.analysis.attributor)
    return Piece(candidate.actor, candidate.step, before=words)


def _miss(miss: Missed, named: Named) -> Piece:
    contract = named.contracts.get(miss.contract or 0)
    owned = str(contract) if contract else "no contract named yet"
    return Piece(f"{named.role(miss.step)}. {owned}", miss.step)


def _rejected(row: Rejected, named: Named) -> Piece:
    because = row.rejected_because or "no reason given yet"
    role = "" if row.step is None else f"{named.role(row.step)}. "
    return Piece(f"{role}{because}", row.step)


def _apparatus(answer: str) -> str:
    return _label(Claim.Apparatus, answer) or "not answered yet"


def _label(choices: type[TextChoices], value: str) -> str:
    return str(choices(value).label) if value else ""


def _quote(quote: Evidence) -> Quote:
    return Quote(quote.purpose, quote.step, quote.part, quote.start, quote.end, quote.text)


def _missed(miss: Miss) -> Missed:
    return Missed(miss.step, miss.contract_id)


def _words(piece: Piece) -> str:
    step = "" if piece.step is None else f"#{piece.step}"
    return " ".join(word for word in (piece.before, step, piece.text) if word)
