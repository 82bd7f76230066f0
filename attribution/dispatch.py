"""Queueing analyses: rows in the transaction of the run, messages after its commit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import partial

from django.db import transaction

from attribution import registry, sending
from attribution.models import Analysis, Candidate
from traces import audit
from traces.counterparts import Counterparts
from traces.models import Failure, Run
from traces.subscriptions import on_new_failure, on_new_runs, on_renewed_runs
from traces.transcript import Outcome


@on_new_runs
def queue_for_runs(*, runs: Sequence[Run], at: datetime) -> None:
    """A failed run gets its analyses; a successful one gives waiting analyses a new chance."""
    failed = [run for run in runs if run.outcome == Outcome.FAILED]
    if failed:
        announce(queue(runs=failed, labels=registry.registered(), at=at))
    references = [run for run in runs if run.outcome == Outcome.SUCCEEDED and run.task_id]
    if references:
        announce(queue_again(references=references, at=at))


@on_new_failure
def queue_for_failure(*, failure: Failure, at: datetime) -> None:
    """A run that nobody called failed until now gets its analyses; others have theirs."""
    announce(queue(runs=[failure.run], labels=registry.registered(), at=at))


@on_renewed_runs
def begin_again(*, run: Run, readings: Counterparts, at: datetime) -> None:
    """What was proposed about an earlier reading is void: the run is analysed anew."""
    if not readings.alike:
        announce(void(run=run, at=at))
    queue_for_runs(runs=[run], at=at)


def void(*, run: Run, at: datetime) -> list[int]:
    """Take back all candidates of a run and queue its analyses again; their ids.

    No claim names any of them: a run on which one is signed is not read anew. A worker that is
    at one of them has lost it.
    """
    analyses = Analysis.objects.filter(run=run).order_by("pk").select_for_update()
    ids = list(analyses.values_list("pk", flat=True))
    if ids:
        gone, _ = Candidate.objects.filter(analysis__in=ids).delete()
        put_back(ids, at=at)
        audit.record(
            action="analyses.voided",
            subject=f"run:{run.pk}",
            at=at,
            project=run.project,
            data={"analyses": ids, "candidates": gone, "revision": run.revision},
        )
    return ids


def queue(*, runs: Iterable[Run], labels: Iterable[str], at: datetime) -> list[int]:
    """Insert what is not there yet; the ids of the unfinished analyses among them."""
    wanted = list(labels)
    rows = [
        Analysis(run=run, attributor=label, queued_at=at, sent_at=at)
        for run in runs
        for label in wanted
    ]
    Analysis.objects.bulk_create(rows, ignore_conflicts=True)
    mine = Analysis.objects.filter(run__in={row.run_id for row in rows}, attributor__in=wanted)
    return list(mine.unfinished().order_by("pk").values_list("pk", flat=True))


def queue_again(*, references: Sequence[Run], at: datetime) -> list[int]:
    """Put back the analyses of these tasks that ended for want of a run to compare with.

    They have no candidates, so nothing that anybody may have cited is touched.
    """
    failed = Run.objects.of_tasks(references).failed()
    waiting = Analysis.objects.filter(run__in=failed).without_reference()
    ids = list(waiting.order_by("pk").select_for_update().values_list("pk", flat=True))
    put_back(ids, at=at)
    return ids


def put_back(ids: Iterable[int], *, at: datetime) -> None:
    """As if they had never been begun. To be called with their rows locked."""
    Analysis.objects.filter(pk__in=ids).update(
        status=Analysis.Status.QUEUED,
        tries=0,
        note="",
        error="",
        queued_at=at,
        sent_at=at,
        started_at=None,
        lease_expires_at=None,
        finished_at=None,
    )


def announce(analysis_ids: list[int]) -> None:
    """Send messages once the transaction is through, and none if it is not."""
    if analysis_ids:
        transaction.on_commit(partial(sending.send, analysis_ids))
