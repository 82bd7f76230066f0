from __future__ import annotations

import pytest
from django.urls import reverse

from tests.clients import signed_in
from tests.factories import make_project, make_run, make_step, make_transcript, make_user

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def address() -> str:
    steps = (make_step(0, "docs", "status: RETIRED"), make_step(1, "planner", "It is retired."))
    run = make_run(make_project(), make_transcript(*steps))
    return reverse("attribution:values", args=["demo", run.pk])


def test_strangers_do_not_see_that_there_is_a_run(address: str) -> None:
    make_user("sam")
    assert signed_in("sam").get(address, {"text": "retired"}).status_code == 404


@pytest.mark.parametrize("text", ["", "x", "y" * 3000])
def test_what_cannot_be_looked_for_is_said(address: str, text: str) -> None:
    page = signed_in("vera").get(address, {"text": text})
    assert page.status_code == 200
    assert "Select between 2 and 2000 characters." in page.content.decode()


def test_the_earliest_step_is_named_first(address: str) -> None:
    page = signed_in("vera").get(address, {"text": "retired"}).content.decode()
    assert "in 2 steps, first at #0" in page
    assert page.index("#0 docs") < page.index("#1 planner")
    assert "in another spelling" in page


def test_a_script_gets_the_piece_alone(address: str) -> None:
    answer = signed_in("vera").get(address, {"text": "nothing"}, headers={"X-Inquest": "fragments"})
    assert answer["X-Inquest"] == "fragments"
    assert answer.content.decode().startswith('<section id="values"')
    assert "nowhere in this run" in answer.content.decode()


def test_the_queries_do_not_grow(address: str, django_assert_max_num_queries) -> None:
    client = signed_in("vera")
    with django_assert_max_num_queries(12):
        client.get(address, {"text": "retired"})
