"""What to look at next, why it stands where it stands, and why there may be nothing to take.

Everything is computed from the rows that serve the work, so that no figure can disagree with it.
"""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef, Q, QuerySet

from reviews.models import Case, Decline, Slot
from traces.models import Project

# Counting further would cost more than a page; it says that there are more.
COUNTED = 1_000


def ranked(project: Project) -> QuerySet[Case]:
    """Open cases, the next one first: consequence, then failed runs of the same task, then age.

    `explain` puts the reason for a rank in words. Cases of runs that are set aside have none.
    """
    return Case.objects.of_project(project).open().counted().in_rank_order()


def left_out(project: Project) -> int:
    """Cases that the work list leaves out because their run is set aside; see `counted`."""
    unsettled = Case.objects.of_project(project).exclude(status=Case.Status.SETTLED)
    return counted(unsettled.set_aside())


def counted(cases: QuerySet[Case]) -> int:
    """How many they are, but one more than COUNTED stands for all that is beyond."""
    return cases.order_by()[: COUNTED + 1].count()


def in_rank_order(slots: QuerySet[Slot]) -> QuerySet[Slot]:
    """Slots in the order of their cases in `ranked`."""
    return slots.order_by(
        "-case__level", "-case__frequency", "case__opened_at", "case__number", "position"
    )


def explain(case: Case) -> str:
    """Why a case ranks where it does, for example
    "reported result; 4 failed runs of task BILL-204; open since 2026-11-20 09:00 UTC"."""
    number = f"{case.frequency}" if case.frequency < 5 else f"at least {case.frequency}"
    runs = "failed run" if case.frequency == 1 else "failed runs"
    of = f" of task {case.run.task_id}" if case.run.task_id else ", its task is not named"
    return (
        f"{case.get_consequence_display()}; {number} {runs}{of}; "
        f"open since {case.opened_at:%Y-%m-%d %H:%M} UTC"
    )


def emptiness(project: Project, reviewer: User) -> str:
    """Why `take_next` found nothing for this reviewer, in sentences."""
    cases = Case.objects.of_project(project)
    if not cases.exists():
        return "No failed runs yet."
    opened = cases.open().counted()
    if not opened.exists():
        if cases.open().exists():
            return "Nothing to take: all open cases are of runs that are set aside."
        return "All done: every open case has its claims."
    reasons = (_held_by_others(opened, reviewer), _own(opened, reviewer))
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
