from __future__ import annotations

from uuid import uuid4

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from tests.clients import roots_of, signed_in
from tests.factories import make_project
from tests.reviews.scenes import make_candidate, make_scene, sign
from traces.models import Run

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def address(run: Run, slug: str = "demo") -> str:
    return f"/p/{slug}/runs/{run.pk}/explain/"


@pytest.fixture
def run(db: None) -> Run:
    run = make_scene().run
    make_candidate(run, step=1)
    make_candidate(run, step=2, actor="coder", score=0.4, rationale="\u202e<b>It</b>")
    return run


def test_who_is_not_signed_in_is_sent_to_sign_in(run: Run) -> None:
    assert Client().get(address(run)).url == f"/accounts/login/?next={address(run)}"


def test_a_stranger_and_another_project_find_nothing(run: Run) -> None:
    make_project("other")
    assert signed_in("sam").get(address(run)).status_code == 404
    assert signed_in("lena").get(address(run, "other")).status_code == 404
    assert signed_in("lena").get(f"/p/demo/runs/{uuid4()}/explain/").status_code == 404
    assert signed_in("lena").post(address(run)).status_code == 405


def test_nothing_of_a_case_is_told(run: Run) -> None:
    claim = sign(run.cases.get(), "ada", state_change="ZEBRACROSSING")
    for wanted in (f"c1,k{claim.pk}", "c1,d"):
        response = signed_in("ada", script=True).get(address(run), {"explain": wanted})
        page = response.content.decode()
        assert "ZEBRACROSSING" not in page
        assert "is not here, or not for you to see" in page


def test_two_candidates_stand_side_by_side(run: Run) -> None:
    response = signed_in("vera", script=True).get(address(run), {"explain": "c1,c2", "step": 3})
    assert roots_of(response.content) == ["explaining", "map-explain", "pick-c1", "pick-c2"]
    page = response.content.decode()
    for words in ("Candidate 1", "Candidate 2", "proposed by first@1", "are concurrent"):
        assert words in page, words
    assert '<a href="?explain=c1%2Cc2&amp;step=2#s2">#2 coder</a>' in page
    assert "<b>It</b>" not in page
    assert "\u202e" not in page


def test_without_a_script_the_page_itself_is_the_answer(run: Run) -> None:
    response = signed_in("vera").get(address(run), {"a": "c2", "b": "c1"})
    assert response.url == f"/p/demo/runs/{run.pk}/?explain=c2%2Cc1#explaining"


@pytest.mark.parametrize("more", [0, 20])
def test_queries_do_not_grow_with_candidates(
    run: Run, more: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for _ in range(more):
        make_candidate(run)
    client = signed_in("vera", script=True)
    with django_assert_num_queries(6):
        client.get(address(run), {"explain": "c1,c2"})
