"""Work of the ground floor that happens by itself."""

from __future__ import annotations

from celery import shared_task
from django.utils import timezone

from traces import left_over, outlines, profiles
from traces.otlp import assembling


@shared_task
def sweep(**_: object) -> None:
    """Read what was received and, for whatever reason, never read; see what is usual now;
    outline runs that have no outline yet."""
    left_over.finish_stored(at=timezone.now())
    profiles.refresh(at=timezone.now())
    outlines.complete()


@shared_task
def read_large(**_: object) -> None:
    """Read documents that nobody waited for, because they are large."""
    left_over.read_large(at=timezone.now())


@shared_task
def assemble(**_: object) -> None:
    """Make runs of the traces that are complete, or of which nothing came for long."""
    assembling.assemble(at=timezone.now())
