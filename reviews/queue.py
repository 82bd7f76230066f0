"""What to look at next, why it stands where it stands, and why there may be nothing to take.

Everything is computed from the rows that serve the work, so that no figure can disagree with it.
"""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db.models import Case as Choice
from django.db.models import (
    Count,
    Exists,
    F,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
)
from django.db.models.expressions import Combinable
from django.db.models.functions import Coalesce

from reviews.models import Case, Consequence, Decline, Slot
from traces.models import Project, Run


def ranked(project: Project) -> QuerySet[Case]:
    """Open cases, the next one first: consequence, then failed runs of the same task, then age.

    Each case carries `level` (0 is transient) and `frequency`; `explain` puts them in words.
    """
    cases = with_rank(Case.objects.of_project(project).open())
    return cases.order_by(F("level").desc(), F("frequency").desc(), "opened_at", "number")


def with_rank(cases: QuerySet[Case]) -> QuerySet[Case]:
    """Cases with what ranks them: `level` and `frequency`."""
    return cases.annotate(level=_level(), frequency=_frequency())


def in_rank_order(slots: QuerySet[Slot]) -> QuerySet[Slot]:
    """Slots in the order of their cases in `ranked`."""
    slots = slots.annotate(level=_level("case__"), frequency=_frequency("case__"))
    rank = (F("level").desc(), F("frequency").desc(), "case__opened_at", "case__number")
    return slots.order_by(*rank, "position")


def explain(case: Case) -> str:
    """Why a case ranks where it does, for example
    "reported result; 4 failed runs of task BILL-204; open since 2026-11-20 09:00 UTC"."""
    frequency = getattr(case, "frequency", None) or frequency_of(case.run)
    runs = "failed run" if frequency == 1 else "failed runs"
    of = f" of task {case.run.task_id}" if case.run.task_id else ", its task is not named"
    return (
        f"{case.get_consequence_display()}; {frequency} {runs}{of}; "
        f"open since {case.opened_at:%Y-%m-%d %H:%M} UTC"
    )


def frequency_of(run: Run) -> int:
    """Failed runs of the same task, this one included; 1 when the task is not named."""
    return max(1, Run.objects.same_task(run).failed().count() + (run.outcome == "failed"))


def emptiness(project: Project, reviewer: User) -> str:
    """Why `take_next` found nothing for this reviewer, in sentences."""
    cases = Case.objects.of_project(project)
    if not cases.exists():
        return "No failed runs yet."
    if not cases.open().exists():
        return "All done: every open case has its claims."
    reasons = (_held_by_others(cases.open(), reviewer), _own(cases.open(), reviewer))
    return " ".join(reason for reason in reasons if reason)


def touched_by(reviewer: User, *, case: str = "pk") -> Q:
    """Cases this person declined, holds or has answered; `case` is the path to the case's key."""
    slots = Slot.objects.filter(case=OuterRef(case), reviewer=reviewer)
    declines = Decline.objects.filter(case=OuterRef(case), reviewer=reviewer)
    return Q(Exists(slots)) | Q(Exists(declines))


def _held_by_others(cases: QuerySet[Case], reviewer: User) -> str:
    slots = Slot.objects.filter(case__in=cases.exclude(touched_by(reviewer)), answered_at=None)
    held = slots.exclude(reviewer=None).order_by("expires_at")
    first = held.first()
    if first is None or first.expires_at is None:
        return ""
    number = held.values("case").distinct().count()
    are = "case is" if number == 1 else "cases are"
    return f"{number} {are} held by others, the first until {first.expires_at:%H:%M} UTC."


def _own(cases: QuerySet[Case], reviewer: User) -> str:
    held = cases.filter(slots__in=Slot.objects.held_by(reviewer.pk)).count()
    passed = cases.filter(touched_by(reviewer)).count() - held
    sentences = []
    if held:
        sentences.append(f"You hold {held} {'case' if held == 1 else 'cases'} yourself.")
    if passed:
        sentences.append(f"You have answered or declined {passed} that others still work on.")
    return " ".join(sentences)


def _level(prefix: str = "") -> Choice:
    levels = (
        When(**{f"{prefix}consequence": consequence}, then=Value(level))
        for level, consequence in enumerate(Consequence.values)
    )
    return Choice(*levels, output_field=IntegerField())


def _frequency(prefix: str = "") -> Combinable:
    run = f"{prefix}run__"
    same_task = (
        Run.objects.failed()
        .filter(project=OuterRef(f"{run}project"), task_id=OuterRef(f"{run}task_id"))
        .order_by()
        .values("task_id")
        .annotate(number=Count("pk"))
        .values("number")
    )
    unnamed = When(**{f"{run}task_id": ""}, then=Value(1))
    return Choice(unnamed, default=Coalesce(Subquery(same_task), Value(1)))
