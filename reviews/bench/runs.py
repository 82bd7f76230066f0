"""Runs for benches that need one in the database, written through the one door."""

from __future__ import annotations

from django.utils import timezone

from traces import ingest
from traces.bench import documents
from traces.models import Project, Receipt, Run


def written(project: Project, name: str, *, steps: int, failed: bool) -> Run:
    receipt = ingest.ingest(
        project=project,
        content=documents.content(name, steps=steps, failed=failed),
        filename=f"{name}.json",
        via=Receipt.Via.COMMAND,
        by=None,
        at=timezone.now(),
    )
    return Run.objects.get(pk=receipt.made[0])
