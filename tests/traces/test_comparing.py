from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.factories import make_step, make_transcript
from traces.comparing import Compared, compare, more_in, within
from traces.transcript import (
    Actor,
    ActorKind,
    Failure,
    Link,
    LinkKind,
    Opinion,
    Outcome,
    Part,
    PartKind,
    Report,
    Step,
    StepKind,
    StepStatus,
    Transcript,
)

AT = datetime(2026, 11, 4, 9, 0, tzinfo=UTC)
REQUEST = Part(PartKind.TOOL_REQUEST, "ls", {"tool": "sh", "call": "c1"})
RESPONSE = Part(PartKind.TOOL_RESPONSE, "a.py", {"call": "c1"})


def call(*parts: Part, **fields: Any) -> Step:
    return make_step(1, kind=StepKind.TOOL, tool="sh", parts=parts or (REQUEST,), **fields)


def run(*more: Step, **fields: Any) -> Transcript:
    given = {"outcome": Outcome.UNKNOWN, "actors": (PLANNER,)} | fields
    return make_transcript(make_step(0), *more, **given)


def reply(*, kind: StepKind = StepKind.MESSAGE, **fields: Any) -> Step:
    return make_step(1, kind=kind, text="I look.", **fields)


def tool_after() -> Step:
    return make_step(2, kind=StepKind.TOOL, tool="sh", parts=(REQUEST,))


PLANNER = Actor("planner", "planner", ActorKind.AGENT)
MORE = {
    "a step": (run(), run(call())),
    "a step before the others": (
        run(call()),
        make_transcript(
            make_step(0, source_id="early"),
            make_step(1, source_id="s0", text="Step 0 of planner."),
            replace(call(), number=2),
            outcome=Outcome.UNKNOWN,
        ),
    ),
    "an answer": (run(call()), run(call(REQUEST, RESPONSE))),
    "an answer that was not captured": (
        run(call(capture={"tool_response": "not_captured"})),
        run(call(REQUEST, RESPONSE)),
    ),
    "a status": (run(call()), run(call(status=StepStatus.OK))),
    "an end": (run(call(started_at=AT)), run(call(started_at=AT, ended_at=AT))),
    "a reply that asks for a tool by now": (
        run(reply(ended_at=AT)),
        run(reply(kind=StepKind.DECISION, ended_at=AT + timedelta(seconds=1)), tool_after()),
    ),
    "a later end of a reply": (
        run(reply(kind=StepKind.DECISION, ended_at=AT)),
        run(reply(kind=StepKind.DECISION, ended_at=AT + timedelta(seconds=1))),
    ),
    "a text": (run(call(Part(PartKind.TOOL_REQUEST, ""))), run(call())),
    "data": (run(call(Part(PartKind.TOOL_REQUEST, "ls", {"tool": "sh"}))), run(call())),
    "a model": (run(), run(actors=(replace(PLANNER, model="m-1"),))),
    "an outcome": (run(), run(outcome=Outcome.SUCCEEDED)),
    "a later end of the run": (run(ended_at=AT), run(ended_at=AT + timedelta(seconds=1))),
    "an earlier beginning": (run(started_at=AT), run(started_at=AT - timedelta(seconds=1))),
    "a report": (run(), run(reports=(Report("passed", "harness"),))),
    "a link": (run(call()), run(call(), links=(Link(0, 1, LinkKind.CONSUMES),))),
    "a failure": (run(), run(failures=(Failure("f", "It broke."),))),
    "a label": (run(), run(opinions=(Opinion("raters", "0", 0, 0, "planner"),))),
    "whose words they are, which was open": (
        run(make_step(1, kind=StepKind.INPUT, text="Go.", capture={"actor": "not_captured"})),
        run(
            make_step(1, actor="coder", kind=StepKind.INPUT, text="Go."),
            actors=(PLANNER, replace(PLANNER, key="coder")),
        ),
    ),
    "a call that is asked for, and a guess which one was made": (
        run(call(), links=(Link(0, 1, LinkKind.CONSUMES),)),
        run(
            call(REQUEST, RESPONSE),
            links=(Link(0, 1, LinkKind.CONSUMES, "same tool and arguments"),),
        ),
    ),
    "a system": (run(system={"name": "x"}), run(system={"name": "x", "version": "2"})),
}
OTHER = {
    "a text": (run(call()), run(call(replace(REQUEST, text="rm")))),
    "a status": (run(call(status=StepStatus.OK)), run(call(status=StepStatus.ERROR))),
    "an end": (run(call(ended_at=AT)), run(call(ended_at=AT + timedelta(seconds=1)))),
    "a reply that asks for something else": (
        run(reply(kind=StepKind.DECISION), tool_after()),
        run(reply(), tool_after(), make_step(3)),
    ),
    "an actor": (run(call()), run(replace(call(), actor="coder"))),
    "a recorded link that is gone": (
        run(call(), links=(Link(0, 1, LinkKind.CONSUMES),)),
        run(call(REQUEST, RESPONSE), links=(Link(0, 1, LinkKind.FOLLOWS, "same actor"),)),
    ),
    "a kind of actor": (run(), run(actors=(replace(PLANNER, kind=ActorKind.HUMAN),))),
    "an outcome": (run(outcome=Outcome.SUCCEEDED), run(outcome=Outcome.FAILED, failures=())),
    "a version of the schema": (run(schema="inquest-run/1"), run(schema="inquest-run/2")),
    "an attempt": (run(attempt=1), run(attempt=2)),
    "each something the other lacks": (run(call()), run(outcome=Outcome.SUCCEEDED)),
    "why a field is empty": (
        run(call(capture={"ended_at": "absent"})),
        run(call(capture={"ended_at": "withheld"})),
    ),
    "what failed under one key": (
        run(failures=(Failure("f", "It broke."),)),
        run(failures=(Failure("f", "It was late."),)),
    ),
    "a report": (
        run(reports=(Report("passed", "harness"),)),
        run(reports=(Report("failed", "harness"),)),
    ),
    "the order of parts": (run(call(REQUEST, RESPONSE)), run(call(RESPONSE, REQUEST))),
}


@pytest.mark.parametrize(("before", "after"), MORE.values(), ids=MORE)
def test_what_adds_and_takes_nothing_back_is_more(before: Transcript, after: Transcript) -> None:
    assert compare(before, after) is Compared.MORE
    assert compare(after, before) is Compared.LESS


@pytest.mark.parametrize(("before", "after"), OTHER.values(), ids=OTHER)
def test_what_contradicts_is_neither_more_nor_less(before: Transcript, after: Transcript) -> None:
    assert compare(before, after) is Compared.OTHER
    assert compare(after, before) is Compared.OTHER


def test_the_same_is_no_more() -> None:
    assert compare(run(call()), run(call())) is Compared.LESS


def test_inferred_links_may_come_and_go() -> None:
    guessed = run(call(), links=(Link(0, 1, LinkKind.FOLLOWS, "same actor"),))
    assert compare(guessed, run(call(REQUEST, RESPONSE))) is Compared.MORE


def test_numbers_in_our_own_sentences_are_no_contradiction() -> None:
    failed = Failure("ending", "The run ended with an error in step 1.", exposed_by=1)
    later = replace(failed, statement="The run ended with an error in step 2.", exposed_by=2)
    assert compare(run(failures=(failed,)), run(call(), failures=(later,))) is Compared.MORE


def test_steps_that_are_new_or_hold_more_are_counted() -> None:
    before = run(call())
    after = run(call(REQUEST, RESPONSE), make_step(2), make_step(3))
    assert more_in(before, after) == 3
    assert more_in(after, before) == 0


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=8,
)


@given(VALUES)
def test_each_value_is_within_itself_and_nothing_is_within_each(value: Any) -> None:
    assert within(value, value)
    assert within(None, value)


@given(st.lists(st.integers(0, 9), max_size=6), st.data())
def test_what_is_left_out_of_a_list_is_within_it(whole: list[int], data: st.DataObject) -> None:
    kept = [item for item in whole if data.draw(st.booleans())]
    assert within(kept, whole)
    assert within({"a": kept}, {"a": whole, "b": 1})
