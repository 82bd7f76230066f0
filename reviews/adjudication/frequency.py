"""How many failed runs of a case's task there are: kept on open cases, for their rank."""

from __future__ import annotations

from bisect import bisect_right
from datetime import datetime

from django.db.models import Q, QuerySet

from reviews.models import Case
from reviews.models.cases import FREQUENCIES
from traces.models import Run


def frequency_with(run: Run) -> int:
    """Failed runs of the task, rounded down; when it grew, open cases of the task follow.

    Runs that are set aside do not count.
    """
    others = Run.objects.same_task(run).failed().counted()
    count = others.count() + 1
    frequency = rounded(count)
    if count > 1 and count == frequency:
        _set_frequency(others, to=frequency, where=Q(frequency__lt=frequency))
    return frequency


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
