"""Which traces are due, and who assembles them: rows are taken for a while, each by one worker."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Least

from traces.models import OpenTrace, Project

# Longer than a group of traces takes to assemble. Whoever is slower finds that others have it.
LEASE = timedelta(minutes=2)
# Traces and spans that are assembled together: a document costs tens of milliseconds by itself.
MOST_TRACES, MOST_SPANS = 2_000, 10_000
# After so many tries that came to no end a trace is alone, so that it costs no other; and after
# so many it is given up.
ALONE, MOST_TRIES = 2, 4


def due(at: datetime) -> Q:
    """Complete and quiet, or not heard of for long; and in nobody's hands."""
    quiet = at - timedelta(seconds=settings.TRACE_QUIET_SECONDS)
    silent = at - timedelta(seconds=settings.TRACE_TIMEOUT_SECONDS)
    complete = Q(root_ended=True) | Q(document__isnull=False)
    rested = Q(last_at__lte=silent) | (complete & Q(last_at__lte=quiet))
    free = Q(taken_at=None) | Q(taken_at__lt=at - LEASE)
    return Q(waiting__gt=0) & rested & free


def projects_with_due(at: datetime) -> list[Project]:
    keys = OpenTrace.objects.filter(due(at)).values("project").distinct()
    return list(Project.objects.filter(pk__in=keys).order_by("pk"))


@transaction.atomic
def claim(project: Project, at: datetime, *, since: datetime | None = None) -> list[OpenTrace]:
    """Take the traces to assemble together next. Of several workers each gets others.

    They are those that were due at a time, held from then or from a later time on.
    """
    waiting = OpenTrace.objects.filter(due(at), project=project)
    wanted = together(list(waiting.order_by("tries", "last_at", "pk")[:MOST_TRACES]))
    free = OpenTrace.objects.filter(due(at), pk__in=[each.pk for each in wanted])
    mine = list(free.order_by("trace_id").select_for_update(skip_locked=True))
    keys = [each.pk for each in mine]
    OpenTrace.objects.filter(pk__in=keys).update(taken_at=since or at, tries=F("tries") + 1)
    return mine


def together(traces: Sequence[OpenTrace]) -> list[OpenTrace]:
    """The first of these that make one group: so many spans, and none that failed before."""
    group: list[OpenTrace] = []
    spans = 0
    for each in traces:
        spans += each.waiting
        if group and (spans > MOST_SPANS or each.tries >= ALONE):
            break
        group.append(each)
    return group


def release(traces: Sequence[OpenTrace], at: datetime) -> None:
    """Give back what could not be assembled; the try stays counted."""
    held_since(traces, at).update(taken_at=None)


def put_off(traces: Sequence[OpenTrace], at: datetime) -> None:
    """Leave what could not be written until its lease ends. It may end alone, not given up."""
    held_since(traces, at).update(tries=Least(F("tries"), ALONE))


def held(traces: Sequence[OpenTrace], at: datetime) -> bool:
    """Lock the rows, and tell whether all are still ours. To be called right before the commit:
    whoever sends more spans of these traces waits from here on."""
    locked = held_since(traces, at).order_by("trace_id").select_for_update()
    return len(locked.values_list("pk")) == len(traces)


def held_since(traces: Sequence[OpenTrace], at: datetime) -> QuerySet[OpenTrace]:
    return OpenTrace.objects.filter(pk__in=[each.pk for each in traces], taken_at=at)
