"""The list of runs: members only, filtered, paged without losing or doubling a run."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from tests.factories import AT, make_project, make_run, make_step, make_transcript, make_user
from traces import quarantine
from traces.models import Project, Run, TrajectoryProfile
from traces.transcript import Outcome, Suspicion
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


def test_a_word_is_found_in_ids_and_in_the_tasks_of_the_newest_runs(
    vera: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "TEXTS_SEARCHED", 2)
    project = vera.get(ADDRESS).context["project"]
    for day, (name, task) in enumerate(
        [("a", "Weigh it."), ("ship", "x"), ("c", "The SHIP, 5 %.")]
    ):
        transcript = make_transcript(external_id=name, task_text=task)
        make_run(project, transcript, at=AT + timedelta(days=day))
    make_run(make_project("other"), make_transcript(external_id="d", task_text="ship"))

    assert shown(vera, q="ship") == ["c", "ship"]
    assert shown(vera, q="5 %.") == ["c"]
    assert shown(vera, q="weigh") == []
    assert b"none of the newest 2 in its task" in vera.get(ADDRESS, {"q": "weigh"}).content
    monkeypatch.setattr(runs, "TEXTS_SEARCHED", 3)
    assert shown(vera, q="weigh") == ["a"]
    monkeypatch.setattr(runs, "TEXTS_SEARCHED", 4)
    assert shown(vera, q="weigh") == ["a"]


def test_a_search_takes_no_more_queries(
    vera: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    make_run(vera.get(ADDRESS).context["project"])
    with django_assert_num_queries(6):
        vera.get(ADDRESS, {"q": "run"})


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
    with django_assert_num_queries(6):
        client.get(ADDRESS)


def make_suspected(project: Project, name: str, **fields: Any) -> Run:
    stored = Suspicion("new_kind", "The check <i>did</i> not run.", 1)
    given = {"outcome": Outcome.SUCCEEDED} | fields
    transcript = make_transcript(external_id=name, **given)
    return make_run(project, replace(transcript, suspicions=(stored,)))


def test_a_suspicious_run_is_marked_with_the_reason(vera: Client) -> None:
    project = vera.get(ADDRESS).context["project"]
    run = make_suspected(project, "odd")
    TrajectoryProfile.objects.create(
        project=project, run_count=40, fences={"steps": [31, 88]}, computed_at=AT
    )
    page = vera.get(ADDRESS).content.decode()
    assert f'href="/p/demo/runs/{run.pk}/#worth-a-look"><span class="warn">worth a look<' in page
    more = f'<a href="/p/demo/runs/{run.pk}/#worth-a-look">and 1 more</a>'
    assert f"The check &lt;i&gt;did&lt;/i&gt; not run. {more}" in page


def test_the_filter_shows_what_is_stored_and_what_is_unusual(vera: Client) -> None:
    project = vera.get(ADDRESS).context["project"]
    make_run(project, make_transcript(external_id="plain", outcome=Outcome.SUCCEEDED))
    steps = (make_step(n) for n in range(9))
    make_run(project, make_transcript(*steps, external_id="long", outcome=Outcome.UNKNOWN))
    make_suspected(project, "odd")
    make_suspected(project, "failed", outcome=Outcome.FAILED)
    aside = make_suspected(project, "aside")
    quarantine.set_aside(run=aside, reason="duplicate", note="", by=make_user("lena"), at=AT)
    assert shown(vera, suspicious="yes") == ["odd"]
    TrajectoryProfile.objects.create(
        project=project, run_count=40, fences={"steps": [1, 8]}, computed_at=AT
    )
    assert sorted(shown(vera, suspicious="yes")) == ["long", "odd"]
    assert shown(vera, suspicious="yes", outcome="unknown") == ["long"]
    assert len(shown(vera, suspicious="nonsense")) == 5
    page = vera.get(ADDRESS, {"suspicious": "yes"}).content.decode()
    assert "showing 1–2, looked through to the oldest" in page
    assert page.count(">worth a look<") == 2


def test_the_filter_goes_stretch_by_stretch_and_leaves_nothing_out(
    vera: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "SEARCHED", 4)
    monkeypatch.setattr(runs, "ON_PAGE", 2)
    project = vera.get(ADDRESS).context["project"]
    for number in range(25):
        if number % 8 < 3:
            make_suspected(project, f"odd-{number}")
        else:
            make_run(
                project, make_transcript(external_id=f"run-{number}", outcome=Outcome.SUCCEEDED)
            )
    seen, older, pages, last = [], "start", 0, 0
    while older:
        query = {} if older == "start" else {"past": older, "before": str(last)}
        answer = vera.get(ADDRESS, {"suspicious": "yes"} | query)
        seen += [run.external_id for run in answer.context["runs"]]
        older, last, pages = answer.context["older"], answer.context["last"], pages + 1
    odd = [number for number in range(25) if number % 8 < 3]
    assert sorted(seen) == sorted(f"odd-{number}" for number in odd)
    assert (last, 25 // 4 <= pages <= 25) == (len(odd), True)


def test_a_stretch_without_any_says_so_and_leads_on(
    vera: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "SEARCHED", 2)
    project = vera.get(ADDRESS).context["project"]
    for number in range(3):
        make_run(project, make_transcript(external_id=f"run-{number}"))
    answer = vera.get(ADDRESS, {"suspicious": "yes"})
    page = answer.content.decode()
    assert "none in this stretch, looked back to 2026-11-20 09:00:00 UTC" in page
    assert ">Older</a>" in page
    rest = {"suspicious": "yes", "past": answer.context["older"]}
    assert "No run matches the filter." in vera.get(ADDRESS, rest).content.decode()


@pytest.mark.parametrize("count", [1, 3])
def test_the_filter_takes_as_many_queries_for_three_runs_as_for_one(
    client: Client, count: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    project = make_project()
    client.force_login(make_user("vera"))
    for number in range(count):
        make_suspected(project, f"odd-{number}")
    with django_assert_num_queries(6):
        client.get(ADDRESS, {"suspicious": "yes"})
