"""How many spans of a project wait: beyond a limit the sender has to wait too."""

from __future__ import annotations

import time

from django.conf import settings
from django.db.models import Sum

from traces.models import OpenTrace

# Seconds for which a count is good enough. What this process adds to it is added at once.
FRESH = 1.0


class _Counts:
    """The counts of this process, by project."""

    def __init__(self) -> None:
        self.known: dict[int, tuple[float, int]] = {}

    def of(self, project: int) -> int:
        at, count = self.known.get(project, (0.0, 0))
        now = time.monotonic()
        if now - at > FRESH or at == 0.0:
            open_traces = OpenTrace.objects.filter(project=project, waiting__gt=0)
            count = open_traces.aggregate(all=Sum("waiting"))["all"] or 0
            self.known[project] = (now, count)
        return count

    def add(self, project: int, count: int) -> None:
        at, before = self.known.get(project, (0.0, 0))
        self.known[project] = (at, before + count)


_counts = _Counts()


def too_many(project: int) -> bool:
    return _counts.of(project) >= settings.MAX_WAITING_SPANS


def came(project: int, count: int) -> None:
    _counts.add(project, count)


def forget() -> None:
    """Count anew."""
    _counts.known.clear()
