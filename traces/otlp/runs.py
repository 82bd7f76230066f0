"""Runs of traces that were assembled: written if they are new, renewed if more of them came."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from django.conf import settings

from traces import arrivals, renewing, rows, writing
from traces.arrivals import Fate
from traces.formats import intake
from traces.formats.base import Refusal, Unreadable
from traces.models import OpenTrace, RawDocument, Run
from traces.otlp.settling import Fateful
from traces.renewing import Why
from traces.saving import New
from traces.transcript import Gap


def written(
    traces: Sequence[OpenTrace], taken: intake.Intake, document: RawDocument, *, at: datetime
) -> dict[bytes, Fateful]:
    """Write the runs of a document: new ones together, those of which more came each by itself."""
    by_name = {str(each): each for each in traces}
    fresh: list[New] = []
    fates: dict[bytes, Fateful] = {}
    for run in taken.runs:
        trace = by_name.get(run.transcript.external_id)
        new = new_of(run, trace, document, at)
        known = run_of(trace, new) if trace else None
        if known is None:
            fresh.append(new)
            continue
        fates[bytes.fromhex(str(trace))] = renewed(known, new, at)
    for new, arrival in zip(fresh, writing.write(fresh, by=None, at=at), strict=True):
        if new.row.external_id in by_name:
            fates[bytes.fromhex(new.row.external_id)] = fate_of(arrival, new)
    return fates


def new_of(
    run: intake.TakenRun, trace: OpenTrace | None, document: RawDocument, at: datetime
) -> New:
    transcript = run.transcript
    if trace is not None and not trace.root_ended:
        transcript = replace(transcript, gaps=(*transcript.gaps, partial()))
    row = rows.run_row(transcript, project=document.project, document=document, received_at=at)
    row.pointer, row.format, row.rule, row.sha256 = run.pointer, run.format, run.rule, run.sha256
    return New(row, transcript, run.payloads)


def partial() -> Gap:
    seconds = settings.TRACE_TIMEOUT_SECONDS
    return Gap("partial_trace", f"No end of its root came, and nothing else for {seconds} seconds.")


def run_of(trace: OpenTrace, new: New) -> Run | None:
    """The run that was made of this trace before, as it is by now: redaction makes others."""
    if trace.run_id is None:
        return None
    same = Run.objects.filter(
        project=trace.project_id, external_id=new.row.external_id, source=new.row.source
    )
    return same.order_by("-received_at", "-pk").first()


def renewed(run: Run, new: New, at: datetime) -> Fateful:
    try:
        renewal = renewing.renew(run=run, new=new, why=Why.LATE, by=None, at=at)
    except Unreadable as error:
        return fate_of(error, new)
    fate = Fate.RENEWED if renewal.renewed else Fate.KNOWN
    return fate_of(arrivals.Arrival(renewal.run, fate, renewal.note), new)


def fate_of(arrival: arrivals.Arrival | Unreadable, new: New) -> Fateful:
    if isinstance(arrival, Unreadable):
        return Fateful(refusal=Refusal.of(arrival, new.row.pointer or "/"))
    run = arrival.run
    return Fateful(run.pk, arrival.fate, run.gap_count, arrival.note)
