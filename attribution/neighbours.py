"""Which other run a failed run is compared with, and why that one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from traces.models import Actor, Run

# How many successful runs of the task are looked at, newest first.
LOOKED_AT = 12


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A run to lay beside another. `reason` says in a sentence why this one."""

    run: Run
    title: str
    reason: str


def comparison_for(run: Run) -> Neighbour | None:
    """The successful run of the same task with the most similar shape, in two queries.

    Of equally similar ones the newest. None if the task is not named or never succeeded.
    """
    succeeded = Run.objects.same_task(run).succeeded().newest_first()
    others = list(succeeded[:LOOKED_AT])
    if not others:
        return None
    roles = _roles([run, *others])
    best = max(others, key=lambda other: _likeness(run, other, roles))
    return Neighbour(best, "Successful run", _reason(best))


def _roles(runs: list[Run]) -> Mapping[UUID, set[str]]:
    found: defaultdict[UUID, set[str]] = defaultdict(set)
    for run_id, role in Actor.objects.filter(run__in=runs).values_list("run_id", "role"):
        found[run_id].add(role)
    return found


def _likeness(run: Run, other: Run, roles: Mapping[UUID, set[str]]) -> float:
    """0 to 2 in tenths, so that the newest of nearly equal ones comes first."""
    ours, theirs = roles[run.pk], roles[other.pk]
    same_roles = len(ours & theirs) / max(len(ours | theirs), 1)
    counts = sorted((run.step_count, other.step_count))
    same_length = counts[0] / max(counts[1], 1)
    return round(same_roles + same_length, 1)


def _reason(other: Run) -> str:
    version = str(other.system.get("version") or "")
    system = f", system {version}" if version else ""
    return f"same task {other.task_id}{system}, succeeded"
