"""The record of a run as one JSON document: what `inspect_run --json` prints.

The shape is documented in docs/operations.md. Keys do not come and go: what is empty is null, an
empty list or an empty object.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from traces.models import Quarantine
from traces.provenance import RawTally
from traces.ranges import Ranges
from traces.record import Field, GapKind, Record
from traces.relations import Relations, Relative
from traces.tallies import Instance, PayloadTally

IDENTITY = (
    "external_id", "source", "format", "rule", "schema", "pointer", "outcome", "task_id",
    "started_at", "ended_at", "closed_at", "received_at", "recorder", "system", "initial_state",
    "step_count", "actor_count", "gap_count",
)  # fmt: skip


def document(record: Record) -> dict[str, Any]:
    """The whole record; times and ids are left to the encoder."""
    run = record.run
    return {
        "identity": {
            "id": run.pk,
            "project": run.project.slug,
            **{name: getattr(run, name) for name in IDENTITY},
        },
        "digests": {
            "run": run.sha256,
            "document": run.document.sha256,
            "document_size": run.document.size,
            "original_document": run.document.original_sha256 or None,
            "original_document_size": run.document.original_size,
        },
        "reports": [asdict(report) for report in record.reports],
        "relations": relations(record.relations) | {"own_attempt": own_attempt(record)},
        "actors": [actor(each) for each in record.actors],
        "gaps": [gap_kind(each) for each in record.gaps],
        "capture_states": [field(each) for each in record.fields],
        "redactions": redactions(record),
        "payloads": [payload(each) for each in record.payloads],
        "raw_records": raw_records(record.raw),
        "suspicions": [each._asdict() for each in record.suspicions],
        "quarantines": [quarantine(each) for each in record.quarantines],
    }


def steps(ranges: Ranges) -> list[list[int]]:
    """Step numbers as [first, last] pairs."""
    return [list(each) for each in ranges]


def relations(found: Relations) -> dict[str, Any]:
    """Both ways; `parent` is null if the record names none, and has no runs if none is here."""
    parent = {"name": found.parent_name, "relation": found.relation}
    return {
        "parent": parent | {"runs": many(found.parents)} if found.parent_name else None,
        "children": many(found.children),
        "attempts": many(found.attempts),
    }


def many(relatives: tuple[Relative, ...]) -> list[dict[str, Any]]:
    return [asdict(each) for each in relatives]


def own_attempt(record: Record) -> dict[str, Any]:
    return {"number": record.run.attempt, "reason": record.run.attempt_reason}


def actor(found: Instance) -> dict[str, Any]:
    named = asdict(found)
    del named["why"]
    renamed = {"instances_of_role": "of_role", "first_step": "first", "last_step": "last"}
    return named | {new: named.pop(old) for new, old in renamed.items()}


def gap_kind(found: GapKind) -> dict[str, Any]:
    return {
        "kind": found.tally.kind,
        "title": found.title,
        "meaning": found.kind.meaning,
        "remedy": found.kind.remedy,
        "count": found.tally.count,
        "of_run": found.tally.of_run,
        "steps": steps(found.tally.steps),
        "examples": [{"step": gap.step, "detail": gap.detail} for gap in found.examples],
    }


def field(found: Field) -> dict[str, Any]:
    tally = found.tally
    return {
        "where": tally.where,
        "field": tally.field,
        "state": tally.state,
        "count": tally.count,
        "of": found.of,
        "steps": steps(tally.steps),
    }


def redactions(record: Record) -> dict[str, Any]:
    """What was withheld: by this project, with its receipt, and by the source."""
    redaction = record.redaction
    return {
        "policy": redaction.policy.version if redaction else None,
        "count": redaction.count if redaction else 0,
        "entries": redaction.entries if redaction else [],
        "expected_answer_withheld": record.answer_is_withheld,
        "by_source": [field(each) for each in record.withheld_by_source],
    }


def payload(found: PayloadTally) -> dict[str, Any]:
    return asdict(found) | {"steps": steps(found.steps)}


def raw_records(found: RawTally) -> dict[str, Any]:
    """`listed` is whether the format says what became of records that are no steps."""
    return {
        "listed": found.listed,
        "steps": found.step_records,
        "fates": {
            each.fate.value: {
                "count": each.count,
                "names": [{"name": name, "count": count} for name, count in each.names],
            }
            for each in found.fates
        },
        "folded": dict(found.folded),
        "unread": dict(found.unread),
    }


def quarantine(found: Quarantine) -> dict[str, Any]:
    return {
        "status": found.status,
        "reason": found.reason,
        "note": found.note,
        "owner": found.owner.get_username() if found.owner else None,
        "decided_at": found.decided_at,
        "replacement": found.replacement_id,
        "lifted_at": found.lifted_at,
        "lift_reason": found.lift_reason,
    }
