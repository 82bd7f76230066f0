"""Documents that are stored and not read: left half-way by their reader, or too large to wait."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta

from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.db.models.functions import Now

from traces import ingest
from traces.models import Receipt
from traces.models.documents import ReceiptQuerySet

# Whoever received a document is reading it; only after this has it surely died.
PATIENCE = timedelta(minutes=2)

logger = logging.getLogger(__name__)


def finish_stored(*, at: datetime) -> None:
    """Read documents that were received some time ago and whose reading died half-way."""
    unread = Receipt.objects.unfinished().not_being_read(since=Now() - ingest.LEASE)
    read_all(unread.filter(received_at__lt=at - PATIENCE), at=at)


def read_large(*, at: datetime) -> None:
    """Read documents that were left to a worker, and that none took yet."""
    large = Receipt.objects.unfinished().filter(
        via__in=ingest.BY_WEB, document__size__gt=settings.READ_AT_ONCE_BYTES, tries=0
    )
    read_all(large, at=at)


def read_all(waiting: ReceiptQuerySet, *, at: datetime) -> None:
    for receipt_id in waiting.order_by("received_at").values_list("pk", flat=True)[:100]:
        try:
            ingest.read(receipt_id=receipt_id, at=at)
        except SoftTimeLimitExceeded:
            raise
        except Exception:  # one document must not keep the others waiting
            logger.exception("Receipt %s could not be finished.", receipt_id)
