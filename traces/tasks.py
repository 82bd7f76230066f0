"""Work of the ground floor that happens by itself."""

from __future__ import annotations

from celery import shared_task
from django.utils import timezone

from traces import ingest, profiles


@shared_task
def sweep(**_: object) -> None:
    """Read what was received and, for whatever reason, never read; see what is usual now."""
    ingest.finish_stored(at=timezone.now())
    profiles.refresh(at=timezone.now())
