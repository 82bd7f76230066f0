"""A trace above the limit of a document: its bytes are kept in several, and no run is made."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from itertools import groupby

from django.conf import settings
from django.db import transaction

from traces import audit, withholding, writing
from traces.formats.base import Refusal
from traces.models import OpenTrace, Project, RawDocument
from traces.otlp import claiming, gathering, joining, settling
from traces.otlp.gathering import Gathered, Waiting
from traces.otlp.joining import Group

# Rows that are loaded at once, until they are as many bytes as this.
ROWS = 500


def refuse(project: Project, trace: OpenTrace, size: int, *, at: datetime) -> None:
    """Keep what waits of this trace, piece by piece, and say on its receipts why it is no run."""
    reason = (
        f"The trace holds {size:,} bytes; the limit is {settings.MAX_DOCUMENT_BYTES:,}"
        " (INQUEST_MAX_DOCUMENT_BYTES). Its bytes are kept, and no run is made of them."
    )
    fate = settling.Fateful(refusal=Refusal(f"trace {trace}", reason))
    while spans := gathering.loaded(project.pk, [trace], most=ROWS):
        if not keep(project, trace, spans, fate, at=at):
            return
    claiming.release([trace], at)


@transaction.atomic
@audit.together()
def keep(
    project: Project,
    trace: OpenTrace,
    spans: list[Waiting],
    fate: settling.Fateful,
    *,
    at: datetime,
) -> bool:
    """Keep some spans as one document; False if others have the trace by now."""
    writing.lock(project)
    stored(project, spans, at)
    if not claiming.held([trace], at):
        transaction.set_rollback(True)
        return False
    trace_id = bytes(trace.trace_id)
    settling.settle(Gathered(spans), {trace_id: fate}, (), at=at)
    settling.count_down(trace, Counter(span.trace_id for span in spans)[trace_id])
    return True


def stored(project: Project, spans: list[Waiting], at: datetime) -> RawDocument:
    origins = gathering.origins_of(spans)
    ordered = sorted(spans, key=lambda span: (span.signal, span.origin, span.content))
    groups = [
        Group(signal, origins[origin], [span.content for span in some])
        for (signal, origin), some in groupby(ordered, key=lambda span: (span.signal, span.origin))
    ]
    content = joining.joined(groups)
    return withholding.at_the_door(project=project, content=content, at=at).document
