from __future__ import annotations

from uuid import uuid4

import pytest
from pytest_django import DjangoAssertNumQueries

from tests.factories import AT, make_project, make_run, make_step, make_transcript
from traces import content
from traces.models import Run
from traces.reading import transcript_of
from traces.transcript import Part, PartKind, StepKind, StepStatus

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def run(db: None) -> Run:
    parts = (
        Part(PartKind.TOOL_REQUEST, "ls", {"tool": "sh"}, {"text": "withheld"}),
        Part(PartKind.TOOL_RESPONSE, "a\nb", {"status": "ok"}),
    )
    called = make_step(
        1,
        "coder",
        parts=parts,
        kind=StepKind.TOOL,
        tool="sh",
        status=StepStatus.OK,
        started_at=AT,
        attempt=2,
        attempt_reason="again",
        capture={"ended_at": "absent"},
        pointer="/steps/1",
    )
    silent = make_step(3, parts=())
    return make_run(make_project(), make_transcript(make_step(0), called, make_step(2), silent))


def test_nothing_is_asked_for_nothing(
    run: Run, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(0):
        assert content.steps_of({}) == {}
        assert content.steps_of({run.pk: []}) == {}


def test_what_is_not_there_is_left_out(run: Run) -> None:
    assert content.steps_of({run.pk: [4, 10**8], uuid4(): [0]}) == {}
    assert content.steps_of({run.pk: [2**31 - 1, 2**31, 10**30]}) == {}
    assert set(content.steps_of({run.pk: [3, 4]})) == {(run.pk, 3)}


def test_steps_are_those_of_the_transcript(run: Run) -> None:
    steps = transcript_of(run).steps
    assert [part.text for part in steps[1].parts] == ["ls", "a\nb"]
    assert content.steps_of({run.pk: [1, 3]}) == {(run.pk, n): steps[n] for n in (1, 3)}
    assert content.steps_of({run.pk: range(9)}) == {(run.pk, n): steps[n] for n in range(4)}
    assert content.steps_of({run.pk: [1, 1]})[run.pk, 1] == steps[1]


def test_steps_of_two_runs_take_one_query_and_bring_no_others(
    run: Run, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    other = make_run(run.project, make_transcript(external_id="other"))
    make_run(run.project, make_transcript(external_id="third"))
    with django_assert_num_queries(1):
        found = content.steps_of({run.pk: {0, 2}, other.pk: {1}})
    assert set(found) == {(run.pk, 0), (run.pk, 2), (other.pk, 1)}
    assert found[other.pk, 1] == transcript_of(other).steps[1]
    assert found[run.pk, 2].parts[0].text == "Step 2 of planner."
