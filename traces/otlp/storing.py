"""Makes a batch durable, in one transaction: its receipt, its spans, and the jobs to read them.

Only when it is committed is the sender answered. Spans are not looked at here any further.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from hashlib import sha256
from typing import Any

from django.db import connection, transaction

from traces import audit, wording
from traces.formats.base import Refusal
from traces.models import OpenTrace, Project, Receipt, SpanOrigin
from traces.otlp import binary, screening, sending
from traces.otlp.batches import LOG, SPAN, Batch

# Refused places that a receipt keeps; further ones are counted.
MOST_REFUSALS = 1_000
NAMES = {SPAN: "OTLP spans", LOG: "OTLP log records"}
UPSERT = f"""
    INSERT INTO "{OpenTrace._meta.db_table}" AS known
        (project_id, trace_id, first_at, last_at, root_ended, waiting)
    SELECT %s, came.trace_id, %s, %s, came.root_ended, came.waiting
    FROM unnest(%s::bytea[], %s::boolean[], %s::integer[])
        AS came (trace_id, root_ended, waiting)
    ORDER BY came.trace_id
    ON CONFLICT (project_id, trace_id) DO UPDATE SET
        last_at = greatest(known.last_at, excluded.last_at),
        root_ended = known.root_ended OR excluded.root_ended,
        waiting = known.waiting + excluded.waiting
"""  # noqa: S608 - the table's own name
HOLD = f'SELECT 1 FROM "{Project._meta.db_table}" WHERE id = %s FOR KEY SHARE'  # noqa: S608


def store(*, project: Project, batch: Batch, at: datetime) -> Receipt | None:
    """Store a batch and its receipt; None if there was nothing in it.

    Raises screening.Unsearched if the project's policy cannot be applied: nothing is stored.
    """
    if not (batch.items or batch.refusals):
        return None
    for search in screening.searches(project, batch):
        with transaction.atomic(), audit.together():
            hold(project)
            screened = screening.screened(search, project, batch, at=at)
            if screened is None:
                continue
            return write(project, screened, at)
    raise screening.Unsearched("The project's policy is being changed. Send the batch again.")


def hold(project: Project) -> None:
    """Keep the project's policy as it is until the commit. Others may store at the same time."""
    with connection.cursor() as cursor:
        cursor.execute(HOLD, [project.pk])


def write(project: Project, screened: screening.Screened, at: datetime) -> Receipt:
    batch = screened.batch
    receipt = receipt_of(project, screened, at)
    receipt.save(force_insert=True)
    if batch.items:
        origins = origin_ids(project, list(batch.origins))
        binary.copy(
            batch.items, origins, project=project.pk, receipt=receipt.pk, signal=batch.signal
        )
        open_traces(project, batch, at)
        transaction.on_commit(sending.soon)
    screening.leave_entry(receipt, screened, at)
    return receipt


def receipt_of(project: Project, screened: screening.Screened, at: datetime) -> Receipt:
    batch = screened.batch
    receipt = Receipt(
        project=project,
        filename=NAMES[batch.signal],
        via=Receipt.Via.OTLP,
        format="otlp",
        accepted=len(batch.items),
        waiting=len(batch.items),
        refused=[wording.refusal_row(each) for each in batch.refusals[:MOST_REFUSALS]],
        refused_count=len(batch.refusals),
        notes=[*notes_of(batch), *screened.notes],
        withheld=screened.entries,
        received_at=at,
    )
    if not batch.items:
        receipt.status, receipt.finished_at = Receipt.Status.REFUSED, at
        receipt.reason = reason_of(batch.refusals)
    return receipt


def notes_of(batch: Batch) -> list[str]:
    return [f"Replaced while reading: {count} of {what}." for what, count in batch.notes.items()]


def reason_of(refusals: Sequence[Refusal]) -> str:
    return refusals[0].reason if refusals else "There is nothing in it."


def origin_ids(project: Project, contents: Sequence[bytes]) -> list[int]:
    """The rows of these origins, in their order; made where they are new."""
    digests = [sha256(content).digest() for content in contents]
    known = known_origins(project, digests)
    missing = {
        digest: SpanOrigin(project=project, sha256=digest, content=content)
        for digest, content in zip(digests, contents, strict=True)
        if digest not in known
    }
    if missing:
        # Sorted, so that two batches with the same new origins do not wait for each other.
        fresh = [missing[digest] for digest in sorted(missing)]
        SpanOrigin.objects.bulk_create(fresh, ignore_conflicts=True)
        known = known_origins(project, digests)
    return [known[digest] for digest in digests]


def known_origins(project: Project, digests: Sequence[bytes]) -> dict[bytes, int]:
    rows = SpanOrigin.objects.filter(project=project, sha256__in=digests)
    return {bytes(digest): key for digest, key in rows.values_list("sha256", "pk")}


def open_traces(project: Project, batch: Batch, at: datetime) -> None:
    """The jobs of these traces, in one statement and in one order, so that none is locked twice."""
    counts: dict[bytes, int] = {}
    ended: set[bytes] = set()
    for item in batch.items:
        counts[item.trace_id] = counts.get(item.trace_id, 0) + 1
        if item.ended_root:
            ended.add(item.trace_id)
    arrays: list[Any] = [list(counts), [each in ended for each in counts], list(counts.values())]
    with connection.cursor() as cursor:
        cursor.execute(UPSERT, [project.pk, at, at, *arrays])
