from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from reviews import assignment
from reviews.models import Case, Decline, Slot
from tests.clients import address, ids_of, roots_of, signed_in, told
from tests.reviews.conftest import Desk
from tests.reviews.scenes import case_of, make_failed_run, make_scene, sign, user

pytestmark = [pytest.mark.django_db, pytest.mark.database]
TAKE_NEXT = "/p/demo/cases/take-next/"
WORK_LIST = "/p/demo/"


def slot_of(name: str) -> Slot | None:
    return Slot.objects.filter(reviewer__username=name).first()


def taken_over(case: Case) -> None:
    """Only one place, and ben takes it after the lease of whoever had it."""
    case.slots.filter(position=2).delete()
    assignment.take(case=case, reviewer=user("ben"), at=timezone.now() + timedelta(hours=2))


def test_take_says_why_there_is_no_place() -> None:
    case = make_scene()
    sign_in = signed_in("ben")
    Desk(case, "ada")
    response = sign_in.post(address("take", case))
    assert response.url == address("case", case)
    assert told(response) == ["Others hold every place on case 1."]
    assert slot_of("ben") is None


def test_a_lead_who_can_read_claims_does_not_take(case: Case) -> None:
    sign(case, "ada")
    response = signed_in("lena").post(address("take", case))
    assert told(response) == ["As a lead you can read the signed claims: yours would not be blind."]
    assert slot_of("lena") is None


def test_a_case_that_waits_is_not_taken() -> None:
    case = make_scene()
    sign(case, "ada")
    response = signed_in("ben").post(address("take", case))
    assert told(response) == ["Case 1 is waiting for a lead."]


@pytest.mark.parametrize("name", ["ada", "lena"])
def test_take_leases_a_place(case: Case, name: str) -> None:
    client = signed_in(name)
    page = client.get(address("case", case)).content.decode()
    assert "Take this case" in page
    assert 'id="claim-form"' not in page
    response = client.post(address("take", case))
    assert (response.url, told(response)) == (address("case", case), [])
    slot = slot_of(name)
    assert slot
    page = client.get(address("case", case)).content.decode()
    assert str(slot.token) in page
    assert "Take this case" not in page
    assert {"marker", "claim-form", "lease", "claim-footer"} <= ids_of(page.encode())


def test_taking_again_keeps_the_token(case: Case) -> None:
    desk = Desk(case)
    desk.post("take")
    slot = slot_of("ada")
    assert slot
    assert str(slot.token) == desk.token


def test_take_next_says_why_there_is_nothing(case: Case) -> None:
    client = signed_in("ada")
    assert client.post(TAKE_NEXT).url == address("case", case)
    response = client.post(TAKE_NEXT)
    assert response.url == WORK_LIST
    assert told(response) == ["You hold 1 case yourself."]


def test_take_next_takes_what_ranks_first(case: Case) -> None:
    second = case_of(make_failed_run(case.project, "run-2"))
    client = signed_in("ada")
    assert client.post(TAKE_NEXT).url == address("case", case)
    assert client.post(TAKE_NEXT).url == address("case", second)


def test_a_heartbeat_with_a_wrong_token_renews_nothing(desk: Desk) -> None:
    Slot.objects.filter(reviewer=user("ada")).update(expires_at=timezone.now())
    before = slot_of("ada")
    for token in (str(uuid4()), "", "x\0", "9" * 5000):
        response = desk.post("heartbeat", token=token)
        assert response.status_code == 200
    assert slot_of("ada").expires_at == before.expires_at
    assert told(response)[-1] == "Your lease ended and the case was given to somebody else."


def test_a_heartbeat_renews_a_lease_that_is_half_used(desk: Desk) -> None:
    soon = timezone.now() + timedelta(minutes=5)
    Slot.objects.filter(reviewer=user("ada")).update(expires_at=soon)
    response = desk.post("heartbeat")
    assert slot_of("ada").expires_at > soon + timedelta(minutes=30)
    assert roots_of(response.content) == ["lease"]
    assert f'until <time datetime="{slot_of("ada").expires_at:%Y-%m-%dT%H:%M}' in (
        response.content.decode()
    )


def test_the_heart_stops_when_the_case_is_gone(desk: Desk) -> None:
    """The answer has no trigger any more, so that the page stops asking."""
    taken_over(desk.case)
    response = desk.post("heartbeat")
    assert roots_of(response.content) == ["lease"]
    assert b"hx-trigger" not in response.content
    assert b"Yours until" not in response.content


def test_only_the_holder_gives_back(desk: Desk) -> None:
    response = desk.post("give-back", token=uuid4())
    assert response.url == WORK_LIST
    assert told(response) == ["Your lease ended and the case was given to somebody else."]
    assert slot_of("ada")
    ben = signed_in("ben")
    assert told(ben.post(address("give-back", desk.case), {"token": desk.token})) == []
    assert slot_of("ada")


def test_giving_back_frees_the_place_and_keeps_the_draft(desk: Desk) -> None:
    desk.post("write-draft", note="For later.")
    response = desk.post("give-back")
    assert (response.url, told(response)) == (
        WORK_LIST,
        ["Case 1 is free again. Your draft is kept."],
    )
    assert slot_of("ada") is None
    again = Desk(desk.case)
    assert "For later." in again.get().content.decode()


def test_who_does_not_hold_the_case_cannot_decline_it(case: Case) -> None:
    client = signed_in("ada")
    for response in (
        client.get(address("decline", case)),
        client.post(address("decline", case), {"reason": "No."}),
    ):
        assert response.url == address("case", case)
        assert told(response)[-1] == "You do not hold this case."
    assert not Decline.objects.exists()


def test_a_stale_decline_changes_nothing(desk: Desk) -> None:
    for token in (uuid4(), "", "x"):
        response = desk.post("decline", token=token, reason="I wrote it.")
        assert response.url == WORK_LIST
        assert told(response)[-1] == "Your lease ended and the case was given to somebody else."
    assert slot_of("ada")
    assert not Decline.objects.exists()


@pytest.mark.parametrize("reason", ["", "   \r\n ", "a\0b"])
def test_a_decline_needs_a_reason(desk: Desk, reason: str) -> None:
    response = desk.post("decline", reason=reason)
    assert response.status_code == 200
    assert b"errorlist" in response.content
    assert slot_of("ada")


def test_declining_frees_the_place_for_others(desk_of: Callable[..., Desk]) -> None:
    desk = desk_of()
    assert desk.token in desk.get("decline").content.decode()
    response = desk.post("decline", reason="I wrote\r\nthe verifier. ")
    assert response.url == WORK_LIST
    assert told(response) == ["You declined Case 1. Its place is free for others."]
    assert Decline.objects.get().reason == "I wrote\nthe verifier."
    assert slot_of("ada") is None
    page = desk.client.get(WORK_LIST).content.decode()
    assert desk.case.failure.statement not in page
    assert told(signed_in("ben").post(address("take", desk.case))) == []
