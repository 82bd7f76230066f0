"""The one door to the record: bytes are stored first, read second, and nothing is half-stored.

`receive` commits the bytes and a receipt before anything else is done with them. `read` turns
them into runs in one transaction; it may be repeated at any time, by anybody, after any crash.
"""

from __future__ import annotations

import logging
from datetime import datetime, timedelta

from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.contrib.auth.models import User
from django.db import DatabaseError, transaction
from django.db.models import F
from django.db.models.functions import Now

from traces import audit, collecting, labelling, raw, rows, withholding, wording, writing
from traces.arrivals import Fate
from traces.formats import intake
from traces.formats.base import Limits, Refusal, Unreadable
from traces.formats.files import containers
from traces.models import Project, RawDocument, Receipt
from traces.writing import write_run

__all__ = ["ingest", "read", "receive", "write_run"]

# Longer than a worker may take for anything: a reader that holds a receipt so long is dead.
LEASE = timedelta(minutes=6)
MOST_TRIES = 3
BY_WEB = (Receipt.Via.UPLOAD, Receipt.Via.API)
# Refused places that a receipt keeps; further ones are counted.
MOST_REFUSALS = 1_000
INTERRUPTIONS = (MemoryError, SoftTimeLimitExceeded)
GIVEN_UP = (
    f"Reading it was tried {MOST_TRIES} times and never came to an end, so it is given up. The"
    " bytes are kept."
)

logger = logging.getLogger(__name__)


def limits() -> Limits:
    return Limits(
        size=settings.MAX_DOCUMENT_BYTES, steps=settings.MAX_STEPS, interruptions=INTERRUPTIONS
    )


def ingest(
    *,
    project: Project,
    content: bytes,
    filename: str,
    via: Receipt.Via,
    by: User | None,
    at: datetime,
    wanted_format: str = "",
) -> Receipt:
    """Receive and read. If reading dies half-way, the sweeper finishes what was received.

    What is sent over the web and is large is left to a worker: its receipt says that it is stored.
    """
    receipt = receive(
        project=project,
        content=content,
        filename=filename,
        via=via,
        by=by,
        at=at,
        wanted_format=wanted_format,
    )
    if is_large(receipt):
        return receipt
    try:
        return read(receipt_id=receipt.pk, at=at)
    except DatabaseError:
        raise
    except Exception:  # the bytes are safe, and those who sent others with them go on
        logger.exception("Receipt %s is left to the sweeper.", receipt.pk)
        receipt.refresh_from_db()
        return receipt


def is_large(receipt: Receipt) -> bool:
    document = receipt.document
    return (
        receipt.via in BY_WEB
        and document is not None
        and document.size > settings.READ_AT_ONCE_BYTES
    )


def receive(
    *,
    project: Project,
    content: bytes,
    filename: str,
    via: Receipt.Via,
    by: User | None,
    at: datetime,
    wanted_format: str = "",
) -> Receipt:
    """Store the bytes and a receipt. The same bytes are one document; what is too big is none.

    Nor is what cannot be searched for values that the project's policy withholds.
    """
    receipt = Receipt(
        project=project,
        filename=at_the_door(project, wording.cleaned(filename), at)[:400],
        via=via,
        wanted_format=at_the_door(project, wording.cleaned(wanted_format), at)[:40],
        received_by=by,
        received_at=at,
    )
    try:
        containers.measure(content, limits())
        receipt.document = stored_document(project=project, content=content, at=at)
    except (Unreadable, withholding.KeyLost) as error:
        receipt.status, receipt.finished_at = Receipt.Status.REFUSED, at
        receipt.reason = at_the_door(project, wording.cleaned(str(error)), at)
    receipt.save()
    return receipt


def at_the_door(project: Project, text: str, at: datetime) -> str:
    return withholding.name_at_the_door(project=project, name=text, at=at)


def stored_document(*, project: Project, content: bytes, at: datetime) -> RawDocument:
    """The document of these bytes, without what the project's policy withholds."""
    return withholding.at_the_door(project=project, content=content, at=at).document


@collecting.paused()
def read(*, receipt_id: int, at: datetime) -> Receipt:
    """Make runs of a received document, unless it is finished or somebody is reading it."""
    mine = claimed(receipt_id)
    receipt = whole(receipt_id)
    if not mine or receipt.document is None:
        return receipt
    if receipt.tries > MOST_TRIES:
        return refuse(receipt=receipt, why=Unreadable(GIVEN_UP), at=at)
    try:
        return finish(receipt=receipt, taken=taken(receipt), at=at)
    except Unreadable as error:
        return refuse(receipt=receipt, why=error, at=at)
    except Exception:
        Receipt.objects.filter(pk=receipt_id).update(reading_since=None)
        raise


def whole(receipt_id: int) -> Receipt:
    """A receipt with its project and document, but without the bytes: those are read once."""
    receipts = Receipt.objects.select_related("project", "document").defer("document__content")
    return receipts.get(pk=receipt_id)


def claimed(receipt_id: int) -> bool:
    """Take a receipt to read it, and count the try. Of several readers one gets it."""
    free = Receipt.objects.unfinished().not_being_read(since=Now() - LEASE)
    return bool(free.filter(pk=receipt_id).update(reading_since=Now(), tries=F("tries") + 1))


def taken(receipt: Receipt) -> intake.Intake:
    """What is in the bytes. Outside any transaction: parsing takes seconds and needs no lock."""
    assert receipt.document  # noqa: S101 - only documents are read
    try:
        content = raw.content(receipt.document.pk)
        return intake.take(content, wanted=receipt.wanted_format, limits=limits())
    except (Unreadable, *INTERRUPTIONS):
        raise
    except Exception as error:
        logger.exception("Receipt %s could not be read.", receipt.pk)
        raise intake.unexpected(error) from error


@transaction.atomic
@audit.together()
def finish(*, receipt: Receipt, taken: intake.Intake, at: datetime) -> Receipt:
    """Write all runs of a document and the receipt's answer, or nothing of either."""
    writing.lock(receipt.project)
    current = whole(receipt.pk)
    if current.status != Receipt.Status.STORED:
        return current
    refusals = [*taken.refusals, *write_taken(receipt=current, taken=taken, at=at)]
    unsure = labelling.keep(receipt=current, labels=taken.labels, at=at)
    current.notes = wording.notes(taken, unsure, current.notes)
    current.refused = [wording.refusal_row(refusal) for refusal in refusals[:MOST_REFUSALS]]
    current.refused_count = len(refusals)
    current.format, current.rule = wording.read_as(taken)
    current.reason = wording.summary(current, taken)
    current.excerpt = wording.first_refused(current, taken).get("excerpt", "")
    some = wording.came_to_something(current, taken)
    current.status = Receipt.Status.READ if some else Receipt.Status.REFUSED
    current.finished_at = at
    current.save()
    return current


def write_taken(*, receipt: Receipt, taken: intake.Intake, at: datetime) -> list[Refusal]:
    """Write the runs, or find that they are here, and put them on the receipt."""
    news = [new_of(run, receipt, at) for run in taken.runs]
    written = writing.write(news, by=receipt.received_by, at=at)
    listed = {Fate.MADE: receipt.made, Fate.KNOWN: receipt.known, Fate.RENEWED: receipt.renewed}
    refusals = []
    for new, arrival in zip(news, written, strict=True):
        if isinstance(arrival, Unreadable):
            refusals.append(Refusal.of(arrival, new.row.pointer or "/"))
            continue
        listed[arrival.fate].append(str(arrival.run.pk))
        receipt.notes += [arrival.note] if arrival.note else []
        receipt.gap_count += arrival.run.gap_count
        receipt.folded += sum(new.transcript.folded.values())
    return refusals


def new_of(run: intake.TakenRun, receipt: Receipt, at: datetime) -> writing.New:
    assert receipt.document  # noqa: S101 - only documents are read
    row = rows.run_row(
        run.transcript, project=receipt.project, document=receipt.document, received_at=at
    )
    row.pointer, row.format, row.rule, row.sha256 = run.pointer, run.format, run.rule, run.sha256
    return writing.New(row, run.transcript, run.payloads)


def refuse(*, receipt: Receipt, why: Unreadable, at: datetime) -> Receipt:
    """Finish a receipt without a run. Its bytes stay, and so does the reason."""
    unfinished = Receipt.objects.unfinished().filter(pk=receipt.pk)
    unfinished.update(
        status=Receipt.Status.REFUSED,
        reason=wording.cleaned(str(why)),
        excerpt=wording.cleaned(why.excerpt),
        finished_at=at,
    )
    receipt.refresh_from_db()
    return receipt
