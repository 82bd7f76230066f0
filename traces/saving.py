"""What each writer of runs needs: the lock, what is to be written, what the database refuses."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import NamedTuple

from celery.exceptions import SoftTimeLimitExceeded
from django.db import InterfaceError, OperationalError, transaction

from traces import payload_store
from traces.formats.base import Unreadable
from traces.models import Project, Run
from traces.payloads import Payload
from traces.transcript import Transcript

logger = logging.getLogger(__name__)


class New(NamedTuple):
    """A run that may be written: its row, not saved, its content, and what was moved out of it."""

    row: Run
    transcript: Transcript
    payloads: Sequence[Payload] = ()


def kept(new: New, *, at: datetime) -> list[int]:
    """The keys of what was moved out of a run, stored by now."""
    return payload_store.keep(project=new.row.project, taken_out=new.payloads, at=at)


@contextmanager
def whole_or_refused(news: Sequence[New]) -> Iterator[None]:
    """Write all of it or nothing. Raises Unreadable for what the database does not hold."""
    try:
        with transaction.atomic():
            yield
    except (OperationalError, InterfaceError, MemoryError, SoftTimeLimitExceeded):
        raise
    except Exception as error:  # a plug-in may hand over what no table holds
        if len(news) == 1:
            logger.exception("The run %s could not be written.", news[0].row.external_id)
        said = next(iter(str(error).splitlines()), "")
        raise Unreadable("The database refused this run.", f"It said: {said[:200]}") from error


def lock(project: Project) -> None:
    """One writer of runs per project at a time, so that looking before writing is enough."""
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)
