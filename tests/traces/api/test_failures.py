"""Failures over the API: refusals first, then that a program can add one and read it back."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from reviews.models import Case
from tests.factories import AT, make_project, make_run, make_transcript, make_user
from tests.traces.api.test_runs import bearer
from traces import quarantine
from traces.models import Failure, Project, Run, TrajectoryProfile
from traces.transcript import Outcome, Suspicion

pytestmark = [pytest.mark.django_db, pytest.mark.database]
GIVEN = {"statement": "It lied.", "expected": "the truth", "observed": "a lie", "exposed_by": 2}


@pytest.fixture
def project() -> Project:
    return make_project()


@pytest.fixture
def run(project: Project) -> Run:
    return make_run(project, make_transcript(outcome=Outcome.SUCCEEDED))


def post(client: Client, run: Run, headers: dict[str, str], query: str = "", **fields: Any) -> Any:
    body = json.dumps(GIVEN | fields)
    address = f"/api/v1/runs/{run.pk}/failures/{query}"
    return client.post(address, body, content_type="application/json", headers=headers)


def test_somebody_unknown_is_refused(client: Client, run: Run) -> None:
    assert post(client, run, {}).status_code == 401
    assert post(client, run, {"Authorization": "Bearer inq_wrong"}).status_code == 401
    assert not run.failures.exists()


def test_a_key_without_the_scope_is_refused(client: Client, project: Project, run: Run) -> None:
    answer = post(client, run, bearer(project, "read", "propose"))
    assert answer.status_code == 403
    assert answer.json() == {"detail": 'This needs an API key with the scope "ingest".'}
    assert not run.failures.exists()


def test_a_key_of_another_project_finds_no_run(client: Client, run: Run) -> None:
    assert post(client, run, bearer(make_project("other"), "ingest")).status_code == 404
    assert not run.failures.exists()


@pytest.mark.parametrize(
    ("username", "status"), [("sam", 404), ("vera", 403), ("ada", 201), ("lena", 201)]
)
def test_people_add_with_their_role(client: Client, run: Run, username: str, status: int) -> None:
    client.force_login(make_user(username))
    assert post(client, run, {}, "?project=demo").status_code == status
    assert [failure.origin for failure in run.failures.all()] == ["person"] * (status == 201)


def test_a_session_needs_the_token_against_forgery(run: Run) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(make_user("ada"))
    assert post(client, run, {}, "?project=demo").status_code == 403


@pytest.mark.parametrize("method", ["GET", "PUT", "PATCH", "DELETE"])
def test_another_method_is_refused(client: Client, project: Project, run: Run, method: str) -> None:
    headers = bearer(project, "ingest", "read")
    answer = client.generic(method, f"/api/v1/runs/{run.pk}/failures/", headers=headers)
    assert answer.status_code == 405


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"statement": " "}, "may not be blank"),
        ({"statement": None}, "may not be null"),
        ({"statement": "a\x00b"}, "Null characters are not allowed"),
        ({"statement": "\ud800"}, "Surrogate characters are not allowed"),
        ({"statement": "x" * 2001}, "no more than 2000 characters"),
        ({"exposed_by": 3}, "There is no step 3: this run has the steps 0 to 2."),
        ({"exposed_by": -1}, "greater than or equal to 0"),
        ({"exposed_by": 10**30}, "There is no step"),
        ({"consequence": "dire"}, "is not a valid choice"),
        ({"check_name": "ci", "b": 1}, r"Unknown: \"b\", \"check_name\". A failure has statement,"),
        ({"x" * 999: 1, "\ud800" * 999: 1}, "Unknown: "),
    ],
)
def test_what_cannot_be_added_is_answered_with_400(
    client: Client, project: Project, run: Run, fields: dict[str, Any], words: str
) -> None:
    answer = post(client, run, bearer(project, "ingest"), **fields)
    assert (answer.status_code, words in answer.content.decode()) == (400, True)
    assert not run.failures.exists()


def test_the_same_again_is_answered_with_409_and_the_first(
    client: Client, project: Project, run: Run
) -> None:
    headers = bearer(project, "ingest")
    first = post(client, run, headers).json()
    again = post(client, run, headers, observed="another lie")
    assert again.status_code == 409
    assert again.json()["first"] == first
    assert run.failures.count() == 1


@pytest.mark.parametrize(("reason", "status"), [("duplicate", 409), ("personal_data", 403)])
def test_a_run_that_is_set_aside_gets_none(
    client: Client, project: Project, run: Run, reason: str, status: int
) -> None:
    quarantine.set_aside(run=run, reason=reason, note="", by=make_user("lena"), at=AT)
    answer = post(client, run, bearer(project, "ingest"))
    assert answer.status_code == status
    assert "set aside" in answer.json()["detail"]
    assert not run.failures.exists()


def test_a_program_adds_a_failure_and_it_gets_a_case(
    client: Client, project: Project, run: Run
) -> None:
    given = {"check": "nightly audit", "consequence": "accountability"}
    answer = post(client, run, bearer(project, "ingest"), **given)
    assert answer.status_code == 201
    failure = Failure.objects.get()
    assert answer.json() == GIVEN | {
        "check": "nightly audit",
        "consequence": "accountability",
        "key": failure.key,
        "origin": "api",
        "added_by": "lena",
        "added_at": failure.added_at.isoformat().replace("+00:00", "Z"),
    }
    assert Case.objects.get().failure == failure
    shown = client.get(f"/api/v1/runs/{run.pk}", headers=bearer(project, "read")).json()
    assert (shown["outcome"], shown["failures"]) == ("succeeded", [answer.json()])


def test_what_the_record_shows_names_nobody(client: Client, project: Project) -> None:
    run = make_run(project)
    (shown,) = client.get(f"/api/v1/runs/{run.pk}", headers=bearer(project, "read")).json()[
        "failures"
    ]
    assert (shown["origin"], shown["added_by"], shown["added_at"]) == ("record", None, None)


def test_suspicions_are_shown_with_those_of_the_shape(client: Client, project: Project) -> None:
    stored = Suspicion("new_kind", "The check did not run.", 2)
    transcript = make_transcript(external_id="odd", outcome=Outcome.SUCCEEDED)
    make_run(project, replace(transcript, suspicions=(stored,)))
    TrajectoryProfile.objects.create(
        project=project, run_count=40, fences={"steps": [31, 88]}, computed_at=AT
    )
    (shown,) = client.get("/api/v1/runs", headers=bearer(project, "read")).json()["results"]
    assert [(found["kind"], found["step"]) for found in shown["suspicions"]] == [
        ("new_kind", 2),
        ("outlier", None),
    ]
    one = client.get(f"/api/v1/runs/{shown['id']}", headers=bearer(project, "read")).json()
    assert one["suspicions"] == shown["suspicions"]


@pytest.mark.parametrize("count", [1, 3])
def test_the_queries_do_not_grow_with_runs_or_failures(
    client: Client, project: Project, count: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    headers = bearer(project, "ingest", "read")
    for number in range(count):
        made = make_run(project, make_transcript(external_id=f"run-{number}"))
        post(client, made, headers)
    for number in range(count):
        post(client, made, headers, statement=f"It lied {number} times.")
    with django_assert_num_queries(2):
        client.get("/api/v1/runs", headers=headers)
    with django_assert_num_queries(5):
        client.get(f"/api/v1/runs/{made.pk}", headers=headers)
