"""What became of spans, written where people look: on their receipts and on their traces."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import F

from traces import wording
from traces.arrivals import Fate
from traces.formats.base import Refusal
from traces.models import OpenTrace, RawDocument, RawSpan, Receipt
from traces.otlp import gathering, storing
from traces.otlp.gathering import Gathered

LISTED = {Fate.MADE: "made", Fate.KNOWN: "known", Fate.RENEWED: "renewed"}
SETTLE = f"""
    UPDATE "{Receipt._meta.db_table}" AS receipt SET
        waiting = receipt.waiting - came.spans,
        folded = receipt.folded + came.folded,
        gap_count = receipt.gap_count + came.gaps,
        made = receipt.made || came.made,
        known = receipt.known || came.known,
        renewed = receipt.renewed || came.renewed,
        notes = receipt.notes || came.notes,
        refused = CASE WHEN receipt.refused @> came.refused
            OR jsonb_array_length(receipt.refused) >= {storing.MOST_REFUSALS} THEN receipt.refused
            ELSE receipt.refused || came.refused END,
        refused_count = receipt.refused_count + CASE WHEN receipt.refused @> came.refused THEN 0
            ELSE jsonb_array_length(came.refused) END,
        status = CASE
            WHEN receipt.waiting > came.spans THEN receipt.status
            WHEN receipt.made || receipt.known || receipt.renewed || came.made || came.known
                || came.renewed = '[]' THEN 'refused'
            ELSE 'read' END,
        reason = CASE WHEN receipt.reason = '' THEN came.reason ELSE receipt.reason END,
        finished_at = CASE WHEN receipt.waiting > came.spans THEN NULL ELSE %s END
    FROM unnest(%s::bigint[], %s::integer[], %s::integer[], %s::integer[], %s::jsonb[],
        %s::jsonb[], %s::jsonb[], %s::jsonb[], %s::jsonb[], %s::text[])
        AS came (id, spans, folded, gaps, made, known, renewed, notes, refused, reason)
    WHERE receipt.id = came.id
"""  # noqa: S608 - our own table
# In one array: thousands of placeholders take longer to write than the rows to delete.
DELETE = f'DELETE FROM "{RawSpan._meta.db_table}" WHERE id = ANY(%s::bigint[])'  # noqa: S608
MARK = f"""
    UPDATE "{OpenTrace._meta.db_table}" AS open SET
        waiting = open.waiting - came.spans,
        taken_at = NULL,
        tries = 0,
        run_id = coalesce(came.run, open.run_id),
        document_id = coalesce(came.document, open.document_id)
    FROM unnest(%s::bigint[], %s::integer[], %s::uuid[], %s::bigint[])
        AS came (id, spans, run, document)
    WHERE open.id = came.id
"""  # noqa: S608


@dataclass(frozen=True, slots=True)
class Fateful:
    """What became of one trace: its run, or why there is none."""

    run: UUID | None = None
    fate: Fate = Fate.KNOWN
    gap_count: int = 0
    note: str = ""
    refusal: Refusal | None = None


def settle(
    gathered: Gathered,
    fates: Mapping[bytes, Fateful],
    refusals: Sequence[Refusal],
    *,
    at: datetime,
) -> None:
    """Take the spans out of the queue, and tell their receipts."""
    spans = gathered.spans
    with connection.cursor() as cursor:
        # As text: the driver takes longer to write out a list of thousands than to send it.
        cursor.execute(DELETE, ["{" + ",".join([str(span.pk) for span in spans]) + "}"])
    traces: defaultdict[int, dict[bytes, None]] = defaultdict(dict)
    for span in spans:
        traces[span.receipt][span.trace_id] = None
    counts = Counter(span.receipt for span in spans)
    columns: list[list[Any]] = [[] for _ in range(10)]
    told_of = gathering.by_receipt(gathered, refusals)
    for receipt in sorted(traces):
        own = [fates[trace_id] for trace_id in traces[receipt]]
        row = (
            receipt,
            counts[receipt],
            gathered.folded_of[receipt],
            *told(own, told_of[receipt]),
        )
        for column, value in zip(columns, row, strict=True):
            column.append(value)
    with connection.cursor() as cursor:
        cursor.execute(SETTLE, [at, *columns])


def told(own: Sequence[Fateful], refusals: Sequence[Refusal]) -> tuple[Any, ...]:
    """What the receipt of these traces says: gaps, three lists of runs, notes, refusals, reason."""
    runs: dict[str, list[str]] = {name: [] for name in LISTED.values()}
    for each in own:
        if each.run is not None:
            runs[LISTED[each.fate]].append(str(each.run))
    refused = [each.refusal for each in own if each.refusal is not None]
    rows = [wording.refusal_row(each) for each in (*refused, *refusals)]
    return (
        sum(each.gap_count for each in own),
        *(json.dumps(listed) for listed in runs.values()),
        json.dumps([each.note for each in own if each.note]),
        json.dumps(rows),
        rows[0]["reason"] if refused else "",
    )


def mark(
    traces: Sequence[OpenTrace],
    gathered: Gathered,
    fates: Mapping[bytes, Fateful],
    document: RawDocument | None,
) -> None:
    """Give the traces back with what they are by now. Those that did not change keep theirs."""
    left = Counter(span.trace_id for span in gathered.spans)
    columns: list[list[Any]] = [[], [], [], []]
    for each in traces:
        trace_id = bytes(each.trace_id)
        changed = document is not None and trace_id not in gathered.unchanged
        row = (
            each.pk,
            left[trace_id],
            fates[trace_id].run,
            document.pk if document and changed else None,
        )
        for column, value in zip(columns, row, strict=True):
            column.append(value)
    with connection.cursor() as cursor:
        cursor.execute(MARK, columns)


def count_down(trace: OpenTrace, spans: int) -> None:
    """So many spans of a trace, which is still being worked on, do not wait any more."""
    OpenTrace.objects.filter(pk=trace.pk).update(waiting=F("waiting") - spans)
