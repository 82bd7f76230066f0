"""Relations of a run over the API."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from tests.clients import signed_in
from tests.factories import make_project, make_run, make_step, make_transcript, make_user
from tests.traces.api.test_runs import bearer
from traces.models import Run
from traces.transcript import Outcome

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def address(run_id: object) -> str:
    return f"/api/v1/runs/{run_id}/relations/"


@pytest.fixture
def retry() -> Run:
    """A successful second attempt at a run that failed."""
    project = make_project()
    make_run(project, make_transcript(make_step(0), external_id="first"))
    again = make_transcript(
        make_step(0),
        external_id="second",
        outcome=Outcome.SUCCEEDED,
        parent_run="first",
        parent_relation="retry",
        attempt=2,
        attempt_reason="rate limit",
    )
    return make_run(project, again)


def test_who_may_not_read_the_run_gets_nothing(client: Client, retry: Run) -> None:
    assert client.get(address(retry.pk)).status_code == 401
    make_user("sam")
    assert signed_in("sam").get(address(retry.pk), {"project": "demo"}).status_code in (403, 404)
    ingest_only = bearer(retry.project, "ingest")
    assert client.get(address(retry.pk), headers=ingest_only).status_code == 403
    read = bearer(retry.project, "read")
    assert client.get(address(uuid4()), headers=read).status_code == 404
    other = bearer(make_project("other"), "read")
    assert client.get(address(retry.pk), headers=other).status_code == 404


def test_both_ways(client: Client, retry: Run) -> None:
    headers = bearer(retry.project, "read")
    answer = client.get(address(retry.pk), headers=headers).json()
    assert (answer["parent_name"], answer["relation"], answer["cut"]) == ("first", "retry", False)
    (parent,) = answer["parents"]
    assert (parent["external_id"], parent["outcome"]) == ("first", "failed")
    (child,) = client.get(address(parent["id"]), headers=headers).json()["children"]
    assert (child["id"], child["attempt"]) == (str(retry.pk), 2)
    assert (child["reason"], child["outcome"]) == ("rate limit", "succeeded")


@pytest.mark.parametrize("count", [1, 3])
def test_it_takes_as_many_queries_for_three_children_as_for_one(
    client: Client, count: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    project = make_project()
    parent = make_run(project, make_transcript(make_step(0), external_id="parent"))
    for number in range(count):
        child = make_transcript(make_step(0), external_id=f"c-{number}", parent_run="parent")
        make_run(project, child)
    headers = bearer(project, "read")
    with django_assert_num_queries(3):
        answer = client.get(address(parent.pk), headers=headers)
    assert len(answer.json()["children"]) == count
