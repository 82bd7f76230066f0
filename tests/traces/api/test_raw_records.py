"""Raw records over the API."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from tests.clients import signed_in
from tests.factories import AT, make_project, make_run, make_transcript, make_user
from tests.traces.api.test_runs import bearer
from tests.traces.listed import listed
from traces.models import Quarantine, Run
from traces.transcript import Fate, RawRecord

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def address(run_id: object) -> str:
    return f"/api/v1/runs/{run_id}/raw-records/"


@pytest.fixture
def run() -> Run:
    return make_run(make_project(), listed())


def test_who_may_not_read_the_run_gets_nothing(client: Client, run: Run) -> None:
    make_user("sam")
    assert client.get(address(run.pk)).status_code == 401
    assert signed_in("sam").get(address(run.pk), {"project": "demo"}).status_code == 404
    assert client.get(address(run.pk), headers=bearer(run.project, "ingest")).status_code == 403
    read = bearer(run.project, "read")
    assert client.get(address(uuid4()), headers=read).status_code == 404
    other = bearer(make_project("other"), "read")
    assert client.get(address(run.pk), headers=other).status_code == 404
    Quarantine.objects.create(
        run=run, status="in_force", reason="personal_data", owner=make_user("lena"), decided_at=AT
    )
    assert client.get(address(run.pk), headers=read).status_code == 403


def test_a_fate_that_is_none_is_refused(client: Client, run: Run) -> None:
    headers = bearer(run.project, "read")
    assert client.get(address(run.pk), {"fate": "lost"}, headers=headers).status_code == 400


def test_each_record_says_what_became_of_it(client: Client, run: Run) -> None:
    headers = bearer(run.project, "read")
    answer = client.get(address(run.pk), headers=headers).json()
    assert answer["next"] is None
    assert answer["results"][2] == {
        "position": 2,
        "pointer": "line 6",
        "fate": "folded",
        "label": "sent again",
        "step": 1,
    }
    unmapped = client.get(address(run.pk), {"fate": "unmapped"}, headers=headers).json()
    assert [each["pointer"] for each in unmapped["results"]] == ["line 5", "line 7", "line 8"]
    steps = client.get(f"/api/v1/runs/{run.pk}/steps/", headers=headers).json()["results"]
    assert (steps[1]["pointer"], steps[1]["also_from"]) == ("line 2/message", ["line 3"])
    whole = client.get(f"/api/v1/runs/{run.pk}/", headers=headers).json()
    assert whole["folded"] == {"sent again": 4, "split": 1}
    assert whole["unread"] == {"id": 2, "usage/cost": 9}


@pytest.mark.parametrize("count", [1, 3, 130])
def test_pages_take_the_same_queries(
    client: Client, count: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    records = tuple(RawRecord(f"/{n}", Fate.UNMAPPED) for n in range(count))
    run = make_run(make_project(), make_transcript(records=records))
    headers = bearer(run.project, "read")
    with django_assert_num_queries(3):
        answer = client.get(address(run.pk), headers=headers).json()
    found = answer["results"]
    if answer["next"]:
        found += client.get(answer["next"], headers=headers).json()["results"]
    assert [each["position"] for each in found] == list(range(count))
