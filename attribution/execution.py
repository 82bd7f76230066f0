"""Running one analysis: claim the row, ask the attributor, write what it proposes.

A task may run twice, die half-way or come late. The row decides: only the worker that holds it
may write, and it holds it by the number of its try.
"""

from __future__ import annotations

import time
import traceback
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from functools import partial

from django.db import transaction
from django.db.models import F, QuerySet

from attribution import comparing, neighbours, obligations, registry, sending
from attribution.attributors.base import Attributor, Proposal, Reading, checked
from attribution.models import Analysis, Candidate
from traces import audit, reading, writing
from traces.formats.files.cleaning import Cleaner
from traces.models import Run

# Longer than a task may take: a lease that has run out means that the worker is gone.
LEASE = timedelta(minutes=6)
# Characters of a traceback that are kept; its end says most.
LONGEST_ERROR = 8_000


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of asking an attributor."""

    proposals: tuple[Proposal, ...] = ()
    note: str = ""
    error: str = ""


def execute(*, analysis_id: int, at: datetime, lease: timedelta = LEASE) -> None:
    """Run an analysis that nobody else is running; otherwise do nothing."""
    begun = time.monotonic()
    analysis = claim(analysis_id=analysis_id, at=at, lease=lease)
    if analysis is None:
        return
    # Outside any transaction: an attributor may take minutes.
    answer = ask(analysis)
    settle(analysis=analysis, answer=answer, at=at + timedelta(seconds=time.monotonic() - begun))


@transaction.atomic
def claim(*, analysis_id: int, at: datetime, lease: timedelta) -> Analysis | None:
    """Take the row with a conditional update; None if it is not to be had."""
    taken = (
        Analysis.objects.claimable(at=at)
        .filter(pk=analysis_id, tries__lt=Analysis.MOST_TRIES)
        .update(
            status=Analysis.Status.RUNNING,
            started_at=at,
            lease_expires_at=at + lease,
            tries=F("tries") + 1,
        )
    )
    return Analysis.objects.select_related("run__project").get(pk=analysis_id) if taken else None


def ask(analysis: Analysis) -> Answer:
    """The attributor's proposals, checked against the record; its failure is an answer too."""
    try:
        attributor = registry.by_label(analysis.attributor)
        given = reading_for(attributor, analysis.run)
        if attributor.needs_reference and given.reference is None:
            return Answer(note=Analysis.NO_REFERENCE)
        return Answer(tuple(checked(attributor.propose(given), given.transcript)))
    except Exception:
        return Answer(error=Cleaner().text(traceback.format_exc()[-LONGEST_ERROR:]))


def reading_for(attributor: Attributor, run: Run) -> Reading:
    """What the attributor may see: the reference only if it asks for one, and only of its task."""
    if not attributor.needs_reference:
        return Reading.of(reading.transcript_of(run), None, obligations.in_force(run))
    reference = neighbours.reference_for(run)
    beside = reference or next(iter(neighbours.similar_to(run)), None)
    transcript, *others = reading.transcripts_of([run, beside.run] if beside else [run])
    if beside:
        # Whoever opens the run finds the two side by side.
        comparing.keep_ready(run, beside.run, transcript, *others)
    given = others[0] if reference else None
    return Reading.of(transcript, given, obligations.in_force(run))


@transaction.atomic
def settle(*, analysis: Analysis, answer: Answer, at: datetime) -> None:
    """Write the outcome, unless another worker has taken the analysis over meanwhile."""
    if answer.error and analysis.tries < Analysis.MOST_TRIES:
        give_back(analysis=analysis, error=answer.error, at=at)
    elif answer.error:
        end(analysis=analysis, status=Analysis.Status.FAILED, error=answer.error, at=at)
    elif answer.note == Analysis.NO_REFERENCE and reference_came(analysis.run):
        give_back(analysis=analysis, tries=0, at=at)
        transaction.on_commit(partial(sending.send, [analysis.pk]))
    else:
        end(
            analysis=analysis,
            status=Analysis.Status.DONE,
            note=answer.note,
            proposals=answer.proposals,
            at=at,
        )


def reference_came(run: Run) -> bool:
    """Whether a run to compare with was written after this analysis looked for one.

    With the lock that ingest takes, so that either this sees the new run or that run's
    subscriber sees this analysis ended.
    """
    writing.lock(run.project)
    return neighbours.reference_for(run) is not None


def give_back(
    *, analysis: Analysis, at: datetime, error: str = "", tries: int | None = None
) -> None:
    """Queue an analysis that is held once more."""
    held(analysis).update(
        status=Analysis.Status.QUEUED,
        error=error,
        tries=analysis.tries if tries is None else tries,
        sent_at=at,
        lease_expires_at=None,
    )


def end(
    *,
    analysis: Analysis,
    status: Analysis.Status,
    at: datetime,
    note: str = "",
    error: str = "",
    proposals: tuple[Proposal, ...] = (),
) -> bool:
    """End an analysis that is held, with its candidates and its audit entry; False if it is not.

    To be called in a transaction: all of it is written, or nothing.
    """
    ended = held(analysis).update(
        status=status, note=note, error=error, finished_at=at, lease_expires_at=None
    )
    if ended:
        Candidate.objects.bulk_create(candidates_of(analysis, proposals))
        audit.record(
            action=f"analysis.{status.value}",
            subject=f"analysis:{analysis.pk}",
            at=at,
            project=analysis.run.project,
            data={
                "run": str(analysis.run_id),
                "attributor": analysis.attributor,
                "candidates": len(proposals),
            },
        )
    return bool(ended)


def held(analysis: Analysis) -> QuerySet[Analysis]:
    """The row, as long as it is still in the try that this object was claimed for."""
    running = Analysis.objects.filter(pk=analysis.pk, status=Analysis.Status.RUNNING)
    return running.filter(tries=analysis.tries, started_at=analysis.started_at)


def candidates_of(analysis: Analysis, proposals: tuple[Proposal, ...]) -> list[Candidate]:
    return [
        Candidate(
            analysis=analysis,
            rank=rank,
            step=proposal.step,
            actor=proposal.actor,
            part=proposal.part.value,
            score=proposal.score,
            rationale=proposal.rationale,
            quotes=[asdict(quote) for quote in proposal.quotes],
            category=proposal.category,
        )
        for rank, proposal in enumerate(proposals, start=1)
    ]
