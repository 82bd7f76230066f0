"""The only writer of runs: they, all that is below them, their audit entries, and who is told."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from operator import attrgetter
from uuid import UUID

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q

from traces import arrivals, audit, copying, labelling, quarantine, rows, subscriptions
from traces.arrivals import Arrival, Fate, same_original
from traces.fingerprint import digest
from traces.formats.base import Unreadable
from traces.models import PayloadUse, Project, RawDocument, Run
from traces.saving import New, kept, lock, whole_or_refused
from traces.transcript import Gap, Transcript

__all__ = ["New", "lock", "write", "write_run"]


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
    """Write one run; the run that is known with its content or from its place, if one is.

    A run that is here may be renewed by it instead: see `traces.arrivals`.
    """
    lock(project)
    row = rows.run_row(transcript, project=project, document=document, received_at=at)
    row.pointer, row.format, row.rule, row.sha256 = pointer, format, rule, digest(transcript)
    (written,) = write([New(row, transcript)], by=None, at=at)
    if isinstance(written, Unreadable):
        raise written
    return written.run


def write(news: Sequence[New], *, by: User | None, at: datetime) -> list[Arrival | Unreadable]:
    """Write runs of one document together; what the database refuses costs no other run.

    For each, in the same order: the run that was made of it, that it was read into or that is
    known with its content or from its place; or why it was refused. To be called in
    `audit.together`: subscribers lock rows after the entries were recorded.
    """
    met = arrivals.met(news, by=by, at=at)
    left = [new for new, answer in zip(news, met, strict=True) if answer is None]
    made = iter(inserted(left, by=by, at=at))
    return [next(made) if answer is None else answer for answer in met]


def inserted(news: Sequence[New], *, by: User | None, at: datetime) -> list[Arrival | Unreadable]:
    """Insert those that are not known, all together, or in halves if the database refuses one."""
    known = known_as([new.row for new in news])
    wanted = [new for new, run in zip(news, known, strict=True) if run is None]
    # Not among what may be undone: a storage that does not answer says nothing against a run.
    uses = {new.row.pk: kept(new, at=at) for new in wanted if new.payloads}
    try:
        contents = insert(wanted, uses)
    except Unreadable as error:
        if len(news) == 1:
            return [error]
        middle = len(news) // 2
        return [*inserted(news[:middle], by=by, at=at), *inserted(news[middle:], by=by, at=at)]
    tell(contents, by=by, at=at)
    return [
        Arrival(run, Fate.KNOWN) if run else Arrival(new.row, Fate.MADE)
        for new, run in zip(news, known, strict=True)
    ]


def insert(news: Sequence[New], uses: Mapping[UUID, Sequence[int]]) -> list[rows.Content]:
    """Write runs that are not known yet, all or none of them. Raises Unreadable."""
    if not news:
        return []
    with whole_or_refused(news):
        contents = list(with_conflicts(news))
        Run.objects.bulk_create(content.run for content in contents)
        rows.copy_contents(contents)
        used = ((run, payload) for run, payloads in uses.items() for payload in payloads)
        copying.copy(PayloadUse, ("run_id", "payload_id"), used)
    return contents


def tell(contents: Sequence[rows.Content], *, by: User | None, at: datetime) -> None:
    """Leave an audit entry of each run that was written, and announce them."""
    for row, transcript in contents:
        audit.record(
            action="run.ingested",
            subject=f"run:{row.pk}",
            at=at,
            project=row.project,
            actor=by,
            data={"external_id": row.external_id, "sha256": row.sha256, "format": row.format},
        )
        quarantine.propose(run=row, transcript=transcript, at=at)
    if contents:
        labelling.join_to([content.run for content in contents], at=at)
        subscriptions.announce(runs=[content.run for content in contents], at=at)


def known_as(news: Sequence[Run]) -> list[Run | None]:
    """For each row the run with its content in the project, or read from its place before.

    Rows of one document: of two with the same content the second is known as the first.
    """
    if not news:
        return []
    document, project = news[0].document, news[0].project
    same_content = Q(project=project, sha256__in=[row.sha256 for row in news])
    same_place = Q(document=document, pointer__in=[row.pointer for row in news])
    by_content: dict[str, Run] = {}
    by_place: dict[str, Run] = {}
    for run in Run.objects.filter(same_content | same_place).order_by("received_at"):
        by_content.setdefault(run.sha256, run)
        if run.document_id == document.pk:
            by_place.setdefault(run.pointer, run)
    found: list[Run | None] = []
    for row in news:
        same = [by_content.get(row.sha256), by_place.get(row.pointer)]
        found.append(min(filter(None, same), key=attrgetter("received_at"), default=None))
        by_content.setdefault(row.sha256, row)
        by_place.setdefault(row.pointer, row)
    return found


def with_conflicts(news: Sequence[New]) -> Iterator[rows.Content]:
    """Each with a gap if other runs claim to be the same execution with different content.

    Those that were read from the same bytes before more was withheld are no contradiction.
    """
    first = news[0].row
    claimed = Run.objects.filter(
        project=first.project, external_id__in={new.row.external_id for new in news}
    )
    others = claimed.exclude(~Q(document=first.document) & same_original(first.document))
    before: defaultdict[tuple[str, str], list[UUID]] = defaultdict(list)
    for external_id, source, key in others.order_by("received_at").values_list(
        "external_id", "source", "pk"
    ):
        before[external_id, source].append(key)
    for row, transcript, _ in news:
        same = before[row.external_id, row.source]
        if same:
            listed = ", ".join(map(str, same[:5]))
            detail = f"The same id with other content came before: {listed}."
            gap = Gap("conflicting_duplicate", detail)
            transcript = replace(transcript, gaps=(*transcript.gaps, gap))  # noqa: PLW2901
        row.gap_count = len(transcript.gaps)
        same.append(row.pk)
        yield rows.Content(row, transcript)
