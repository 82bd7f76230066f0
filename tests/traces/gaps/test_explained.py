"""What the record says was withheld, or never was, is no gap: its capture state says why."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.factories import make_step, make_transcript
from tests.traces.formats.native_runs import native_run, native_step, transcript_of
from tests.traces.gaps.pieces import check, found
from traces.transcript import Actor, ActorKind, Outcome, Part, PartKind, StepStatus, Transcript

STATES = ("withheld", "absent")
PAYLOAD = {"sha256": "ab" * 32, "size": 3, "media_type": "image/png"}


def holding(part: Part, **step: Any) -> Transcript:
    return make_transcript(make_step(0, parts=(part,), **step))


@pytest.mark.parametrize("state", STATES)
def test_text_and_parts_that_are_explained_are_no_empty_content(state: str) -> None:
    silent = Part(PartKind.MESSAGE, "")
    assert found(holding(silent), "empty_content") == [0]
    assert found(holding(replace(silent, capture={"text": "not_captured"})), "empty_content") == [0]
    assert found(holding(replace(silent, capture={"text": state})), "empty_content") == []
    without = make_transcript(make_step(0, parts=(), capture={"parts": state}))
    assert found(without, "empty_content") == []
    everywhere = replace(holding(silent), capture={"steps/parts/text": state})
    assert found(everywhere, "empty_content") == []


def test_content_that_was_captured_nowhere_is_one_gap_of_the_run() -> None:
    silent = Part(PartKind.MESSAGE, "")
    run = make_transcript(make_step(0, parts=(silent,)), make_step(1, parts=(silent,)))
    assert found(run, "empty_content") == [0, 1]
    switched_off = replace(run, capture={"steps/parts/text": "not_captured"})
    assert found(switched_off, "empty_content") == [None]


def test_who_sends_bytes_has_said_something() -> None:
    assert found(holding(Part(PartKind.MESSAGE, "", {"payload": PAYLOAD})), "empty_content") == []


@pytest.mark.parametrize("state", STATES)
def test_the_content_of_a_payload_may_be_explained_where_it_would_stand(state: str) -> None:
    own = Part(PartKind.INPUT, "x", {"payload": PAYLOAD | {"capture": {"content": state}}})
    beside = Part(PartKind.INPUT, "x", {"payload": PAYLOAD}, {"payload/content": state})
    assert found(holding(own), "payload_not_sent") == []
    assert found(holding(beside), "payload_not_sent") == []


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("name", ["attempt_reason", "retry/reason"])
def test_the_reason_of_an_attempt_may_be_explained(name: str, state: str) -> None:
    assert found(make_transcript(make_step(0, attempt=2)), "retry_without_reason") == [0]
    explained = make_transcript(make_step(0, attempt=2, capture={name: state}))
    assert found(explained, "retry_without_reason") == []


@pytest.mark.parametrize("state", STATES)
def test_an_instance_may_be_explained(state: str) -> None:
    actor = Actor("planner", "planner", ActorKind.AGENT, capture={"instance": state})
    run = make_transcript(make_step(0), actors=(actor,))
    assert found(run, "actor_without_instance") == []
    everywhere = replace(make_transcript(), capture={"actors/instance": state})
    assert found(everywhere, "actor_without_instance") == []


@pytest.mark.parametrize("state", STATES)
def test_the_initial_state_may_be_explained_in_itself_or_by_the_run(state: str) -> None:
    own = make_transcript(initial_state={"capture": {"digest": state}})
    of_run = make_transcript(capture={"initial_state/reference": state})
    assert found(own, "unknown_initial_state") == found(of_run, "unknown_initial_state") == []
    assert found(make_transcript(), "unknown_initial_state") == [None]


@pytest.mark.parametrize("state", STATES)
def test_checks_and_their_details_may_be_explained(state: str) -> None:
    failed = make_transcript(outcome=Outcome.FAILED, capture={"verification": state})
    assert found(failed, "missing_verification") == []
    bare = check()
    assert found(holding(bare), "check_without_details") == [0]
    kept_back = replace(bare, capture={"observed": state})
    assert found(holding(kept_back), "check_without_details") == []
    assert found(holding(kept_back), "interpretation_for_observation") == []


def test_a_status_that_was_withheld_is_not_told_by_another_way() -> None:
    response = {"type": "tool_response", "call": "c", "status": "error", "text": "No."}
    run = transcript_of(
        native_run(
            native_step(1, response), native_step(2, response, capture={"status": "withheld"})
        )
    )
    assert [step.status for step in run.steps] == [StepStatus.ERROR, StepStatus.NOT_CAPTURED]
