"""The waiting spans of some traces, and those they are assembled with, as one document."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from json import loads
from typing import Any, NamedTuple

import psycopg
from django.db import connection

from traces import raw
from traces.formats.base import Refusal
from traces.models import OpenTrace, RawSpan, SpanOrigin
from traces.otlp import joining
from traces.otlp.joining import Group

COLUMNS = "id, receipt_id, origin_id, trace_id, span_id, signal, digest, content"
SPANS = f"""
    SELECT {COLUMNS} FROM "{RawSpan._meta.db_table}"
    WHERE project_id = %s AND trace_id = ANY(%s) ORDER BY id
"""  # noqa: S608 - our own table and columns
# The first rows of a trace that are so many and so many bytes at most; one at least.
SOME = f"""
    SELECT {COLUMNS} FROM (
        SELECT *, sum(octet_length(content)) OVER (ORDER BY id) - octet_length(content) AS before
        FROM (
            SELECT * FROM "{RawSpan._meta.db_table}"
            WHERE project_id = %s AND trace_id = %s ORDER BY id LIMIT %s
        ) AS first
    ) AS counted
    WHERE before < %s ORDER BY id
"""  # noqa: S608
SIZES = f"""
    SELECT trace_id, sum(octet_length(content)) FROM "{RawSpan._meta.db_table}"
    WHERE project_id = %s AND trace_id = ANY(%s) GROUP BY trace_id
"""  # noqa: S608


class Waiting(NamedTuple):
    """A row of `RawSpan`."""

    pk: int
    receipt: int
    origin: int
    trace_id: bytes
    span_id: bytes
    signal: str
    digest: bytes
    content: bytes


@dataclass(slots=True)
class Gathered:
    """Spans that wait, their document, and how many only said again what others say."""

    spans: list[Waiting]
    content: bytes = b""
    folded: Counter[bytes] = field(default_factory=Counter)
    folded_of: Counter[int] = field(default_factory=Counter)
    # Traces of which nothing is new: all that came was in their document already.
    unchanged: set[bytes] = field(default_factory=set)
    # What the document is made of, in its order, and the contents of origins by their rows.
    groups: list[Group] = field(default_factory=list)
    origins: dict[int, bytes] = field(default_factory=dict)


def sizes(project: int, traces: Sequence[OpenTrace]) -> dict[bytes, int]:
    """Bytes that wait of each trace: looked up before they are loaded."""
    with connection.cursor() as cursor:
        cursor.execute(SIZES, [project, ids_of(traces)])
        return {bytes(trace_id): int(size) for trace_id, size in cursor.fetchall()}


def ids_of(traces: Iterable[OpenTrace]) -> list[bytes]:
    return [bytes(each.trace_id) for each in traces]


def loaded(project: int, traces: Sequence[OpenTrace]) -> list[Waiting]:
    return rows_of(SPANS, [project, ids_of(traces)])


def some(project: int, trace: OpenTrace, *, rows: int, size: int) -> list[Waiting]:
    """The first that wait of a trace, as many as may be held at once."""
    return rows_of(SOME, [project, bytes(trace.trace_id), rows, size])


def rows_of(statement: str, values: Sequence[Any]) -> list[Waiting]:
    """The rows, as bytes: in the text of a statement they would be hex."""
    connection.ensure_connection()
    with connection.wrap_database_errors, psycopg.Cursor(connection.connection) as cursor:
        cursor.execute(statement.encode(), values, binary=True)
        return [Waiting(*row) for row in cursor]


def gathered(project: int, traces: Sequence[OpenTrace]) -> Gathered:
    """One document of all spans of these traces, in an order that does not tell how they came."""
    out = Gathered(loaded(project, traces))
    origins = origins_of(out.spans)
    pieces: defaultdict[tuple[str, bytes], set[bytes]] = defaultdict(set)
    before = {piece: trace_id for trace_id, piece in known_pieces(traces)}
    fresh: set[bytes] = set()
    seen: set[tuple[bytes, bytes, int]] = set()
    for span in out.spans:
        mark = (span.digest, span.span_id, span.origin)
        place = (span.signal, origins[span.origin], span.content)
        if mark in seen or place in before:
            out.folded[span.trace_id] += 1
            out.folded_of[span.receipt] += 1
            continue
        seen.add(mark)
        fresh.add(span.trace_id)
        pieces[place[:2]].add(span.content)
    out.unchanged = set(before.values()) - fresh
    for (signal, origin, content), trace_id in before.items():
        if trace_id not in out.unchanged:
            pieces[signal, origin].add(content)
    out.origins = origins
    if pieces:
        out.groups = [
            Group(signal, origin, sorted(items))
            for (signal, origin), items in sorted(pieces.items())
        ]
        out.content = joining.joined(out.groups)
    return out


def by_receipt(gathered: Gathered, refusals: Sequence[Refusal]) -> defaultdict[int, list[Refusal]]:
    """The refused places of a document by the receipts of the spans that stand there."""
    out: defaultdict[int, list[Refusal]] = defaultdict(list)
    if not refusals:
        return out
    senders: defaultdict[tuple[str, bytes, bytes], set[int]] = defaultdict(set)
    for span in gathered.spans:
        senders[span.signal, gathered.origins[span.origin], span.content].add(span.receipt)
    everybody = {span.receipt for span in gathered.spans}
    for refusal in refusals:
        piece = joining.piece_at(refusal.position, gathered.groups)
        for receipt in senders[piece] if piece else everybody:
            out[receipt].append(refusal)
    return out


def origins_of(spans: Iterable[Waiting]) -> dict[int, bytes]:
    rows = SpanOrigin.objects.filter(pk__in={span.origin for span in spans})
    return {key: bytes(content) for key, content in rows.values_list("pk", "content")}


def known_pieces(
    traces: Sequence[OpenTrace],
) -> Iterator[tuple[bytes, tuple[str, bytes, bytes]]]:
    """What the documents of these traces hold of them already."""
    by_document: defaultdict[int, list[bytes]] = defaultdict(list)
    for each in traces:
        if each.document_id is not None:
            by_document[each.document_id].append(bytes(each.trace_id))
    for document, wanted in by_document.items():
        for group in joining.taken_apart(raw.content(document)):
            for item in group.items:
                trace_id = trace_of(item, wanted)
                if trace_id is not None:
                    yield trace_id, (group.signal, group.origin, item)


def trace_of(item: bytes, wanted: Sequence[bytes]) -> bytes | None:
    """Which of these traces an item belongs to, if to any."""
    for trace_id in wanted:
        if trace_id.hex().encode() in item and named(loads(item)) == trace_id.hex():
            return trace_id
    return None


def named(item: Any) -> str:
    return str(item.get("traceId", "")) if isinstance(item, dict) else ""
