"""The claim in the making: every change is saved at once, merged into what is already there.

A change names only the fields it touches, so two tabs, or a browser that was offline for a
while, add to each other's work instead of overwriting it. Changes may arrive twice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from attribution.models import Candidate
from reviews import assignment
from reviews.fields import Quote, storable
from reviews.findings import Finding
from reviews.models import Draft
from traces.transcript import Actor, ActorKind, Step

# What a person writes or picks; marks and quotes have verbs of their own below.
WRITABLE = (
    "note", "responsible", "actor", "state_change", "counterfactual", "evaluator", "environment",
    "task", "harness", "category", "phase", "confidence", "unresolved_reason",
    "missing_observation", "revision_reason",
)  # fmt: skip
# A step has one place in the chain; a row that a mark makes is completed by `annotate`.
IN_CHAIN = ("decisive", "carrier", "exposing")
ROWS = {"missed": ("misses", "contract"), "alternative": ("alternatives", "rejected_because")}
# Characters. A field of a claim is read by people.
LONGEST_FIELD = 100_000
MARKS = (*IN_CHAIN, *ROWS)


def write(*, slot_id: int, token: UUID | str, changes: Mapping[str, Any], at: datetime) -> Draft:
    """Save fields that were typed or picked. Fields a draft does not have are left out."""
    wanted = {name: _plain(value) for name, value in changes.items() if name in WRITABLE}
    return _change(slot_id, token, lambda fields: fields | wanted, at)


def annotate(
    *, slot_id: int, token: UUID | str, list_name: str, step: int, value: Any, at: datetime
) -> Draft:
    """Complete a row that a mark made: the contract of a miss, the reason of an alternative."""
    key = dict(ROWS.values())[list_name]

    def change(fields: dict[str, Any]) -> dict[str, Any]:
        rows = [
            {**row, key: _plain(value)} if row["step"] == step else row
            for row in fields.get(list_name, [])
        ]
        return fields | {list_name: rows}

    return _change(slot_id, token, change, at)


def blame(actor: Actor) -> dict[str, str]:
    """How a claim names the responsible party when this actor's step is the decisive one."""
    if actor.kind in (ActorKind.HARNESS, ActorKind.EVALUATOR, ActorKind.ENVIRONMENT):
        return {"responsible": actor.kind.value, "actor": ""}
    return {"responsible": "actor", "actor": actor.key}


def mark(
    *, slot_id: int, token: UUID | str, step: Step, actor: Actor, purpose: str, at: datetime
) -> Draft:
    """Give a step its place in the chain. Marking it again changes nothing."""

    def change(fields: dict[str, Any]) -> dict[str, Any]:
        if _stands(fields, step.number, purpose):
            return fields
        if purpose in IN_CHAIN:
            fields = _out_of_chain(fields, step.number)
        if purpose == "decisive":
            own = fields.get("responsible") == "coordination_rule"
            return fields | {"decisive_step": step.number} | ({} if own else blame(actor))
        if purpose == "exposing":
            return fields | {"exposing_step": step.number}
        if purpose == "carrier":
            return fields | {"carriers": sorted([*fields.get("carriers", []), step.number])}
        name, key = ROWS[purpose]
        return fields | {name: _with(fields.get(name), step.number, key)}

    return _change(slot_id, token, change, at)


def unmark(*, slot_id: int, token: UUID | str, step: int, purpose: str, at: datetime) -> Draft:
    """Take a step out of its place in the chain; its quotes stay."""

    def change(fields: dict[str, Any]) -> dict[str, Any]:
        if purpose in IN_CHAIN:
            return _out_of_chain(fields, step) if _stands(fields, step, purpose) else fields
        name, _ = ROWS[purpose]
        return fields | {name: [row for row in fields.get(name, []) if row["step"] != step]}

    return _change(slot_id, token, change, at)


def cite(*, slot_id: int, token: UUID | str, quote: Quote, at: datetime) -> Draft:
    """Add a quote. The same range twice is one quote."""
    row = {k: v for k, v in asdict(quote).items() if k != "purpose"}

    def change(fields: dict[str, Any]) -> dict[str, Any]:
        kept = [q for q in fields.get("evidence", []) if {k: q[k] for k in row} != row]
        return fields | {"evidence": [*kept, {"purpose": quote.purpose, **row}]}

    return _change(slot_id, token, change, at)


def uncite(*, slot_id: int, token: UUID | str, anchor: Sequence[int], at: datetime) -> Draft:
    """Take a quote back, by its (step, part, start, end)."""

    def change(fields: dict[str, Any]) -> dict[str, Any]:
        kept = [
            row
            for row in fields.get("evidence", [])
            if [row["step"], row["part"], row["start"], row["end"]] != list(anchor)
        ]
        return fields | {"evidence": kept}

    return _change(slot_id, token, change, at)


def start_from(
    *, slot_id: int, token: UUID | str, candidate: Candidate, actor: Actor, at: datetime
) -> Draft:
    """Take a candidate as the starting point: its step, its actor and its quotes, no more."""
    quotes = [
        {"purpose": "note", **{k: q[k] for k in ("step", "part", "start", "end", "text")}}
        for q in candidate.quotes
    ]

    def change(fields: dict[str, Any]) -> dict[str, Any]:
        own = [q for q in fields.get("evidence", []) if {**q, "purpose": "note"} not in quotes]
        misses = fields.get("misses", [])
        if candidate.part == Candidate.Part.MISSED:
            misses = _with(misses, candidate.step, "contract")
        return {
            **_out_of_chain(fields, candidate.step),
            **blame(actor),
            "candidate": candidate.pk,
            "decisive_step": candidate.step,
            "misses": misses,
            "evidence": [*own, *quotes],
        }

    return _change(slot_id, token, change, at)


def set_candidate_aside(*, slot_id: int, token: UUID | str, at: datetime) -> Draft:
    """Go on without a candidate: what was marked stays, as the reviewer's own finding."""
    return _change(slot_id, token, lambda fields: fields | {"candidate": ""}, at)


def purpose_of(step: int, fields: Mapping[str, Any]) -> str:
    """What a quote of this step is evidence of, by the step's place in the chain."""
    finding = Finding.from_fields(fields)
    places = {
        "origin": finding.decisive_step == step,
        "exposure": finding.exposing_step == step,
        "carrier": step in finding.carriers,
        "alternative": any(row.step == step for row in finding.alternatives),
    }
    return next((name for name, there in places.items() if there), "note")


def with_purposes(fields: dict[str, Any]) -> dict[str, Any]:
    """The fields with each quote serving what its step's place in the chain is."""
    rows = fields.get("evidence", [])
    told = [{**row, "purpose": purpose_of(row["step"], fields)} for row in rows]
    return fields | {"evidence": told}


def seen(*, slot_id: int, token: UUID | str, at: datetime) -> Draft:
    """Take away the notice that the run was read anew, with what could not be carried along."""
    without = {"renewed": None}
    return _change(slot_id, token, lambda fields: fields | without, at)


def _plain(value: Any) -> Any:
    """What was typed as Postgres can hold it; browsers send line ends as CR LF."""
    if not isinstance(value, str):
        return value
    return storable(value[: 2 * LONGEST_FIELD]).replace("\r\n", "\n")[:LONGEST_FIELD]


def _stands(fields: dict[str, Any], step: int, purpose: str) -> bool:
    """Whether the step has this place in the chain already."""
    if purpose == "carrier":
        return step in fields.get("carriers", [])
    return fields.get(f"{purpose}_step") == step


def _out_of_chain(fields: dict[str, Any], step: int) -> dict[str, Any]:
    kept = [number for number in fields.get("carriers", []) if number != step]
    freed = {key: "" for key in ("decisive_step", "exposing_step") if fields.get(key) == step}
    return fields | freed | {"carriers": kept}


def _with(rows: list[dict[str, Any]] | None, step: int, key: str) -> list[dict[str, Any]]:
    rows = rows or []
    return rows if any(row["step"] == step for row in rows) else [*rows, {"step": step, key: ""}]


def _change(
    slot_id: int,
    token: UUID | str,
    change: Callable[[dict[str, Any]], dict[str, Any]],
    at: datetime,
) -> Draft:
    """Apply one change under the lease's lock, and let each quote follow its step's place."""
    with transaction.atomic():
        slot = assignment.held(slot_id=slot_id, token=token)
        if slot.answered_at is not None:
            raise assignment.NotYourLease("You have signed this claim; it cannot change any more.")
        draft, _ = Draft.objects.get_or_create(
            case=slot.case, reviewer=slot.reviewer, defaults={"saved_at": at}
        )
        fields = with_purposes(change(draft.fields))
        draft.fields, draft.revision, draft.saved_at = fields, draft.revision + 1, at
        draft.save(update_fields=["fields", "revision", "saved_at"])
    return draft
