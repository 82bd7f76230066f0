"""Bytes become documents: the same bytes one document, redacted ones with their receipt."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import F, Q

from traces import audit, placeholders, raw, sealing
from traces.formats.files.cleaning import Cleaner
from traces.models import Project, RawDocument, Redaction, RedactionPolicy
from traces.redaction import Policy, Search
from traces.redaction.documents import Standing, value_of


@dataclass(frozen=True, slots=True)
class Stored:
    """A stored document, and whether these bytes were stored before."""

    document: RawDocument
    known: bool


@dataclass(frozen=True, slots=True)
class Original:
    """The bytes as they were sent, which may be kept nowhere."""

    sha256: str
    size: int


def stored_before(project: Project, sha256: str) -> RawDocument | None:
    """The document of these bytes, as they came or as they are stored; the latest copy of it."""
    same = Q(sha256=sha256) | Q(original_sha256=sha256)
    found = RawDocument.objects.filter(same, project=project).defer("content")
    return found.order_by(F("policy__version").desc(nulls_last=True), "-pk").first()


def kept(document: RawDocument) -> Stored:
    """Store a document. Two people may send the same at once: one is kept, both get it."""
    document.sha256 = hashlib.sha256(document.content).hexdigest()
    document.size = len(document.content)
    same = RawDocument.objects.filter(project=document.project, sha256=document.sha256)
    before = same.exists()
    raw.insert(document)
    return Stored(same.defer("content").get(), known=before)


def write(
    search: Search,
    policy: Policy,
    row: RedactionPolicy,
    *,
    content: bytes,
    original: Original,
    at: datetime,
) -> Stored:
    """Store what was searched without its values, with the receipt. Needs the project's lock."""
    key = sealing.key_of(row.project, at=at)
    standing = stand_in(search, row.project, key, at=at)
    written = search.written(standing)
    document = RawDocument(project=row.project, content=written, received_at=at, policy=row)
    if hashlib.sha256(written).hexdigest() != original.sha256:
        document.original_sha256, document.original_size = original.sha256, original.size
    stored = kept(document)
    if written != content and not stored.known:
        entries = placeholders.entries(search, policy, key, standing)
        leave_receipt(stored.document, row, entries, at)
    return stored


def stand_in(search: Search, project: Project, key: sealing.Key, *, at: datetime) -> Standing:
    """A placeholder for each value that was found. Needs the project's lock."""
    known = placeholders.given_before(project, search.lookalikes())
    found = (each for each in search.found() if each.rule and each.lookalike not in known)
    values = [value_of(each) for each in found]
    return placeholders.standing(project=project, key=key, values=values, known=known, at=at)


def leave_receipt(
    document: RawDocument, row: RedactionPolicy, entries: list[dict[str, Any]], at: datetime
) -> None:
    count = sum(entry["count"] for entry in entries)
    cleaned = [{**entry, "field": Cleaner().text(entry["field"])} for entry in entries]
    Redaction.objects.create(
        document=document, policy=row, entries=cleaned, count=count, made_at=at
    )
    audit.record(
        action="document.redacted",
        subject=f"document:{document.pk}",
        at=at,
        project=row.project,
        data={
            "policy": row.version,
            "count": count,
            "sha256": document.sha256,
            "original_sha256": document.original_sha256,
        },
    )
