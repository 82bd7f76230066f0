"""The audit chain: every state change writes an entry in its own transaction.

Each entry's hash covers its content and the hash before it, so a changed or removed entry in
the middle shows. A cut tail shows against a signed checkpoint, which carries the count.

The chain's lock is the last lock of every transaction: whoever waits for it holds rows, and
whoever has it must not wait for any. What locks rows after recording records `together`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db import connection

from traces.models import AuditEntry, Project

FIRST_PREVIOUS = "0" * 64
# Any constant will do: it serialises writers of the chain, for one transaction each.
CHAIN_LOCK = 0x1A9E57
# Rows of one INSERT.
BATCH = 1000

_collected: ContextVar[list[AuditEntry] | None] = ContextVar("_collected", default=None)


@contextmanager
def together() -> Iterator[None]:
    """Hold entries back and append them all at the end, so that the chain is held only then.

    To be used right inside a transaction; within another `together` it changes nothing. Until
    its end the entries have no number. An error discards them, as the transaction does.
    """
    if _collected.get() is not None:
        yield
        return
    entries: list[AuditEntry] = []
    outside = _collected.set(entries)
    try:
        yield
    finally:
        _collected.reset(outside)
    append(entries)


def record(
    *,
    action: str,
    subject: str,
    at: datetime,
    project: Project | None = None,
    actor: AbstractBaseUser | None = None,
    data: Mapping[str, Any] | None = None,
) -> AuditEntry:
    """Append one entry. Must run inside the transaction of the change it records."""
    if not connection.in_atomic_block:
        raise RuntimeError("An audit entry belongs in the transaction of the change it records.")
    entry = AuditEntry(
        project=project,
        actor_id=actor.pk if actor else None,
        action=action,
        subject=subject,
        at=at,
        data=dict(data or {}),
    )
    collected = _collected.get()
    if collected is None:
        append([entry])
    else:
        collected.append(entry)
    return entry


def append(entries: Sequence[AuditEntry]) -> None:
    """Chain the entries, in this order, behind the last one and write them."""
    if not entries:
        return
    lock()
    last = AuditEntry.objects.order_by("-number").only("number", "sha256").first()
    number, previous = (last.number, last.sha256) if last else (0, FIRST_PREVIOUS)
    for place, entry in enumerate(entries, start=1):
        entry.number, entry.previous = number + place, previous
        entry.sha256 = previous = digest(entry)
    AuditEntry.objects.bulk_create(entries, batch_size=BATCH)


def lock() -> None:
    """Keep other writers from the chain until this transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [CHAIN_LOCK])


def digest(entry: AuditEntry) -> str:
    """The sha256 (hex) of an entry's content in sorted-key JSON, previous hash included."""
    content = {
        "number": entry.number,
        "project": entry.project_id,
        "actor": entry.actor_id,
        "action": entry.action,
        "subject": entry.subject,
        "at": entry.at.astimezone(UTC).isoformat(),
        "data": entry.data,
        "previous": entry.previous,
    }
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def faults() -> Iterator[str]:
    """Sentences about every place where the chain does not hold, in order."""
    previous, expected = FIRST_PREVIOUS, 1
    for entry in AuditEntry.objects.order_by("number").iterator(chunk_size=2000):
        if entry.number != expected:
            yield f"Entries {expected} to {entry.number - 1} are missing."
        if entry.previous != previous:
            yield f"Entry {entry.number} does not follow the entry before it."
        if digest(entry) != entry.sha256:
            yield f"Entry {entry.number} was changed after it was written."
        previous, expected = entry.sha256, entry.number + 1
