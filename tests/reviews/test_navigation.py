from __future__ import annotations

import pytest
from django.test import RequestFactory
from pytest_django import DjangoAssertNumQueries

from reviews.models import Case
from reviews.navigation import project_navigation
from tests.clients import signed_in
from tests.factories import AT
from tests.reviews.scenes import case_of, make_failed_run, make_scene, sign, user
from tests.traces.storms import make_storm
from traces import quarantine
from traces.access import membership_of
from traces.models import Membership

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def bar_of(name: str) -> dict[str, object]:
    request = RequestFactory().get("/")
    user = Membership.objects.get(project__slug="demo", user__username=name).user_id
    request.membership = membership_of(user, "demo")
    return project_navigation(request)


def test_outside_a_project_there_is_no_bar(db: None) -> None:
    assert project_navigation(RequestFactory().get("/")) == {}


def test_only_a_lead_is_told_how_many_wait(case: Case) -> None:
    waiting = make_scene("other")
    sign(waiting, "ada")
    for name in ("ada", "ben"):
        sign(case, name)
    assert [bar_of(name)["waiting_count"] for name in ("vera", "ada", "lena")] == [0, 0, 1]


def test_only_a_lead_is_told_how_many_runs_are_proposed_for_the_quarantine(case: Case) -> None:
    make_storm(case.project)
    assert [bar_of(name)["proposed_count"] for name in ("vera", "ada", "lena")] == [0, 0, 1]


def test_a_case_whose_run_is_set_aside_does_not_wait(case: Case) -> None:
    for name in ("ada", "ben"):
        sign(case, name)
    quarantine.set_aside(run=case.run, reason="duplicate", note="", by=user("lena"), at=AT)
    assert bar_of("lena")["waiting_count"] == 0


def test_nobody_is_asked_before_the_number_is_shown(
    case: Case, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    bar = bar_of("lena")
    with django_assert_num_queries(1):
        assert f"{bar['waiting_count']} {bar['proposed_count']}" == "0 0"


@pytest.mark.parametrize(
    ("path", "current"),
    [
        ("", "Work list"),
        ("cases/", "Cases"),
        ("cases/1/", "Cases"),
        ("verdicts/", "Verdicts"),
        ("cases/1/verdict/", "Verdicts"),
        ("runs/", "Runs"),
        ("receipts/", "Runs"),
        ("runs/upload/", "Runs"),
        ("quarantine/", "Quarantine"),
    ],
)
def test_the_bar_says_where_one_is(case: Case, path: str, current: str) -> None:
    page = signed_in("lena").get(f"/p/demo/{path}").content.decode()
    marked = page.split('aria-current="page">')
    assert len(marked) == 2
    assert marked[1].startswith(current)


def test_the_run_page_is_below_runs(case: Case) -> None:
    run = case_of(make_failed_run(case.project, "run-2")).run
    page = signed_in("vera").get(f"/p/demo/runs/{run.pk}/").content.decode()
    assert 'aria-current="page">Runs' in page
