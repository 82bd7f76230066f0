"""The only writer of runs: a run, all that is below it, its audit entry, and who is told."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from celery.exceptions import SoftTimeLimitExceeded
from django.contrib.auth.models import User
from django.db import InterfaceError, OperationalError, transaction
from django.db.models import Q

from traces import audit, payload_store, quarantine, rows, subscriptions
from traces.fingerprint import digest
from traces.formats.base import Unreadable
from traces.models import PayloadUse, Project, RawDocument, Run
from traces.payloads import Payload
from traces.transcript import Gap, Transcript

logger = logging.getLogger(__name__)


@transaction.atomic
@audit.together()
def write_run(
    *,
    project: Project,
    document: RawDocument,
    pointer: str,
    transcript: Transcript,
    format: str,  # noqa: A002 - the word of the record
    rule: str,
    at: datetime,
) -> Run:
    """Write one run; if its content or its place in the document is known, return that run."""
    lock(project)
    row = rows.run_row(transcript, project=project, document=document, received_at=at)
    row.pointer, row.format, row.rule, row.sha256 = pointer, format, rule, digest(transcript)
    return known_as(row) or insert(row=row, transcript=transcript, by=None, at=at)


def insert(
    *,
    row: Run,
    transcript: Transcript,
    by: User | None,
    at: datetime,
    payloads: Sequence[Payload] = (),
) -> Run:
    """Write a run that is not known yet, with its audit entry, and announce it.

    To be called in `audit.together`: subscribers lock rows after the entry was recorded.
    """
    # Not in the block below: a storage that does not answer says nothing against the run.
    kept = payload_store.keep(project=row.project, taken_out=payloads, at=at)
    try:
        with transaction.atomic():
            transcript = replace(transcript, gaps=(*transcript.gaps, *conflicts(row)))
            row.gap_count = len(transcript.gaps)
            row.save(force_insert=True)
            rows.copy_content(row, transcript)
            rows.copy(row, PayloadUse, ("payload_id",), ((key,) for key in kept))
    except (OperationalError, InterfaceError, MemoryError, SoftTimeLimitExceeded):
        raise
    except Exception as error:  # a plug-in may hand over what no table holds
        logger.exception("The run %s could not be written.", row.external_id)
        said = next(iter(str(error).splitlines()), "")
        raise Unreadable("The database refused this run.", f"It said: {said[:200]}") from error
    audit.record(
        action="run.ingested",
        subject=f"run:{row.pk}",
        at=at,
        project=row.project,
        actor=by,
        data={"external_id": row.external_id, "sha256": row.sha256, "format": row.format},
    )
    quarantine.propose(run=row, transcript=transcript, at=at)
    subscriptions.announce(run=row, at=at)
    return row


def known_as(row: Run) -> Run | None:
    """The run with this content in the project, or the one read from the same place before."""
    same_content = Q(project=row.project, sha256=row.sha256)
    same_place = Q(document=row.document, pointer=row.pointer)
    return Run.objects.filter(same_content | same_place).order_by("received_at").first()


def conflicts(row: Run) -> Iterator[Gap]:
    """A gap if other runs claim to be the same execution with different content.

    Those that were read from the same bytes before more was withheld are no contradiction.
    """
    claimed = Q(project=row.project, external_id=row.external_id, source=row.source)
    others = (
        Run.objects.filter(claimed)
        .exclude(~Q(document=row.document) & same_original(row.document))
        .order_by("received_at")
        .values_list("pk", flat=True)
    )
    if others:
        listed = ", ".join(map(str, others[:5]))
        yield Gap("conflicting_duplicate", f"The same id with other content came before: {listed}.")


def same_original(document: RawDocument) -> Q:
    """Whether a run's document came of the same bytes as this one."""
    original = document.original_sha256 or document.sha256
    return Q(document__sha256=original) | Q(document__original_sha256=original)


def lock(project: Project) -> None:
    """One writer of runs per project at a time, so that looking before writing is enough."""
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)
