"""How a project's runs usually go: from which runs, when anew, and the same in SQL as in words."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from tests.factories import AT, make_project, make_run, make_step, make_transcript, make_user
from traces import flags, profiles, suspicions, tasks, trajectory
from traces.models import Project, Quarantine, Run, TrajectoryProfile
from traces.trajectory import Shape
from traces.transcript import Outcome, Suspicion

pytestmark = [pytest.mark.django_db, pytest.mark.database]
LATER = AT + timedelta(hours=1)


def make_runs(project: Project, count: int, *, at: datetime = AT, **columns: Any) -> list[Run]:
    """Runs as rows alone: their shape is all that matters here."""
    first = Run.objects.filter(project=project).first() or make_run(
        project, make_transcript(make_step(0), external_id="first", outcome=Outcome.UNKNOWN), at=at
    )
    known = Run.objects.filter(project=project).count()
    rows = [
        Run(
            project=project, document=first.document, external_id=f"n{n}", pointer=f"/{n}",
            sha256=f"{n}", outcome="unknown", received_at=at, step_count=50, actor_count=1,
            gap_count=0, tool_call_count=10, started_at=at, ended_at=at + timedelta(minutes=1),
        )
        for n in range(known, known + count)
    ]  # fmt: skip
    for row in rows:
        for name, value in columns.items():
            setattr(row, name, value)
    return Run.objects.bulk_create(rows)


def test_a_project_without_runs_has_no_profile() -> None:
    make_project()
    assert profiles.refresh(at=AT) == []
    assert not TrajectoryProfile.objects.exists()


def test_before_there_is_a_profile_nothing_lies_outside() -> None:
    project = make_project()
    run, *_ = make_runs(project, 1, step_count=10**6)
    profile = profiles.profile_of(project)
    assert (profile.run_count, flags.flags_of(run, profile)) == (0, [])
    assert not profiles.suspicious(Run.objects.all(), profile).exists()


def test_fewer_than_twenty_runs_say_nothing() -> None:
    project = make_project()
    make_runs(project, 18)
    assert profiles.compute(project=project, at=AT).fences == {}
    make_runs(project, 1)
    profile = profiles.compute(project=project, at=AT)
    assert (profile.run_count, profile.fences["retries"]) == (20, [0, 1])
    assert profile.fences["duration"] is None
    assert TrajectoryProfile.objects.count() == 1


def test_runs_that_are_set_aside_and_those_of_others_do_not_count() -> None:
    project = make_project()
    make_runs(make_project("other"), 40, step_count=1)
    aside, *_ = make_runs(project, 25)
    Quarantine.objects.create(
        run=aside, status="in_force", reason="time_out", owner=make_user("lena"), decided_at=AT
    )
    assert profiles.compute(project=project, at=AT).run_count == 25


def test_only_the_newest_runs_say_what_is_usual(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profiles, "NEWEST", 30)
    project = make_project()
    make_runs(project, 40, step_count=5)
    make_runs(project, 30, step_count=500, at=LATER)
    profile = profiles.compute(project=project, at=LATER)
    assert profile.run_count == 30
    assert profile.fences["steps"][0] > 5


def test_the_sweep_computes_anew_what_got_runs_since() -> None:
    project, other = make_project(), make_project("other")
    make_runs(project, 25)
    make_runs(other, 25)
    assert profiles.refresh(at=AT) == [project, other]
    # A run may be dated a little before it can be seen: for some minutes nobody is sure.
    assert profiles.refresh(at=AT + profiles.LATE) == [project, other]
    assert profiles.refresh(at=LATER) == []
    make_runs(other, 1, at=LATER)
    (again,) = profiles.refresh(at=LATER)
    assert (again, profiles.profile_of(again).run_count) == (other, 27)


def test_the_periodic_task_does_it() -> None:
    project = make_project()
    make_runs(project, 25)
    tasks.sweep()
    assert profiles.profile_of(project).run_count == 26


@pytest.mark.parametrize("stale", [0, 1, 3])
def test_projects_without_new_runs_cost_one_query_together(
    stale: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for n in range(4):
        make_runs(make_project(f"p{n}"), 2)
    profiles.refresh(at=LATER)
    TrajectoryProfile.objects.filter(project__slug__in=[f"p{n}" for n in range(stale)]).update(
        computed_at=AT
    )
    # The runs; then looking for the profile, and changing it between two savepoints.
    with django_assert_num_queries(1 + stale * 5):
        assert len(profiles.refresh(at=LATER)) == stale


@pytest.mark.parametrize(
    ("started", "ended", "duration"),
    [
        (None, LATER, None),
        (AT, None, None),
        (LATER, AT, None),
        (AT, AT, 0.0),
        (AT, LATER, 3600.0),
    ],
)
def test_a_duration_needs_both_times_in_their_order(
    started: datetime | None, ended: datetime | None, duration: float | None
) -> None:
    run = Run(started_at=started, ended_at=ended, step_count=1)
    assert profiles.shape_of(run) == Shape(duration, 1, 0, 0)


def test_the_database_finds_those_that_the_words_are_about() -> None:
    project = make_project()
    make_runs(project, 60)
    odd: dict[str, dict[str, Any]] = {
        "long": {"ended_at": AT + timedelta(hours=2)},
        "short": {"ended_at": AT + timedelta(seconds=2)},
        "backwards": {"ended_at": AT - timedelta(hours=2)},
        "untimed": {"started_at": None, "ended_at": None},
        "large": {"step_count": 2_000},
        "small": {"step_count": 1},
        "busy": {"tool_call_count": 90},
        "idle": {"tool_call_count": 0},
        "restless": {"retry_count": 7},
        "stored": {"suspicions": [{"kind": "skipped", "detail": "Not run.", "step": 3}]},
        "failed": {"retry_count": 7, "outcome": "failed"},
        "succeeded": {"retry_count": 7, "outcome": "succeeded"},
    }
    for name, columns in odd.items():
        make_runs(project, 1, external_id=name, **columns)
    profile = profiles.compute(project=project, at=AT)
    low, high = profile.fences["duration"]
    for name, bound in (("low", low), ("high", high)):
        for step in (-1, 0, 1):
            ended = AT + timedelta(seconds=bound, microseconds=step)
            make_runs(project, 1, external_id=f"{name}{step}", ended_at=ended)
    in_words = {r.external_id for r in Run.objects.all() if flags.flags_of(r, profile)}
    in_sql = profiles.suspicious(Run.objects.all(), profile)
    assert {run.external_id for run in in_sql} == in_words
    assert in_words == {
        "long", "short", "large", "small", "busy", "idle", "restless", "stored", "succeeded",
        "low-1", "high1", "first",
    }  # fmt: skip


def test_a_flag_says_what_where_and_what_it_means() -> None:
    stored = Suspicion("new_kind", "The check did not run.", 2)
    transcript = replace(make_transcript(outcome=Outcome.SUCCEEDED), suspicions=(stored,))
    run = make_run(make_project(), transcript)
    profile = TrajectoryProfile(run_count=40, fences={"steps": [31, 88]})
    first, second = flags.flags_of(run, profile)
    assert first == flags.Flag("new_kind", "New kind", "", "The check did not run.", 2)
    assert (second.kind, second.title, second.step) == (
        "outlier",
        "Unusual for this project",
        None,
    )
    assert second.detail == "3 steps; runs of this project have 31 to 88 (fences over 40 runs)"


def test_a_kind_that_ingest_knows_has_its_title_and_meaning() -> None:
    for name, kind in suspicions.KINDS.items():
        flag = flags.flag_of(Suspicion(name, "It was so."))
        assert (flag.title, flag.meaning) == (kind.title, kind.meaning)
    assert trajectory.KIND not in suspicions.KINDS


def test_a_run_that_is_recorded_as_failed_has_no_flags() -> None:
    stored = Suspicion("new_kind", "The check did not run.", 2)
    run = make_run(make_project(), replace(make_transcript(), suspicions=(stored,)))
    assert flags.flags_of(run, TrajectoryProfile(run_count=40, fences={"steps": [31, 88]})) == []
