"""What one reader may compare: candidates, the claims they may see, and their own draft.

Which claims these are, `Dossier.claims` decides; nothing is looked up by what the address says.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from attribution.explaining import Explaining, Explanation, Picked, Quoted
from attribution.explanations import of_candidate
from attribution.models import Candidate
from attribution.place import Place
from reviews.claim_facts import finding_of
from reviews.dossier import Dossier
from reviews.findings import APPARATUS, Finding
from reviews.models import Claim


def explaining_of(dossier: Dossier, place: Place) -> Explaining:
    """Contracts are asked for only once two explanations are picked: then in one query."""
    exposing = dossier.case.failure.exposed_by
    known = {each.key: each for each in _known(dossier, exposing)}
    picked = Picked(known, place)
    if len(picked.keys) > 1:
        known |= {key: _bound(known[key], dossier) for key in picked.keys}
    others = (failure.exposed_by for failure in dossier.surroundings.failures)
    return Explaining(picked, dossier.outline, (exposing, *others))


def _known(dossier: Dossier, exposing: int | None) -> Iterator[Explanation]:
    measured = {}
    for each in dossier.explanations:
        measured[each.candidate.pk] = each.measured
        yield of_candidate(each.number, each.candidate, exposing=exposing, measured=each.measured)
    for claim in dossier.claims:
        found = _of_finding(f"k{claim.pk}", f"Claim of {claim.reviewer}", finding_of(claim))
        accuracy = measured.get(claim.candidate_id or 0, "")
        yield _exposed(replace(found, by=_whose(claim, accuracy)), exposing)
    if dossier.draft:
        found = _of_finding("d", "My draft", dossier.finding)
        yield _exposed(replace(found, by="not signed yet"), exposing)


def _of_finding(key: str, name: str, finding: Finding) -> Explanation:
    turned_down = ((row.step, row.rejected_because) for row in finding.alternatives)
    return Explanation(
        key,
        name,
        step=finding.decisive_step,
        part=_part(finding),
        exposing=finding.exposing_step,
        carriers=finding.carriers,
        quotes=tuple(Quoted(q.step, q.part, q.start, q.end, q.text) for q in finding.evidence),
        says=finding.state_change or finding.missing_observation or finding.note,
        turned_down=tuple((step, why) for step, why in turned_down if step is not None),
    )


def _part(finding: Finding) -> str:
    if finding.decisive_step is None:
        return ""
    if finding.missed_itself:
        return str(Candidate.Part.MISSED.label)
    apparatus = finding.responsible in APPARATUS
    return str((Candidate.Part.APPARATUS if apparatus else Candidate.Part.PRODUCED).label)


def _exposed(found: Explanation, exposing: int | None) -> Explanation:
    """What names no exposing step is held against the one that the failure names."""
    return found if found.exposing is not None else replace(found, exposing=exposing)


def _whose(claim: Claim, accuracy: str) -> str:
    basis = str(Claim.Basis(claim.basis).label)
    confidence = f"confidence {Claim.Confidence(claim.confidence).label}"
    attributor = f"{claim.candidate.analysis.attributor}" if claim.candidate else ""
    return " · ".join(filter(None, (claim.outcome, basis, attributor, accuracy, confidence)))


def _bound(found: Explanation, dossier: Dossier) -> Explanation:
    """With the contracts in force of the role that acts at its step."""
    if found.step is None or found.step >= len(dossier.outline):
        return found
    role = dossier.outline.lane(found.step).role
    own = (str(each) for each in dossier.contracts if each.component == role)
    return replace(found, contracts=tuple(own))
