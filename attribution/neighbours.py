"""Which other run a failed run is compared with, and why that one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Exists, OuterRef

from traces.models import Actor, Failure, Run

# How many successful runs of the task are looked at, newest first.
LOOKED_AT = 12


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A run to lay beside another. `reason` says in a sentence why this one."""

    run: Run
    title: str
    reason: str


def comparison_for(run: Run) -> Neighbour | None:
    """The successful run of the same task with the most similar shape, in one query.

    Of equally similar ones the newest. None if the task is not named or never succeeded. Runs
    that are set aside are compared with nothing, nor are those in which people found a failure.
    """
    succeeded = Run.objects.same_task(run).succeeded().counted().newest_first()
    faulty = Exists(Failure.objects.filter(run=OuterRef("pk")))
    roles = {"roles": _roles(OuterRef("pk")), "own_roles": _roles(run.pk)}
    others = list(succeeded.exclude(faulty).annotate(**roles)[:LOOKED_AT])
    if not others:
        return None
    best = max(others, key=lambda other: _likeness(run, other))
    return Neighbour(best, "Successful run", _reason(best))


def _roles(run: UUID | OuterRef) -> ArraySubquery:
    return ArraySubquery(Actor.objects.filter(run=run).values("role"))


def _likeness(run: Run, other: Any) -> float:
    """0 to 2 in tenths, so that the newest of nearly equal ones comes first."""
    ours, theirs = set(other.own_roles), set(other.roles)
    same_roles = len(ours & theirs) / max(len(ours | theirs), 1)
    counts = sorted((run.step_count, other.step_count))
    same_length = counts[0] / max(counts[1], 1)
    return float(round(same_roles + same_length, 1))


def _reason(other: Run) -> str:
    version = str(other.system.get("version") or "")
    system = f", system {version}" if version else ""
    return f"same task {other.task_id}{system}, succeeded"
