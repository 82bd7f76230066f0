"""Waiting spans into their table by COPY in its binary form: bytes go in as they are."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from hashlib import sha256

from django.db import connection

from traces.models import RawSpan
from traces.otlp.batches import Item

COLUMNS = (
    "project_id",
    "receipt_id",
    "signal",
    "origin_id",
    "trace_id",
    "span_id",
    "digest",
    "content",
)
BEGIN = b"PGCOPY\n\xff\r\n\0" + struct.pack("!II", 0, 0)
END = struct.pack("!h", -1)
COUNT = struct.Struct("!h").pack
BIGINT = struct.Struct("!iq").pack
LENGTH = struct.Struct("!i").pack
# Of a trace id, a digest, and an origin's number.
SIXTEEN, THIRTY_TWO = LENGTH(16), LENGTH(32)
# Rows that go to the driver at once.
CHUNK = 256


def copy(
    items: Iterable[Item], origins: list[int], *, project: int, receipt: int, signal: str
) -> None:
    """To be called inside a transaction."""
    names = ", ".join(f'"{name}"' for name in COLUMNS)
    statement = f'COPY "{RawSpan._meta.db_table}" ({names}) FROM STDIN (FORMAT BINARY)'
    with (
        connection.wrap_database_errors,
        connection.cursor() as cursor,
        cursor.copy(statement) as target,
    ):
        target.write(BEGIN)
        for chunk in rows(items, origins, start(project, receipt, signal)):
            target.write(chunk)
        target.write(END)


def start(project: int, receipt: int, signal: str) -> bytes:
    """What all rows of one batch begin with: how many columns they have, and the first three."""
    text = signal.encode()
    same = (COUNT(len(COLUMNS)), BIGINT(8, project), BIGINT(8, receipt), LENGTH(len(text)), text)
    return b"".join(same)


def rows(items: Iterable[Item], origins: list[int], begun: bytes) -> Iterator[bytes]:
    packed = [BIGINT(8, origin) + SIXTEEN for origin in origins]
    pieces: list[bytes] = []
    for item in items:
        content, span_id = item.content, item.span_id
        pieces += (
            begun,
            packed[item.origin],
            item.trace_id,
            LENGTH(len(span_id)),
            span_id,
            THIRTY_TWO,
            sha256(content).digest(),
            LENGTH(len(content)),
            content,
        )
        if len(pieces) >= 9 * CHUNK:
            yield b"".join(pieces)
            pieces.clear()
    yield b"".join(pieces)
