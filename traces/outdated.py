"""Stored documents read again, because a mapper has changed since: no byte is sent twice.

Each document gets a receipt of its own for it. What the runs of a document keep, and which of
them stay as they are, is decided where runs are read anew: see `traces.renewing`.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from django.contrib.auth.models import User
from django.db.models import Q, QuerySet

from traces import ingest
from traces.formats import registry
from traces.models import Project, RawDocument, Receipt, Run


def stale(project: Project, *, format_name: str = "") -> QuerySet[RawDocument]:
    """Documents of the project that nothing replaced, and of which a run was read by another
    version of its format than the one here; oldest first, without their bytes."""
    versions = {name: f"{name}@{each.version}" for name, each in registry.formats().items()}
    wanted = {name: now for name, now in versions.items() if format_name in ("", name)}
    outdated = Q(pk__in=[])
    for name, now in wanted.items():
        outdated |= Q(format__startswith=f"{name}@") & ~Q(format=now)
    runs = Run.objects.filter(outdated, project=project)
    documents = RawDocument.objects.filter(pk__in=runs.values("document")).current()
    return documents.defer("content").order_by("pk")


def reread(
    *, project: Project, format_name: str = "", by: User | None, at: datetime
) -> Iterator[Receipt]:
    """Read each stale document again, one after the other; what became of it, as on a receipt."""
    for document in list(stale(project, format_name=format_name)):
        first = document.receipts.order_by("pk").first()
        receipt = Receipt.objects.create(
            project=project,
            document=document,
            filename=first.filename if first else "",
            # If a person chose the format then, it is the same now.
            wanted_format=first.wanted_format if first else "",
            via=Receipt.Via.COMMAND,
            received_by=by,
            received_at=at,
        )
        yield ingest.read(receipt_id=receipt.pk, at=at)
