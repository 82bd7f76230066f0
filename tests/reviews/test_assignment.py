from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import pytest
from django.core.exceptions import PermissionDenied

from reviews import assignment
from reviews.assignment import NothingToTake, NotYourLease
from reviews.models import Case, Decline, Slot
from tests.factories import AT, make_user
from tests.reviews.scenes import case_of, make_failed_run, make_scene, sign, user
from traces import audit
from traces.models import AuditEntry

pytestmark = [pytest.mark.django_db, pytest.mark.database]
LATER = AT + timedelta(minutes=61)


@pytest.mark.parametrize("name", ["sam", "vera"])
def test_strangers_and_viewers_take_nothing(name: str) -> None:
    case = make_scene()
    with pytest.raises(PermissionDenied):
        assignment.take(case=case, reviewer=make_user(name), at=AT)
    with pytest.raises(PermissionDenied):
        assignment.take_next(project=case.project, reviewer=make_user(name), at=AT)


def test_a_held_case_is_refused_until_the_lease_ends() -> None:
    case = make_scene()
    first = assignment.take(case=case, reviewer=user("ada"), at=AT)
    with pytest.raises(NothingToTake, match="Others hold every place on case 1"):
        assignment.take(case=case, reviewer=user("ben"), at=AT + timedelta(minutes=59))
    second = assignment.take(case=case, reviewer=user("ben"), at=LATER)
    assert (second.pk, second.reviewer) == (first.pk, user("ben"))
    assert second.token != first.token
    entry = AuditEntry.objects.latest("number")
    assert entry.data == {"slot": 1, "expired_lease_of": user("ada").pk}


@pytest.mark.parametrize(
    "verb",
    [
        assignment.heartbeat,
        assignment.give_back,
        lambda **given: assignment.decline(**given, reason="I wrote it."),
    ],
)
def test_a_wrong_token_is_refused(verb) -> None:
    slot = assignment.take(case=make_scene(), reviewer=user("ada"), at=AT)
    for token in (uuid4(), "", "no token"):
        with pytest.raises(NotYourLease, match="Your lease ended"):
            verb(slot_id=slot.pk, token=token, at=AT)
    with pytest.raises(NotYourLease):
        verb(slot_id=slot.pk + 1, token=slot.token, at=AT)
    assert Slot.objects.get(pk=slot.pk).expires_at == slot.expires_at


def test_the_token_of_a_lease_that_was_taken_over_is_refused() -> None:
    case = make_scene()
    slot = assignment.take(case=case, reviewer=user("ada"), at=AT)
    assignment.take(case=case, reviewer=user("ben"), at=LATER)
    with pytest.raises(NotYourLease):
        assignment.heartbeat(slot_id=slot.pk, token=slot.token, at=LATER)


def test_a_signed_case_is_neither_taken_nor_given_back() -> None:
    case = make_scene(signatures=2)
    sign(case, "ada")
    slot = case.slots.get(reviewer=user("ada"))
    with pytest.raises(NothingToTake, match="You have signed your claim on case 1"):
        assignment.take(case=case, reviewer=user("ada"), at=AT)
    with pytest.raises(NotYourLease, match="You have signed your claim"):
        assignment.give_back(slot_id=slot.pk, token=slot.token, at=AT)
    with pytest.raises(NotYourLease, match="You have signed your claim"):
        assignment.decline(slot_id=slot.pk, token=slot.token, reason="", at=AT)
    assert not Decline.objects.exists()


def test_a_closed_case_is_not_taken() -> None:
    case = make_scene()
    sign(case, "ada")
    with pytest.raises(NothingToTake, match="Case 1 is waiting for a lead"):
        assignment.take(case=case, reviewer=user("ben"), at=AT)


def test_a_lead_who_could_read_the_claims_does_not_take_the_case() -> None:
    case = make_scene(signatures=2)
    sign(case, "ada")
    with pytest.raises(NothingToTake, match="would not be blind"):
        assignment.take(case=case, reviewer=user("lena"), at=AT)
    assert assignment.take_next(project=case.project, reviewer=user("lena"), at=AT) is None
    assert assignment.take_next(project=case.project, reviewer=user("ben"), at=AT)


def test_taking_leases_a_slot_for_as_long_as_the_policy_says() -> None:
    case = make_scene()
    slot = assignment.take(case=case, reviewer=user("ada"), at=AT)
    assert slot.taken_at == AT
    assert slot.expires_at == AT + timedelta(minutes=60)
    entry = AuditEntry.objects.latest("number")
    assert (entry.action, entry.subject) == ("case.taken", f"case:{case.pk}")
    assert (entry.actor, entry.project, entry.at) == (user("ada"), case.project, AT)


def test_taking_again_renews_the_same_lease_even_when_it_ran_out() -> None:
    case = make_scene()
    first = assignment.take(case=case, reviewer=user("ada"), at=AT)
    again = assignment.take(case=case, reviewer=user("ada"), at=LATER)
    assert (again.pk, again.token) == (first.pk, first.token)
    assert again.expires_at == LATER + timedelta(minutes=60)


def test_two_reviewers_take_the_two_places_of_a_case() -> None:
    case = make_scene(signatures=2)
    slots = [assignment.take(case=case, reviewer=user(name), at=AT) for name in ("ada", "lena")]
    assert [slot.position for slot in slots] == [1, 2]


def test_next_follows_the_rank_and_skips_what_the_reviewer_touched() -> None:
    first = make_scene(signatures=2)
    others = [make_failed_run(first.project, f"run-{n}", task_id=f"T-{n}") for n in (2, 3, 4)]
    second, third, fourth = (case_of(run) for run in others)
    Case.objects.filter(pk=fourth.pk).update(consequence="accountability")
    ada, project = user("ada"), first.project
    sign(first, "ada")
    declined = assignment.take(case=second, reviewer=ada, at=AT)
    assignment.decline(slot_id=declined.pk, token=declined.token, reason="I wrote it.", at=AT)
    taken = [assignment.take_next(project=project, reviewer=ada, at=AT) for _ in range(3)]
    assert [slot and slot.case.number for slot in taken] == [fourth.number, third.number, None]


def test_next_takes_over_an_expired_lease_but_not_a_live_one() -> None:
    case = make_scene()
    assignment.take(case=case, reviewer=user("ada"), at=AT)
    ben = user("ben")
    assert assignment.take_next(project=case.project, reviewer=ben, at=AT) is None
    slot = assignment.take_next(project=case.project, reviewer=ben, at=LATER)
    assert slot
    assert slot.reviewer == ben


def test_next_stays_in_its_project() -> None:
    make_scene("other")
    here = make_scene()
    sign(here, "ada")
    assert assignment.take_next(project=here.project, reviewer=user("ben"), at=AT) is None


def test_declining_frees_the_place_and_is_recorded() -> None:
    case = make_scene()
    slot = assignment.take(case=case, reviewer=user("ada"), at=AT)
    assignment.decline(slot_id=slot.pk, token=str(slot.token), reason="I wrote it.", at=AT)
    decline = Decline.objects.get()
    assert (decline.case, decline.reviewer, decline.reason) == (case, user("ada"), "I wrote it.")
    assert AuditEntry.objects.latest("number").data == {"slot": 1, "reason": "I wrote it."}
    assert assignment.take(case=case, reviewer=user("ben"), at=AT).position == 1


def test_who_declined_may_still_take_the_case_by_name_and_decline_again() -> None:
    case = make_scene()
    for reason in ("Too long.", "Still too long."):
        slot = assignment.take(case=case, reviewer=user("ada"), at=AT)
        assignment.decline(slot_id=slot.pk, token=slot.token, reason=reason, at=AT)
    assert Decline.objects.get().reason == "Still too long."


def test_giving_back_frees_the_place_without_a_decline() -> None:
    case = make_scene()
    slot = assignment.take(case=case, reviewer=user("ada"), at=AT)
    assignment.give_back(slot_id=slot.pk, token=slot.token, at=AT)
    assert not Decline.objects.exists()
    again = assignment.take_next(project=case.project, reviewer=user("ada"), at=AT)
    assert again
    assert again.token != slot.token


def test_a_heartbeat_renews_the_lease_once_half_of_it_is_used() -> None:
    slot = assignment.take(case=make_scene(), reviewer=user("ada"), at=AT)
    soon, half = AT + timedelta(minutes=29), AT + timedelta(minutes=31)
    assert assignment.heartbeat(slot_id=slot.pk, token=slot.token, at=soon).expires_at == (
        AT + timedelta(minutes=60)
    )
    renewed = assignment.heartbeat(slot_id=slot.pk, token=slot.token, at=half)
    assert renewed.expires_at == half + timedelta(minutes=60)
    assert renewed.token == slot.token
    actions = list(AuditEntry.objects.order_by("number").values_list("action", flat=True))
    assert actions[-2:] == ["case.taken", "case.renewed"]


def test_a_heartbeat_revives_a_lease_that_ran_out_unclaimed() -> None:
    slot = assignment.take(case=make_scene(), reviewer=user("ada"), at=AT)
    renewed = assignment.heartbeat(slot_id=slot.pk, token=slot.token, at=LATER)
    assert renewed.expires_at == LATER + timedelta(minutes=60)


def test_a_heartbeat_after_signing_is_no_error() -> None:
    case = make_scene()
    sign(case, "ada")
    slot = case.slots.get()
    same = assignment.heartbeat(slot_id=slot.pk, token=slot.token, at=LATER)
    assert same.expires_at == slot.expires_at


def test_everything_stands_in_a_chain_that_holds() -> None:
    case = make_scene()
    slot = assignment.take(case=case, reviewer=user("ada"), at=AT)
    assignment.give_back(slot_id=slot.pk, token=slot.token, at=AT)
    assert list(audit.faults()) == []
