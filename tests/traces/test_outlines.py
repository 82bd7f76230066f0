from __future__ import annotations

import pytest

from tests.factories import AT, make_project, make_run, make_step, make_transcript
from tests.traces.outline.test_columns import same
from traces import outlines
from traces.models import RunOutline
from traces.outline import outline_of
from traces.transcript import Link, LinkKind, Part, PartKind, StepStatus, Transcript

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def some_run() -> Transcript:
    checked = Part(PartKind.VERIFICATION, "no", {"verdict": "failed"})
    steps = (
        make_step(0, started_at=AT),
        make_step(1, "coder", tool="edit", status=StepStatus.ERROR, attempt=2),
        make_step(2, "verifier", parts=(checked,)),
    )
    links = (Link(0, 1, LinkKind.HANDOFF), Link(1, 2, LinkKind.CONSUMES, "order"))
    return make_transcript(*steps, links=links)


def test_rows_and_transcript_make_the_same_outline() -> None:
    run = make_run(make_project(), some_run())
    assert same(outlines.from_rows(run), outline_of(some_run()))


def test_a_run_is_written_with_its_outline(django_assert_num_queries: object) -> None:
    run = make_run(make_project(), some_run())
    with django_assert_num_queries(1):  # type: ignore[operator]
        found = outlines.outline_of_run(run)
    assert same(found, outline_of(some_run()))


def test_two_runs_take_one_query_in_their_order(django_assert_num_queries: object) -> None:
    project = make_project()
    one = make_run(project, some_run())
    other = make_run(project, make_transcript(external_id="other"))
    with django_assert_num_queries(1):  # type: ignore[operator]
        found = outlines.outlines_of([other, one])
    assert [len(each.tools) for each in found] == [0, 1]


def test_an_older_run_gets_its_outline_once() -> None:
    run = make_run(make_project(), some_run())
    RunOutline.objects.all().delete()
    assert same(outlines.outline_of_run(run), outline_of(some_run()))
    assert outlines.complete() == 1
    assert outlines.complete() == 0
    assert RunOutline.objects.get().run_id == run.pk
