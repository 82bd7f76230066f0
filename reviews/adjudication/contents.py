"""What was signed, as a hash: the audit entry of a signature carries it, and it can be recomputed.

The fields are listed and not taken from the models: a field that is added later must not change
the hash of what was signed before.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from hashlib import sha256
from itertools import islice
from typing import Any

from reviews.models import Alternative, Carrier, Claim, Evidence, Miss, Postmortem, Verdict
from traces.models import AuditEntry

CLAIM = (
    *("id", "case_id", "reviewer_id", "outcome", "basis", "candidate_id", "revision_reason"),
    *("note", "decisive_step", "responsible", "actor", "state_change", "exposing_step"),
    *("counterfactual", "evaluator", "environment", "task", "harness", "category_id", "phase"),
    *("tags", "confidence", "unresolved_reason", "missing_observation", "signed_at"),
)
CHILDREN = {
    "evidence": (Evidence, ("purpose", "step", "part", "start", "end", "sha256", "text")),
    "carriers": (Carrier, ("step",)),
    "alternatives": (Alternative, ("step", "rejected_because")),
    "misses": (Miss, ("step", "contract_id")),
}
VERDICT = (
    *("id", "case_id", "number", "outcome", "adopted_id", "reason", "missing_observation"),
    *("supersedes_id", "signed_by_id", "signed_at"),
)
# Entries that are compared with their rows at a time.
BATCH = 500


def claim_hashes(ids: Iterable[int]) -> dict[int, str]:
    """The sha256 (hex) of each of these claims with all its children, by the claim's id."""
    ids = list(ids)
    rows: list[dict[str, Any]] = list(Claim.objects.filter(pk__in=ids).values(*CLAIM))
    by_id: dict[int, dict[str, Any]] = {
        row["id"]: row | {name: [] for name in CHILDREN} for row in rows
    }
    for name, (model, fields) in CHILDREN.items():
        children = model._default_manager.filter(claim__in=ids).order_by("pk")
        for child in children.values("claim_id", *fields):
            by_id[child.pop("claim_id")][name].append(child)
    return {number: _hash(row) for number, row in by_id.items()}


def verdict_hashes(ids: Iterable[int]) -> dict[int, str]:
    """The sha256 (hex) of each of these verdicts, by its id."""
    rows: list[dict[str, Any]] = list(Verdict.objects.filter(pk__in=list(ids)).values(*VERDICT))
    return {row["id"]: _hash(row) for row in rows}


def faults() -> Iterator[str]:
    """Sentences about claims, verdicts and postmortems that are not as their entries say."""
    yield from _faults("claim", "content", signed=_ids(Claim), hashes=claim_hashes)
    verdicts = _ids(Verdict)
    yield from _faults("verdict", "content", signed=verdicts, hashes=verdict_hashes)
    for sentence in _faults("verdict", "postmortem", signed=set(), hashes=_envelope_hashes):
        yield f"The postmortem of {sentence[0].lower()}{sentence[1:]}"


def _faults(
    kind: str, key: str, *, signed: set[int], hashes: Callable[[Iterable[int]], dict[int, str]]
) -> Iterator[str]:
    """Compare each entry `<kind>.signed` with the hash of its row, and rows with entries.

    `signed` was read before the entries, so that what is signed meanwhile is no fault.
    """
    entries = AuditEntry.objects.filter(action=f"{kind}.signed").order_by("number")
    told = entries.values_list("data", flat=True).iterator(chunk_size=BATCH)
    while batch := list(islice(told, BATCH)):
        # An entry that names no row was changed itself, which the chain tells.
        named = {data[kind]: data for data in batch if isinstance(data.get(kind), int)}
        now = hashes(named)
        for number, data in named.items():
            signed.discard(number)
            if number not in now:
                yield f"{kind.title()} {number} was removed after it was signed."
            # Entries of the first releases carry no hash of the content.
            elif data.get(key, now[number]) != now[number]:
                yield f"{kind.title()} {number} was changed after it was signed."
    for number in sorted(signed):
        yield f"{kind.title()} {number} has no audit entry: nobody signed it here."


def _ids(model: type[Claim] | type[Verdict]) -> set[int]:
    return set(model._default_manager.values_list("pk", flat=True))


def _envelope_hashes(verdicts: Iterable[int]) -> dict[int, str]:
    found = Postmortem.objects.filter(verdict__in=list(verdicts))
    return {
        number: sha256(envelope.encode()).hexdigest()
        for number, envelope in found.values_list("verdict_id", "envelope")
    }


def _hash(content: dict[str, Any]) -> str:
    text = json.dumps(
        content, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=_moment
    )
    return sha256(text.encode()).hexdigest()


def _moment(value: object) -> str:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    raise TypeError(f"{type(value).__name__} is not part of what is signed.")
