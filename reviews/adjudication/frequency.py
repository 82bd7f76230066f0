"""How many failed runs of a case's task there are: kept on open cases, for their rank."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from django.db.models import Count, Q, QuerySet

from reviews.models import Case
from reviews.models.cases import FREQUENCIES
from traces.models import Run
from traces.transcript import Outcome


def frequencies_with(runs: Sequence[Run]) -> dict[UUID, int]:
    """Of each run the failed runs of its task, itself among them, rounded down.

    Runs that are set aside do not count. When these runs, which one project holds, made the
    number of a task grow, its open cases follow.
    """
    failed = Run.objects.of_tasks(runs).failed().counted()
    counts = dict(failed.order_by().values_list("task_id").annotate(Count("pk")))
    new = Counter(run.task_id for run in runs if run.outcome == Outcome.FAILED)
    found, grown = {}, defaultdict(set)
    for run in runs:
        count = counts.get(run.task_id, 0) + (run.outcome != Outcome.FAILED) if run.task_id else 1
        found[run.pk] = frequency = rounded(max(1, count))
        if count > 1 and frequency > rounded(max(1, count - max(1, new[run.task_id]))):
            grown[frequency].add(run.task_id)
    for frequency, tasks in grown.items():
        of_these = failed.filter(task_id__in=tasks)
        _set_frequency(of_these, to=frequency, where=Q(frequency__lt=frequency))
    return found


def recount(*, run: Run, at: datetime) -> None:
    """Count the run's task anew: the run was set aside, or is back.

    The cases of the run itself rank with the others again as soon as it is back.
    """
    failed = Run.objects.failed().filter(project=run.project_id)
    of_task = failed.filter(task_id=run.task_id) if run.task_id else failed.filter(pk=run.pk)
    frequency = rounded(max(1, of_task.counted().count()))
    _set_frequency(of_task, to=frequency, where=~Q(frequency=frequency))


def rounded(count: int) -> int:
    return FREQUENCIES[bisect_right(FREQUENCIES, count) - 1]


def _set_frequency(runs: QuerySet[Run], *, to: int, where: Q) -> None:
    cases = Case.objects.open().filter(where, run__in=runs)
    # Locked in one order: whoever else locks several cases must not cross this.
    locked = cases.order_by("pk").select_for_update(no_key=True, of=("self",))
    Case.objects.filter(pk__in=list(locked.values_list("pk", flat=True))).update(frequency=to)
