"""Who works on which case: leases on slots, taken atomically and named by a token.

A lease that ran out stays good until somebody else takes the slot over. When the case's run is set
aside, who holds it may finish, and nobody else gets it.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID, uuid4

from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from reviews import queue
from reviews.models import Case, Claim, Decline, Slot
from traces import audit, quarantine
from traces.models import Membership, Project, Role


class NothingToTake(Exception):
    """There is no slot for this person on this case; the message says why."""


class NotYourLease(Exception):
    """The token is not the one the slot was taken with; the message says what to do."""


@transaction.atomic
def take(*, case: Case, reviewer: User, at: datetime) -> Slot:
    """Lease a slot of this case, or renew the lease the reviewer has on it.

    Raises NothingToTake, and PermissionDenied for who may not review in the project.
    """
    membership = _membership(case.project, reviewer)
    slots = Slot.objects.select_for_update().filter(case=case)
    own = slots.filter(reviewer=reviewer).first()
    if own is not None:
        return _renewed(own, at=at)
    case.refresh_from_db(fields=["status"])
    _refuse_closed(case)
    _refuse_set_aside(case)
    if _could_have_read(membership, case):
        raise NothingToTake("As a lead you can read the signed claims: yours would not be blind.")
    slot = _free(slots, at=at).order_by("position").first()
    if slot is None:
        raise NothingToTake(f"Others hold every place on case {case.number}.")
    return _leased(slot, reviewer=reviewer, at=at)


@transaction.atomic
def take_next(*, project: Project, reviewer: User, at: datetime) -> Slot | None:
    """Lease a slot of the case that ranks first among those the reviewer has not touched.

    None when there is nothing; `queue.emptiness` says why. Raises PermissionDenied.
    """
    membership = _membership(project, reviewer)
    opened = Slot.objects.filter(case__project=project, case__status=Case.Status.OPEN)
    opened = opened.exclude(quarantine.in_force("case__run_id"))
    slots = _free(opened, at=at).exclude(queue.touched_by(reviewer, case="case"))
    if membership.may(Role.LEAD):
        slots = slots.exclude(Exists(Claim.objects.filter(case=OuterRef("case"))))
    # Locked rows are passed over and rows that changed meanwhile are checked again, both by
    # Postgres: two people asking at once get two slots.
    locked = slots.select_for_update(skip_locked=True, of=("self",))
    slot = queue.in_rank_order(locked).first()
    return _leased(slot, reviewer=reviewer, at=at) if slot else None


@transaction.atomic
def heartbeat(*, slot_id: int, token: UUID | str, at: datetime) -> Slot:
    """Say that the holder is still there. The lease is renewed once half of it is used.

    After signing it changes nothing and is not an error. Raises NotYourLease.
    """
    slot = held(slot_id=slot_id, token=token)
    half = _length(slot.case) / 2
    if slot.answered_at is None and (slot.expires_at is None or slot.expires_at - at < half):
        return _renewed(slot, at=at)
    return slot


@transaction.atomic
def give_back(*, slot_id: int, token: UUID | str, at: datetime) -> Slot:
    """Free the slot without a word about the case. Raises NotYourLease."""
    return _freed(held(slot_id=slot_id, token=token), action="case.given_back", at=at)


@transaction.atomic
def decline(*, slot_id: int, token: UUID | str, reason: str, at: datetime) -> Slot:
    """Free the slot and record why this person does not judge the case. Raises NotYourLease."""
    slot = held(slot_id=slot_id, token=token)
    Decline.objects.update_or_create(
        case=slot.case, reviewer=slot.reviewer, defaults={"reason": reason, "at": at}
    )
    return _freed(slot, action="case.declined", at=at, reason=reason)


def held(*, slot_id: int, token: UUID | str) -> Slot:
    """The slot, locked, if the token is that of its lease; an expired lease is one too.

    Must run inside a transaction. Raises NotYourLease.
    """
    slots = Slot.objects.select_for_update(of=("self",))
    slot = slots.select_related("case__policy", "case__project", "reviewer").filter(pk=slot_id)
    found = slot.first()
    if found is None or found.token is None or str(found.token) != str(token):
        raise NotYourLease("Your lease ended and the case was given to somebody else.")
    return found


def _membership(project: Project, reviewer: User) -> Membership:
    # The lock makes one person's requests wait for each other: two tabs get two cases.
    memberships = Membership.objects.select_for_update(no_key=True)
    membership = memberships.filter(project=project, user=reviewer).first()
    if membership is None or not membership.may(Role.REVIEWER):
        raise PermissionDenied("Only reviewers and leads of the project take cases.")
    return membership


def _refuse_closed(case: Case) -> None:
    if case.status != Case.Status.OPEN:
        raise NothingToTake(f"Case {case.number} is {case.get_status_display()}.")


def _refuse_set_aside(case: Case) -> None:
    if quarantine.standing(case.run) is not None:
        raise NothingToTake(f"The run of case {case.number} is set aside: nobody else gets it.")


def _could_have_read(membership: Membership, case: Case) -> bool:
    return membership.may(Role.LEAD) and case.claims.exists()


def _free(slots: QuerySet[Slot], *, at: datetime) -> QuerySet[Slot]:
    return slots.filter(Q(reviewer=None) | Q(expires_at__lte=at), answered_at=None)


def _length(case: Case) -> timedelta:
    return timedelta(minutes=case.policy.lease_minutes)


def _leased(slot: Slot, *, reviewer: User, at: datetime) -> Slot:
    data: dict[str, object] = {"slot": slot.position}
    if slot.reviewer_id is not None:
        data["expired_lease_of"] = slot.reviewer_id
    slot.reviewer, slot.token = reviewer, uuid4()
    slot.taken_at, slot.expires_at = at, at + _length(slot.case)
    slot.save(update_fields=["reviewer", "token", "taken_at", "expires_at"])
    _record(slot, action="case.taken", by=reviewer, at=at, data=data)
    return slot


def _renewed(slot: Slot, *, at: datetime) -> Slot:
    if slot.answered_at is not None:
        raise NothingToTake(f"You have signed your claim on case {slot.case.number}.")
    slot.expires_at = at + _length(slot.case)
    slot.save(update_fields=["expires_at"])
    _record(slot, action="case.renewed", by=slot.reviewer, at=at, data={"slot": slot.position})
    return slot


def _freed(slot: Slot, *, action: str, at: datetime, **data: str) -> Slot:
    if slot.answered_at is not None:
        raise NotYourLease("You have signed your claim: there is nothing to give back.")
    holder = slot.reviewer
    slot.reviewer = slot.token = slot.taken_at = slot.expires_at = None
    slot.save(update_fields=["reviewer", "token", "taken_at", "expires_at"])
    _record(slot, action=action, by=holder, at=at, data={"slot": slot.position, **data})
    return slot


def _record(
    slot: Slot, *, action: str, by: User | None, at: datetime, data: dict[str, object]
) -> None:
    audit.record(
        action=action,
        subject=f"case:{slot.case_id}",
        at=at,
        project=slot.case.project,
        actor=by,
        data=data,
    )
