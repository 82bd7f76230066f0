"""What was written is read back the same, in few queries."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from pytest_django import DjangoAssertNumQueries

from tests.factories import AT, make_project, make_run, make_step, make_transcript
from traces import reading
from traces.transcript import (
    Actor,
    ActorKind,
    Gap,
    Link,
    LinkKind,
    Opinion,
    Part,
    PartKind,
    Report,
    StepKind,
    StepStatus,
    Transcript,
)

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def rich_transcript() -> Transcript:
    request = Part(PartKind.TOOL_REQUEST, "{}", {"call": "c1"}, {"environment": "not_captured"})
    first = make_step(0, parts=(request,), kind=StepKind.TOOL, tool="search", attempt=1)
    second = make_step(1, "coder", "naïve \u202e港湾 <b>", status=StepStatus.ERROR, attempt=2)
    second = replace(
        second,
        attempt_reason="timeout",
        started_at=AT,
        ended_at=AT + timedelta(microseconds=1),
        pointer="/steps/1",
        capture={"tool": "absent"},
    )
    return make_transcript(
        first,
        second,
        make_step(2, parts=()),
        actors=(
            Actor("planner", "planner", ActorKind.AGENT, "planner/1", "m-1", "sha256:1", ("read",)),
            Actor("coder", "coder", ActorKind.AGENT, parent="planner", capture={"model": "absent"}),
        ),
        links=(Link(0, 1, LinkKind.CONSUMES), Link(1, 2, LinkKind.FOLLOWS, "same actor")),
        gaps=(Gap("no_times", "None."), Gap("empty_content", "Nothing.", 2)),
        opinions=(Opinion("somebody", "1", 0, 1, "coder", "because", {"level": 3}),),
        reports=(Report("passed", "agent", 1, AT, "all of it"), Report("failed", "harness")),
        system={"name": "harbour"},
        initial_state={"digest": "sha256:2"},
        started_at=AT,
        withheld={"ground_truth": "42"},
        capture={"ended_at": "not_captured"},
    )


def test_neither_opinions_nor_what_is_withheld_are_read() -> None:
    read = reading.transcript_of(make_run(make_project(), rich_transcript()))
    assert read.opinions == ()
    assert read.withheld == {}


def test_everything_else_comes_back_the_same() -> None:
    given = rich_transcript()
    read = reading.transcript_of(make_run(make_project(), given))
    assert read == replace(given, opinions=(), withheld={})


def test_opinions_come_back_when_asked_for() -> None:
    given = rich_transcript()
    assert reading.opinions_of(make_run(make_project(), given)) == given.opinions


@pytest.mark.parametrize(
    ("withheld", "answer"),
    [
        ({}, ""),
        ({"ground_truth": None}, ""),
        ({"ground_truth": "42"}, "42"),
        ({"ground_truth": 42}, "42"),
        ({"ground_truth": ["港湾", 1]}, '["港湾", 1]'),
        ({"score": 1}, ""),
    ],
)
def test_the_expected_answer_is_what_was_withheld(withheld: dict[str, object], answer: str) -> None:
    run = make_run(make_project(), make_transcript(withheld=withheld))
    assert reading.expected_answer_of(run) == answer


@pytest.mark.parametrize("count", [1, 300])
def test_a_transcript_takes_four_queries(
    count: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    run = make_run(make_project(), make_transcript(*(make_step(n) for n in range(count))))
    with django_assert_num_queries(4):
        reading.transcript_of(run)


def test_several_transcripts_take_four_queries_and_stay_apart(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    project = make_project()
    given = [
        replace(rich_transcript(), external_id=name, opinions=(), withheld={}, steps=steps)
        for name, steps in (("b", rich_transcript().steps), ("a", rich_transcript().steps[:2]))
    ]
    given[1] = replace(given[1], links=given[1].links[:1], gaps=(Gap("no_times", "Other."),))
    runs = [make_run(project, transcript) for transcript in given]
    with django_assert_num_queries(4):
        assert reading.transcripts_of(runs) == given
    assert reading.transcripts_of(runs[::-1]) == given[::-1]
    assert reading.transcripts_of([]) == []
