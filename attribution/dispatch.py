"""Queueing analyses: rows in the transaction of the run, messages after its commit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import partial

from django.db import transaction

from attribution import registry, sending
from attribution.models import Analysis
from traces.models import Failure, Run
from traces.subscriptions import on_new_failure, on_new_runs
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
    Analysis.objects.filter(pk__in=ids).update(
        status=Analysis.Status.QUEUED,
        tries=0,
        note="",
        queued_at=at,
        sent_at=at,
        finished_at=None,
    )
    return ids


def announce(analysis_ids: list[int]) -> None:
    """Send messages once the transaction is through, and none if it is not."""
    if analysis_ids:
        transaction.on_commit(partial(sending.send, analysis_ids))
