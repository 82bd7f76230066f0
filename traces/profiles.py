"""How a project's runs usually go: computed from their rows, kept as its `TrajectoryProfile`.

Fences are computed now and then and applied on reading. What a run is suspected of because of
them is never stored with it: with the next runs it may be as usual as any.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import F, OuterRef, Q, Subquery

from traces import trajectory
from traces.models import Project, Run, TrajectoryProfile
from traces.models.runs import RunQuerySet
from traces.trajectory import FEWEST, Fences, Shape
from traces.transcript import Outcome

# How many of a project's newest runs say what is usual now.
NEWEST = 10_000
COLUMNS = {"steps": "step_count", "tool_calls": "tool_call_count", "retries": "retry_count"}
# A run is dated when it is received and seen when it is read: this much later at most.
LATE = timedelta(minutes=6)


def refresh(*, at: datetime) -> list[Project]:
    """Compute the profile of each project that got runs since; returns these projects."""
    newest = Run.objects.filter(project=OuterRef("pk")).newest_first()
    stale = Project.objects.annotate(newest=Subquery(newest.values("received_at")[:1])).filter(
        Q(trajectory_profile=None) | Q(newest__gt=F("trajectory_profile__computed_at") - LATE),
        newest__isnull=False,
    )
    projects = list(stale.order_by("pk"))
    for project in projects:
        compute(project=project, at=at)
    return projects


def compute(*, project: Project, at: datetime) -> TrajectoryProfile:
    """Compute and keep the profile of a project, from its newest runs that are not set aside."""
    newest = Run.objects.filter(project=project).counted().newest_first()[:NEWEST]
    rows = newest.values_list("started_at", "ended_at", *COLUMNS.values())
    shapes = [Shape(seconds(begun, ended), *counts) for begun, ended, *counts in rows]
    fences = trajectory.fences_of(shapes) if len(shapes) >= FEWEST else {}
    values = {"run_count": len(shapes), "fences": fences, "computed_at": at}
    profile, _ = TrajectoryProfile.objects.update_or_create(project=project, defaults=values)
    return profile


def profile_of(project: Project) -> TrajectoryProfile:
    """The kept profile; before there is one, an empty one that nothing lies outside of.

    Asks nothing where the project was read together with its `trajectory_profile`.
    """
    # What Django raises where there is none is an AttributeError.
    found = getattr(project, "trajectory_profile", None)
    return found or TrajectoryProfile(run_count=0)


def shape_of(run: Run) -> Shape:
    return Shape(
        duration=seconds(run.started_at, run.ended_at),
        steps=run.step_count,
        tool_calls=run.tool_call_count,
        retries=run.retry_count,
    )


def seconds(started: datetime | None, ended: datetime | None) -> float | None:
    """None where a time is missing, or where the end lies before the start."""
    if started is None or ended is None or ended < started:
        return None
    return (ended - started).total_seconds()


def suspicious(runs: RunQuerySet, profile: TrajectoryProfile) -> RunQuerySet:
    """Of these runs those that nobody calls failed and that deserve a look all the same.

    Exactly those for which `traces.flags.flags_of` finds a reason.
    """
    return runs.exclude(outcome=Outcome.FAILED).filter(~Q(suspicions=[]) | outside(profile.fences))


def outside(fences: Fences) -> Q:
    """The condition on `Run` that a measure lies outside its fences."""
    condition = Q(pk=None)
    for name, fence in fences.items():
        if fence and name == "duration":
            low, high = (timedelta(seconds=bound) for bound in fence)
            ended_later = Q(ended_at__gte=F("started_at"))
            condition |= ended_later & Q(ended_at__lt=F("started_at") + low)
            condition |= Q(ended_at__gt=F("started_at") + high)
        elif fence:
            column = COLUMNS[name]
            condition |= Q(**{f"{column}__lt": fence[0]}) | Q(**{f"{column}__gt": fence[1]})
    return condition
