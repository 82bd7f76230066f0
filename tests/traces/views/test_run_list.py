"""The list of runs: members only, filtered, paged without losing or doubling a run."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from tests.factories import AT, make_project, make_run, make_step, make_transcript, make_user
from traces.transcript import Outcome
from traces.views import runs

pytestmark = [pytest.mark.django_db, pytest.mark.database]

ADDRESS = "/p/demo/runs/"


@pytest.fixture
def vera(client: Client) -> Client:
    make_project()
    client.force_login(make_user("vera"))
    return client


def shown(client: Client, **query: str) -> list[str]:
    return [run.external_id for run in client.get(ADDRESS, query).context["runs"]]


def test_somebody_unknown_is_asked_to_sign_in(client: Client) -> None:
    assert client.get(ADDRESS).status_code == 302


def test_a_stranger_finds_no_project(client: Client) -> None:
    make_project()
    client.force_login(make_user("sam"))
    assert client.get(ADDRESS).status_code == 404


def test_a_post_is_refused(vera: Client) -> None:
    assert vera.post(ADDRESS).status_code == 405


def test_runs_of_other_projects_are_not_shown(vera: Client) -> None:
    make_run(make_project("other"))
    assert shown(vera) == []


def test_without_runs_it_says_what_to_do(vera: Client) -> None:
    assert b"No run is here yet." in vera.get(ADDRESS).content
    assert b"No run matches the filter." in vera.get(ADDRESS, {"outcome": "failed"}).content


def test_the_newest_run_comes_first(vera: Client) -> None:
    project = vera.get(ADDRESS).context["project"]
    for day in (1, 3, 2):
        transcript = make_transcript(external_id=f"day-{day}")
        make_run(project, transcript, at=AT + timedelta(days=day))
    assert shown(vera) == ["day-3", "day-2", "day-1"]


def test_runs_are_filtered_by_outcome_task_format_and_name(vera: Client) -> None:
    project = vera.get(ADDRESS).context["project"]
    make_run(project, make_transcript(external_id="alpha", task_id="T-1"))
    make_run(project, make_transcript(external_id="beta", outcome=Outcome.SUCCEEDED, task_id="T-2"))
    assert shown(vera, outcome="failed") == ["alpha"]
    assert shown(vera, task="T-2") == ["beta"]
    assert shown(vera, q="ALP") == ["alpha"]
    assert shown(vera, format="native") == []
    assert len(shown(vera, outcome="nonsense", format="nonsense")) == 2
    assert shown(vera, q="\x00nul") == []


def test_pages_hold_every_run_once_also_when_they_came_at_once(
    vera: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "ON_PAGE", 3)
    project = vera.get(ADDRESS).context["project"]
    for number in range(7):
        make_run(project, make_transcript(external_id=f"run-{number}"))
    address, seen, lines = ADDRESS, [], []
    while address:
        answer = vera.get(address)
        seen += [run.external_id for run in answer.context["runs"]]
        lines.append([answer.context[name] for name in ("first", "last", "count")])
        older = answer.context["older"]
        last = answer.context["last"]
        address = f"{ADDRESS}?before={last}&past={older.replace('+', '%2B')}" if older else ""
    assert sorted(seen) == [f"run-{number}" for number in range(7)]
    assert lines == [[1, 3, 7], [4, 6, 7], [7, 7, 7]]


@pytest.mark.parametrize(
    "query",
    [
        {"past": "nonsense"},
        {"past": "2026-01-01_x"},
        {"past": "0001-01-01T00:00:00+14:00_9cde8b0c-6f4b-4b7e-9f5c-0a4f0a8f1c11"},
        {"past": "9999-12-31T23:59:59-14:00_9cde8b0c-6f4b-4b7e-9f5c-0a4f0a8f1c11"},
        {"past": "2126-01-01T00:00:00+23:59_9cde8b0c-6f4b-4b7e-9f5c-0a4f0a8f1c11"},
        {"past": "2026-01-01T00:00:00_9cde8b0c-6f4b-4b7e-9f5c-0a4f0a8f1c11"},
        {"before": "-1"},
        {"before": "²"},
        {"before": "9" * 30},
    ],
)
def test_an_address_that_nobody_made_shows_the_beginning(
    vera: Client, query: dict[str, str]
) -> None:
    make_run(vera.get(ADDRESS).context["project"])
    assert shown(vera, **query) == ["run-1"]


def test_counting_stops_where_it_would_cost_more_than_the_page(
    vera: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "COUNTED", 1)
    project = vera.get(ADDRESS).context["project"]
    for number in range(3):
        make_run(project, make_transcript(external_id=f"run-{number}"))
    assert "showing 1–3 of more than 1" in vera.get(ADDRESS).content.decode()


def test_hostile_names_are_shown_as_text(vera: Client) -> None:
    project = vera.get(ADDRESS).context["project"]
    name = "<script>alert(1)</script>\u202e"
    make_run(project, make_transcript(make_step(0), external_id=name))
    page = vera.get(ADDRESS).content.decode()
    assert "<script>alert" not in page
    assert "\u202e" not in page
    assert "&lt;script&gt;" in page


@pytest.mark.parametrize("count", [1, 3])
def test_it_takes_as_many_queries_for_three_runs_as_for_one(
    client: Client, count: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    project = make_project()
    client.force_login(make_user("vera"))
    for number in range(count):
        make_run(project, make_transcript(external_id=f"run-{number}"))
    with django_assert_num_queries(5):
        client.get(ADDRESS)
