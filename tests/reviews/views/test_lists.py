from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from reviews import assignment
from reviews.models import Case
from reviews.views import lists
from tests.clients import address, signed_in
from tests.factories import AT, make_project, make_user
from tests.reviews.conftest import Desk
from tests.reviews.scenes import case_of, make_failed_run, make_scene, settle, sign, user
from traces.models import Failure, Project
from traces.transcript import Failure as Stated

pytestmark = [pytest.mark.django_db, pytest.mark.database]
CASES = "/p/demo/cases/"


def numbers(client: Client, **query: object) -> list[int]:
    """The cases on the page that lists them, in its order."""
    response = client.get(CASES, query)
    assert response.status_code == 200
    return [case.number for case in response.context["page"]]


def test_home_of_somebody_without_a_project(db: None) -> None:
    make_user("sam")
    page = signed_in("sam").get("/").content.decode()
    assert "You are not a member of any project yet." in page


def test_home_leads_to_the_only_project(db: None) -> None:
    make_project()
    response = signed_in("vera").get("/")
    assert (response.status_code, response.url) == (302, "/p/demo/")


def test_home_of_several_projects_is_a_choice_of_ones_own(db: None) -> None:
    for slug in ("one", "two", "three"):
        make_project(slug)
    Project.objects.get(slug="three").memberships.filter(user=user("ada")).delete()
    page = signed_in("ada").get("/").content.decode()
    assert ("/p/one/" in page, "/p/two/" in page, "/p/three/" in page) == (True, True, False)


def test_an_empty_work_list_says_why(db: None) -> None:
    make_project()
    assert "No failed runs yet." in signed_in("ada").get("/p/demo/").content.decode()
    assert "Upload runs" in signed_in("ada").get("/p/demo/").content.decode()
    assert "Upload runs" not in signed_in("vera").get("/p/demo/").content.decode()


def test_the_work_list_of_a_reviewer(case: Case) -> None:
    Desk(case)
    second = case_of(make_failed_run(case.project, "run-2"))
    response = signed_in("ada").get("/p/demo/")
    page = response.content.decode()
    assert "1 lease" in page
    assert [found for found, _ in response.context["ranked"]] == [second]
    assert "remediation; 2 failed runs of task T-1; open since 2026-11-20 09:00 UTC" in page
    assert "Take the next case" in page
    assert "Waiting for your verdict" not in page


def test_the_work_list_of_a_viewer_offers_nothing_to_take(case: Case) -> None:
    page = signed_in("vera").get("/p/demo/").content.decode()
    assert address("case", case) in page
    assert "Take the next case" not in page


def test_the_work_list_of_a_lead_shows_what_waits(case: Case) -> None:
    claim = sign(case, "ada")
    sign(case, "ben")
    page = signed_in("lena").get("/p/demo/").content.decode()
    assert "Waiting for your verdict <small>1</small>" in page
    assert address("verdict", case) in page
    assert "All done: every open case has its claims." in page
    case.refresh_from_db()
    settle(case, claim)
    page = signed_in("lena").get("/p/demo/").content.decode()
    assert "Waiting for your verdict" not in page
    assert "Lately settled" in page


def test_the_work_list_is_cut_and_says_so(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lists, "ON_WORK_LIST", 2)
    for n in range(3):
        make_failed_run(case.project, f"more-{n}")
    page = signed_in("ada").get("/p/demo/").content.decode()
    assert "2 of 4, first things first" in page
    assert "All 4 open cases" in page


def test_leases_of_other_projects_stay_there(case: Case) -> None:
    other = make_scene("other")
    assignment.take(case=other, reviewer=user("ada"), at=timezone.now())
    assert "lease" not in signed_in("ada").get("/p/demo/").content.decode()


@pytest.fixture
def many(case: Case) -> Client:
    """Case 1 of task T-1; 2, a day later, of T-2 with another failure; 3, older, is waiting."""
    late, early = AT + timedelta(days=1), AT - timedelta(days=1)
    other = (Stated(key="f1", statement="It was SLOW.", exposed_by=3),)
    make_failed_run(case.project, "run-2", at=late, task_id="T-2", failures=other)
    third = case_of(make_failed_run(case.project, "run-3", at=early))
    Case.objects.filter(number=2).update(consequence="accountability")
    for name in ("ada", "ben"):
        sign(third, name)
    return signed_in("vera")


def test_cases_are_filtered(many: Client) -> None:
    assert numbers(many) == [2, 1, 3]
    assert numbers(many, status="waiting") == [3]
    assert numbers(many, task="T-2") == [2]
    assert numbers(many, q="slow") == [2]
    assert numbers(many, q="broke", status="open") == [1]
    assert numbers(many, status="lost") == [2, 1, 3]
    assert numbers(many, task="t-2") == []
    page = many.get(CASES, {"task": "t-2"}).content.decode()
    assert "No case matches the filter." in page
    assert 'value="t-2"' in page


def test_cases_are_sorted(many: Client) -> None:
    assert numbers(many, sort="oldest") == [3, 1, 2]
    assert numbers(many, sort="consequence") == [2, 1, 3]
    assert numbers(many, sort="task") == [1, 3, 2]
    assert numbers(many, sort="-pk") == [2, 1, 3]


def test_cases_are_paged(many: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lists, "ON_PAGE", 2)
    page = many.get(CASES, {"q": "It", "page": 1}).content.decode()
    assert "showing 1–2 of 3" in page
    assert "?q=It&amp;page=2" in page
    assert numbers(many, page=2) == [3]
    for odd in ("3", "-1", "x", "²", "9" * 500, "\0"):
        assert numbers(many, page=odd)


@pytest.mark.parametrize("odd", ["\0", "a\0b", "%", "_", "\\", "\x1b\u202e", "é" * 5000, "[]"])
def test_odd_filters_find_nothing_and_break_nothing(many: Client, odd: str) -> None:
    for name in ("status", "task", "q", "sort", "page"):
        response = many.get(CASES, {name: odd})
        assert response.status_code == 200


def test_a_percent_sign_is_no_wildcard(many: Client) -> None:
    assert numbers(many, q="%") == []
    Failure.objects.filter(case__number=1).update(statement="50 % wrong")
    assert numbers(many, q="%") == [1]


def test_an_empty_list_of_cases_says_how_one_begins(db: None) -> None:
    make_project()
    page = signed_in("vera").get(CASES).content.decode()
    assert "No case is open yet" in page


def test_cases_of_other_projects_are_not_listed(many: Client) -> None:
    make_scene("other")
    assert numbers(many) == [2, 1, 3]
