from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from tests.clients import signed_in
from tests.factories import AT, make_project, make_run, make_transcript, make_user
from tests.traces.storms import make_storm
from traces import keys, quarantine
from traces.models import Project, Quarantine, Run

pytestmark = [pytest.mark.django_db, pytest.mark.database]
LEDGER = "/api/v1/quarantine"


@pytest.fixture
def project() -> Project:
    return make_project()


def put_aside(run: Run, reason: str = "duplicate") -> Quarantine:
    lena = make_user("lena")
    return quarantine.set_aside(run=run, reason=reason, note="Sent twice.", by=lena, at=AT)


def with_key(project: Project, *scopes: str) -> Client:
    _, text = keys.create(project=project, name="k", scopes=scopes, by=make_user("lena"), at=AT)
    return Client(headers={"authorization": f"Bearer {text}"})


def test_strangers_and_keys_without_the_scope_are_refused(project: Project) -> None:
    assert Client().get(LEDGER).status_code == 401
    assert signed_in("sam").get(LEDGER, {"project": "demo"}).status_code == 404
    assert with_key(project, "ingest", "propose").get(LEDGER).status_code == 403
    other = with_key(make_project("other"), "read")
    assert other.get(LEDGER, {"project": "demo"}).status_code == 404
    put_aside(make_run(project))
    assert other.get(LEDGER).json()["results"] == []


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
def test_nothing_is_decided_here(project: Project, method: str) -> None:
    answer = getattr(with_key(project, "read", "ingest", "propose"), method)(LEDGER)
    assert answer.status_code == 405


def test_a_filter_value_that_no_entry_can_have_is_refused(project: Project) -> None:
    answer = with_key(project, "read").get(LEDGER, {"status": "gone"})
    assert answer.status_code == 400
    assert answer.json() == {"status": "One of proposed, in_force, lifted, dismissed."}


def test_the_ledger_tells_every_entry_newest_first(project: Project) -> None:
    run, storm = make_run(project), make_storm(project)
    row, later = put_aside(run), AT + timedelta(hours=1)
    quarantine.lift(quarantine=row, why="It is none.", by=make_user("lena"), at=later)
    key = with_key(project, "read")
    lifted, proposed = key.get(LEDGER).json()["results"]
    assert lifted == {
        "id": row.pk,
        "run": str(run.pk),
        "external_id": "run-1",
        "status": "lifted",
        "reason": "duplicate",
        "note": "Sent twice.",
        "proposed_at": None,
        "owner": "lena",
        "decided_at": "2026-11-20T09:00:00Z",
        "replacement": None,
        "lifted_by": "lena",
        "lifted_at": "2026-11-20T10:00:00Z",
        "lift_reason": "It is none.",
    }
    assert (proposed["run"], proposed["status"], proposed["owner"]) == (
        str(storm.pk),
        "proposed",
        None,
    )
    found = key.get(LEDGER, {"status": "proposed", "reason": "rate_limit"}).json()["results"]
    assert found == [proposed]


def test_runs_say_whether_they_are_set_aside(project: Project) -> None:
    run = make_run(project)
    make_run(project, make_transcript(external_id="run-2"))
    put_aside(run)
    key = with_key(project, "read")
    told = {
        row["external_id"]: row["set_aside"] for row in key.get("/api/v1/runs").json()["results"]
    }
    assert told == {"run-1": True, "run-2": False}
    assert key.get(f"/api/v1/runs/{run.pk}").json()["set_aside"] is True


def test_personal_data_is_not_told_to_keys_or_to_others_than_leads(project: Project) -> None:
    run = make_run(project)
    put_aside(run, "personal_data")
    for client in (with_key(project, "read"), signed_in("ada"), signed_in("vera")):
        for path in (f"/api/v1/runs/{run.pk}", f"/api/v1/runs/{run.pk}/steps"):
            answer = client.get(path, {"project": "demo"})
            assert answer.status_code == 403
            assert "personal data" in answer.json()["detail"]
    lena = signed_in("lena")
    assert lena.get(f"/api/v1/runs/{run.pk}", {"project": "demo"}).status_code == 200
    assert lena.get(f"/api/v1/runs/{run.pk}/steps", {"project": "demo"}).status_code == 200


@pytest.mark.parametrize("number", [1, 3])
def test_queries(
    project: Project, number: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for n in range(number):
        put_aside(make_run(project, make_transcript(external_id=f"run-{n}")))
    key = with_key(project, "read")
    with django_assert_num_queries(2):
        assert len(key.get(LEDGER).json()["results"]) == number
