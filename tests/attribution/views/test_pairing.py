from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from attribution import pairings
from attribution.models import Pairing
from tests.clients import signed_in
from tests.factories import AT, make_project, make_run, make_step, make_transcript
from tests.reviews.scenes import make_scene, user
from traces import quarantine
from traces.models import Run
from traces.transcript import Outcome

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def run(db: None) -> Run:
    return make_scene().run


@pytest.fixture
def other(run: Run) -> Run:
    steps = (make_step(0, "owner"), make_step(1, "planner", "Use POST /v2/invoices."))
    return make_run(
        run.project, make_transcript(*steps, external_id="ok", outcome=Outcome.SUCCEEDED)
    )


def address(run: Run, verb: str = "pair", slug: str = "demo") -> str:
    return f"/p/{slug}/runs/{run.pk}/{verb}/"


def form(other: Run, **fields: Any) -> dict[str, Any]:
    return {"with": str(other.pk), "left": "0", "right": "1", **fields}


@pytest.mark.parametrize("verb", ["pair", "unpair"])
def test_strangers_find_nothing_and_nobody_gets_it_by_looking(run: Run, other: Run, verb: str):
    make_project("elsewhere")
    where = address(run, verb)
    assert Client().post(where, form(other)).url == f"/accounts/login/?next={where}"
    assert signed_in("sam").post(where, form(other)).status_code == 404
    assert signed_in("lena").post(address(run, verb, "elsewhere"), form(other)).status_code == 404
    assert signed_in("ada").get(where).status_code == 405
    assert not Pairing.objects.exists()


@pytest.mark.parametrize("verb", ["pair", "unpair"])
def test_a_run_of_another_project_cannot_be_named(run: Run, verb: str):
    step = make_step(0, "planner")
    hidden = make_run(make_project("elsewhere"), make_transcript(step, external_id="hidden"))
    client = signed_in("ada")
    assert client.post(address(run, verb), form(hidden)).status_code == 404
    assert client.post(address(run, verb), {**form(hidden), "with": uuid4()}).status_code == 404


@pytest.mark.parametrize("verb", ["pair", "unpair"])
def test_a_run_that_is_closed_to_the_member_cannot_be_named(run: Run, other: Run, verb: str):
    lena = user("lena")
    quarantine.set_aside(run=other, reason="personal_data", note="", by=lena, at=AT)
    assert signed_in("ada").post(address(run, verb), form(other)).status_code == 403
    assert not Pairing.objects.exists()


@pytest.mark.parametrize(
    "fields",
    [
        {"with": "x"},
        {"left": ""},
        {"left": "-1"},
        {"right": "x"},
        {"right": "99"},
        {"left": "9" * 20},
    ],
)
def test_what_names_no_steps_is_refused(run: Run, other: Run, fields: dict[str, str]):
    assert signed_in("ada").post(address(run), form(other, **fields)).status_code == 400
    assert not Pairing.objects.exists()


@pytest.mark.parametrize("fields", [{"with": ""}, {"left": "x"}])
def test_undoing_names_a_run(run: Run, other: Run, fields: dict[str, str]):
    assert signed_in("ada").post(address(run, "unpair"), form(other, **fields)).status_code == 400


@pytest.mark.parametrize("name", ["vera", "ada", "lena"])
def test_any_member_pairs_and_undoes_for_themselves(run: Run, other: Run, name: str):
    client, page = signed_in(name), f"/p/demo/runs/{run.pk}/?with={other.pk}"
    assert client.post(address(run), form(other)).url == page
    assert pairings.of(user(name), run, other).pairs == ((0, 1),)

    assert client.post(address(run, "unpair"), form(other)).url == page
    assert pairings.of(user(name), run, other).pairs == ()


def test_an_empty_right_step_says_that_there_is_none(run: Run, other: Run):
    signed_in("ada").post(address(run), form(other, right=""))
    assert pairings.of(user("ada"), run, other).pairs == ((0, None),)


def test_without_a_step_all_are_undone(run: Run, other: Run):
    client = signed_in("ada")
    client.post(address(run), form(other))
    client.post(address(run, "unpair"), form(other, left=""))
    assert not Pairing.objects.exists()


@pytest.mark.parametrize(
    ("back", "leads"),
    [
        ("/p/demo/cases/1/?with=x#s-3", True),
        ("https://elsewhere.example/", False),
        ("//elsewhere.example/", False),
        ("/\\elsewhere.example/", False),
        ("runs/", False),
    ],
)
def test_it_leads_back_to_a_page_of_this_site_only(run: Run, other: Run, back: str, leads: bool):
    response = signed_in("ada").post(address(run), form(other, back=back))
    assert response.status_code == 302
    assert (response.url == back) is leads
    assert response.url.startswith("/p/demo/")
