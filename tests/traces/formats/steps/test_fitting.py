"""Whatever a format hands over fits the tables afterwards, and every change is a gap."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from tests.factories import AT, make_step, make_transcript
from traces.formats.steps.fitting import fitted, short
from traces.transcript import Actor, ActorKind, Failure, Link, LinkKind, Opinion, Report

LONG = "x" * 500


def test_a_long_name_is_shortened_the_same_way_everywhere() -> None:
    step = make_step(0, LONG, source_id=LONG, tool=LONG)
    run = fitted(make_transcript(step, external_id=LONG))
    assert run.steps[0].actor == run.actors[0].key == short(LONG)
    assert (
        len(run.external_id) == len(run.steps[0].source_id) == len(run.steps[0].tool or "") == 200
    )
    assert [gap.kind for gap in run.gaps] == ["shortened_names"]


def test_long_names_that_differ_at_their_end_stay_apart() -> None:
    assert short(LONG + "a") != short(LONG + "b")
    assert short("é" * 300, 200) != "é" * 200


def test_every_name_with_a_limit_is_fitted() -> None:
    actor = Actor("a", "a", ActorKind.AGENT, LONG, LONG, LONG, (LONG, "read"), LONG, LONG)
    run = fitted(
        make_transcript(
            make_step(0, "a", attempt_by=LONG),
            actors=(actor,),
            source=LONG,
            task_id=LONG,
            schema=LONG,
            parent_run=LONG,
            failures=(Failure(LONG, "It broke.", check=LONG),),
            opinions=(Opinion(LONG, LONG, 0, None, LONG),),
        )
    )
    (fit,) = run.actors
    assert {len(fit.instance or ""), len(fit.model or ""), len(fit.parent or "")} == {200}
    assert fit.replaces == run.steps[0].attempt_by == short(LONG)
    assert [len(item) for item in fit.authority] == [200, 4]
    assert (len(run.source), len(run.task_id), len(run.schema)) == (120, 200, 40)
    assert (len(run.failures[0].key), len(run.failures[0].check)) == (200, 200)
    assert (len(run.opinions[0].source), len(run.opinions[0].native_step)) == (120, 40)


@pytest.mark.parametrize(
    "moment",
    [
        datetime(2026, 1, 1),  # noqa: DTZ001 - a time without zone is the point
        datetime(1, 1, 1, tzinfo=UTC),
        datetime(9999, 1, 1, tzinfo=UTC),
    ],
)
def test_a_time_that_no_calendar_holds_is_left_out(moment: datetime) -> None:
    step = make_step(0, started_at=moment, ended_at=AT, recorded_at=moment)
    run = fitted(make_transcript(step, ended_at=moment, closed_at=moment))
    assert (run.steps[0].started_at, run.steps[0].ended_at, run.ended_at) == (None, AT, None)
    assert (run.steps[0].recorded_at, run.closed_at) == (None, None)
    assert [gap.kind for gap in run.gaps] == ["implausible_values"]


@pytest.mark.parametrize(
    "moment", ["9999-12-31T23:59:59-23:59", "0001-01-01T00:00:00+23:59", "2026-01-01T00:00:00"]
)
def test_a_report_keeps_no_time_that_no_calendar_holds(moment: str) -> None:
    given = Report("success", "agent", at=datetime.fromisoformat(moment))
    run = fitted(make_transcript(reports=(given, replace(given, at=AT))))
    assert [report.at for report in run.reports] == [None, AT]
    assert [gap.kind for gap in run.gaps] == ["implausible_values"]


@pytest.mark.parametrize("attempt", [-1, 2**31])
def test_an_attempt_that_cannot_be_is_left_out(attempt: int) -> None:
    run = fitted(make_transcript(make_step(0, attempt=attempt), attempt=attempt))
    assert (run.attempt, run.steps[0].attempt) == (None, None)


def test_failures_of_one_id_are_told_apart_and_equal_ones_kept_once() -> None:
    first, second = Failure("f1", "It broke."), Failure("f1", "It also leaked.")
    third = Failure("f1 (2)", "This id was given, too.")
    run = fitted(make_transcript(failures=(first, second, first, third)))
    assert run.failures == (first, replace(second, key="f1 (3)"), third)
    assert [gap.kind for gap in run.gaps] == ["duplicate_failure"]


def test_long_ids_of_failures_stay_within_their_limit() -> None:
    given = (Failure(LONG, "It broke."), Failure(LONG, "It leaked."))
    keys = [failure.key for failure in fitted(make_transcript(failures=given)).failures]
    assert keys[0] != keys[1]
    assert max(map(len, keys)) == 200


def test_links_are_kept_once_recorded_first_and_never_backwards() -> None:
    links = (
        Link(1, 2, LinkKind.FOLLOWS, "a guess"),
        Link(0, 1, LinkKind.CONSUMES, "a guess"),
        Link(0, 1, LinkKind.CONSUMES),
        Link(2, 1, LinkKind.CONSUMES),
        Link(1, 1, LinkKind.PARENT),
        Link(0, 7, LinkKind.PARENT),
    )
    run = fitted(make_transcript(links=links))
    assert run.links == (Link(0, 1, LinkKind.CONSUMES), Link(1, 2, LinkKind.FOLLOWS, "a guess"))
    (gap,) = run.gaps
    assert gap.kind == "cycle"
    assert "consumes from 2 to 1" in gap.detail


def test_what_fits_is_not_touched() -> None:
    run = make_transcript(links=(Link(0, 1, LinkKind.CONSUMES),))
    assert fitted(run) == replace(run)
