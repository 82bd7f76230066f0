"""Runs with a planted fault: the fault and the expected answer reach no step."""

from __future__ import annotations

from typing import Any

import pytest

from tests.real import contents_of
from tests.traces.formats.frameworks import gap_kinds, outline, read, taken, texts
from traces.formats import intake
from traces.formats.base import Unreadable
from traces.transcript import Outcome, StepStatus


def span(id_: str, start: int, **attributes: Any) -> dict[str, Any]:
    return {
        "name": id_,
        "trace_id": "tr",
        "span_id": id_,
        "parent_span_id": None if id_ == "root" else "root",
        "start_time_unix_ns": start,
        "end_time_unix_ns": start + 1,
        "status": {"status_code": "OK"},
        "attributes": attributes,
        "events": [],
    }


def run(**more: Any) -> dict[str, Any]:
    planted = {"name": "fault.injected", "timestamp_unix_ns": 21, "attributes": {"node": "zebra"}}
    clerk = {"gen_ai.agent.name": "Clerk", "agent.output_message": "Looking."}
    found = {"gen_ai.agent.name": "find", "tool.name": "find", "tool.args_json": '{"id": 7}'}
    found |= {"tool.result_json": '{"ok": false}', "error.message": "gone", "error.type": "Gone"}
    failed = span("s2", 20, **found)
    failed |= {"events": [planted], "status": {"status_code": "ERROR", "description": "gone"}}
    return {
        "schema": "otel-json-local-v0",
        "run_id": "q-1",
        "task_id": "q-1",
        "task": "Find A-7.",
        "task_metadata": {"expected_answer": "zebra"},
        "status": "SUCCESS",
        "spans": [
            failed,
            span("s1", 10, **clerk, **{"task.expected_result": "zebra"}),
            span("root", 1),
        ],
    } | more


def test_a_run_without_spans_is_refused() -> None:
    with pytest.raises(Unreadable, match="no spans"):
        taken(run(spans=[]))


def test_what_is_no_span_leaves_a_gap() -> None:
    assert "undecodable_step" in gap_kinds(read(run(spans=[*run()["spans"], 3])))


def test_spans_are_steps_in_causal_order() -> None:
    transcript = read(run())

    assert outline(transcript) == [
        ("message", "Clerk", "Looking."),
        ("tool", "find", '{"id": 7}'),
    ]
    assert transcript.steps[1].status is StepStatus.ERROR
    assert transcript.task_text == "Find A-7."


def test_success_is_what_the_harness_says_and_no_outcome() -> None:
    transcript = read(run())

    assert ("success", "harness") in [(each.value, each.by) for each in transcript.reports]
    assert transcript.outcome is Outcome.UNKNOWN


def test_the_fault_and_the_answer_are_withheld() -> None:
    transcript = read(run())

    assert not any("zebra" in text for text in texts(transcript))
    assert str(transcript.withheld).count("zebra") == 3


def test_the_real_runs_have_a_step_for_each_span_that_labels_count() -> None:
    runs = [
        intake.take(each).runs[0].transcript for each in contents_of("agentrx_otel_sim/otel/*.json")
    ]

    assert len(runs) == 21
    assert {len(each.steps) for each in runs} == {5}
