"""A trace above the limit of a document: its bytes are kept in several, and no run is made."""

from __future__ import annotations

from datetime import datetime
from itertools import groupby

from django.conf import settings
from django.db import transaction
from django.db.models import F

from traces import audit, withholding, writing
from traces.formats.base import Refusal, Unreadable
from traces.models import Gap, OpenTrace, Project, RawDocument, Run
from traces.otlp import claiming, gathering, joining, settling
from traces.otlp.gathering import Gathered, Waiting
from traces.otlp.joining import Group

# Rows that are loaded at once, until they are as many bytes as this.
ROWS, BYTES = 5_000, 16 * 2**20
LATER = (
    "What came later would make the trace larger than a document may be"
    " (INQUEST_MAX_DOCUMENT_BYTES). It is kept, and is not in this run."
)


def refuse(project: Project, trace: OpenTrace, size: int, *, at: datetime) -> None:
    """Keep what waits of this trace, piece by piece, and say on its receipts why it is no run."""
    reason = (
        f"The trace holds {size:,} bytes; the limit is {settings.MAX_DOCUMENT_BYTES:,}"
        " (INQUEST_MAX_DOCUMENT_BYTES). Its bytes are kept, and no run is made of them."
    )
    while spans := gathering.some(project.pk, trace, rows=ROWS, size=BYTES):
        if not keep(project, trace, spans, reason, at=at):
            return
    claiming.release([trace], at)


@transaction.atomic
@audit.together()
def keep(
    project: Project, trace: OpenTrace, spans: list[Waiting], reason: str, *, at: datetime
) -> bool:
    """Keep some spans as one document; False if others have the trace by now."""
    writing.lock(project)
    try:
        stored(project, spans, at)
    except Unreadable as error:  # it cannot be searched for values that the policy withholds
        reason = str(error)
    tell(trace, at)
    if not claiming.held([trace], at):
        transaction.set_rollback(True)
        return False
    fate = settling.Fateful(refusal=Refusal(f"trace {trace}", reason))
    settling.settle(Gathered(spans), {bytes(trace.trace_id): fate}, (), at=at)
    settling.count_down(trace, len(spans))
    return True


def tell(trace: OpenTrace, at: datetime) -> None:
    """Let the run that was made of the trace before say that it lacks what came since."""
    if trace.run is None:
        return
    gap, made = Gap.objects.get_or_create(run=trace.run, kind="late_records", detail=LATER)
    if made:
        Run.objects.filter(pk=trace.run.pk).update(gap_count=F("gap_count") + 1)
        audit.record(
            action="run.late_records",
            subject=f"run:{trace.run.pk}",
            at=at,
            project=trace.project,
            data={"gap": gap.pk},
        )


def stored(project: Project, spans: list[Waiting], at: datetime) -> RawDocument:
    origins = gathering.origins_of(spans)
    ordered = sorted(spans, key=lambda span: (span.signal, span.origin, span.content))
    groups = [
        Group(signal, origins[origin], [span.content for span in some])
        for (signal, origin), some in groupby(ordered, key=lambda span: (span.signal, span.origin))
    ]
    content = joining.joined(groups)
    return withholding.at_the_door(project=project, content=content, at=at).document
