"""Which other runs a run can be laid beside, and why those."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Exists, F, OuterRef, QuerySet
from django.db.models.functions import Left

from attribution import resemblance
from attribution.resemblance import Traits
from traces.models import Actor, Failure, Run, Step
from traces.models.runs import RunQuerySet
from traces.transcript import Outcome

# How many successful runs of the task are looked at, newest first, and how many of other tasks.
LOOKED_AT, OTHER_TASKS = 12, 150
# Of each sort, how many a menu offers.
OFFERED = 12
SIMILAR_OFFERED = 3
# Characters of a task's text, and steps of a run, by which similar ones are found.
TASK_READ, STEPS_READ = 800, 60


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A run to lay beside another. `reason` says in a sentence why this one."""

    run: Run
    title: str
    reason: str


def reference_for(run: Run) -> Neighbour | None:
    """The successful run of the same task with the most similar shape, in one query.

    Of equally similar ones the newest. None if the task is not named or never succeeded. Runs
    that are set aside are compared with nothing, nor are those in which people found a failure.
    """
    others = list(_with_traits(_successful(Run.objects.same_task(run)), run)[:LOOKED_AT])
    return _most_alike(run, others)


def comparison_for(run: Run) -> Neighbour | None:
    """What stands beside a run until somebody chooses: its reference, or else a successful run
    of the most similar task and shape. In one query.
    """
    same = _successful(Run.objects.same_task(run))
    # Others are only looked for where there is none of the same task.
    others = _of_other_tasks(run).filter(~Exists(same.values("pk")))
    looked_at = same.values("pk")[:LOOKED_AT].union(others.values("pk")[:OTHER_TASKS])
    either = Run.objects.filter(pk__in=looked_at.values("pk")).newest_first()
    found: list[Any] = list(_with_traits(either, run))
    related = [other for other in found if run.task_id and other.task_id == run.task_id]
    return _most_alike(run, related) or next(iter(_most_similar(run, found)), None)


def similar_to(run: Run) -> list[Neighbour]:
    """Successful runs of other tasks that did the same sort of thing, most similar first.

    In one query; looked for among the project's newest.
    """
    return _most_similar(run, list(_with_traits(_of_other_tasks(run), run)[:OTHER_TASKS]))


def _of_other_tasks(run: Run) -> RunQuerySet:
    others = _successful(Run.objects.filter(project=run.project_id).exclude(pk=run.pk))
    return others.exclude(task_id=run.task_id) if run.task_id else others


def _most_similar(run: Run, found: list[Any]) -> list[Neighbour]:
    if not found:
        return []
    ours, theirs = _own_traits(run, found[0]), [_traits(other) for other in found]
    places = resemblance.ranked(ours, theirs)[:SIMILAR_OFFERED]
    return [
        Neighbour(found[place], "Similar run", resemblance.why(ours, theirs[place]))
        for place in places
    ]


def choices_for(run: Run) -> list[Neighbour]:
    """What a menu offers to lay beside a run, best first, in two queries.

    Its reference, other attempts and the run it repeats or continues, other runs of its task, and
    successful runs of similar tasks. Any other run can be chosen by its address.
    """
    related = list(_with_traits(_related(run), run))
    succeeded = [other for other in related if _is_success(run, other)]
    reference = _most_alike(run, succeeded[:LOOKED_AT])
    first = [reference] if reference else []
    chosen = {each.run.pk for each in first}
    rest = [_related_as(run, other) for other in related if other.pk not in chosen]
    rest.sort(key=lambda each: each.title == SAME_TASK)
    return [*first, *rest, *similar_to(run)]


SAME_TASK = "Same task"


def _related(run: Run) -> RunQuerySet:
    """Relatives and runs of the same task, some of each, newest first."""
    others = Run.objects.filter(project=run.project_id).exclude(pk=run.pk)
    sorts = [
        _successful(Run.objects.same_task(run)),
        Run.objects.same_task(run).exclude(outcome=Outcome.SUCCEEDED),
        others.filter(parent_run=run.external_id).exclude(parent_run=""),
    ]
    if run.parent_run:
        sorts.append(others.filter(parent_run=run.parent_run).exclude(parent_run=""))
        sorts.append(others.filter(external_id=run.parent_run))
    first, *more = (sort.counted().newest_first().values("pk")[:OFFERED] for sort in sorts)
    return Run.objects.filter(pk__in=first.union(*more).values("pk")).newest_first()


def _related_as(run: Run, other: Any) -> Neighbour:
    """A relative by what the records say of the two, another run of the task by how it ended."""
    if run.parent_run and other.external_id == run.parent_run:
        relation = run.parent_relation or "child"
        return Neighbour(other, "Earlier run", f"this run is a {relation} of it, {other.outcome}")
    if other.parent_run and other.parent_run == run.external_id:
        relation = other.parent_relation or "child"
        return Neighbour(other, "Later run", f"a {relation} of this run{_attempt(other)}")
    if other.parent_run and other.parent_run == run.parent_run:
        reason = f"{other.parent_relation or 'child'} of {other.parent_run}, as this run"
        return Neighbour(other, "Another attempt", reason + _attempt(other))
    if run.attempt is not None and other.attempt is not None and run.attempt != other.attempt:
        return Neighbour(other, "Another attempt", f"same task {other.task_id}{_attempt(other)}")
    return Neighbour(other, SAME_TASK, f"same task {other.task_id}, {other.outcome}")


def _attempt(other: Run) -> str:
    number = "" if other.attempt is None else f", attempt {other.attempt}"
    return f"{number}, {other.outcome}"


def _successful(runs: RunQuerySet) -> RunQuerySet:
    faulty = Exists(Failure.objects.filter(run=OuterRef("pk")))
    return runs.succeeded().counted().exclude(faulty).newest_first()


def _is_success(run: Run, other: Any) -> bool:
    same = bool(run.task_id) and other.task_id == run.task_id
    return same and other.outcome == Outcome.SUCCEEDED and not other.faulty


def _with_traits(runs: RunQuerySet, run: Run) -> QuerySet[Any]:
    """The runs with what makes them comparable, and with the same of the run in question."""
    return runs.annotate(
        faulty=Exists(Failure.objects.filter(run=OuterRef("pk"))),
        task=Left("task_text", TASK_READ),
        roles=_roles(OuterRef("pk")),
        tools=_tools(OuterRef("pk")),
        own_roles=_roles(run.pk),
        own_tools=_tools(run.pk),
    ).defer("task_text", "reports", "withheld", "initial_state", "capture", "unread", "folded")


def _roles(run: UUID | OuterRef) -> ArraySubquery:
    return ArraySubquery(Actor.objects.filter(run=run).values("role"))


def _tools(run: UUID | OuterRef) -> ArraySubquery:
    called = Step.objects.filter(run=run, number__lt=STEPS_READ).exclude(tool="")
    return ArraySubquery(called.values(name=F("tool")).distinct())


def _traits(other: Any) -> Traits:
    return Traits(other.task, frozenset(other.roles), frozenset(other.tools), other.step_count)


def _own_traits(run: Run, other: Any) -> Traits:
    task = run.task_text[:TASK_READ]
    return Traits(task, frozenset(other.own_roles), frozenset(other.own_tools), run.step_count)


def _most_alike(run: Run, others: Sequence[Any]) -> Neighbour | None:
    if not others:
        return None
    ours = _own_traits(run, others[0])
    best = max(others, key=lambda other: resemblance.same_task(ours, _traits(other)))
    return Neighbour(best, "Successful run", _reason(best))


def _reason(other: Run) -> str:
    version = str(other.system.get("version") or "")
    system = f", system {version}" if version else ""
    return f"same task {other.task_id}{system}, succeeded"
