"""Spans as SDKs print them."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from tests.real import content_of
from traces.formats import intake
from traces.formats.base import Document, Record, Sample, Unreadable
from traces.formats.otel_console import FORMAT
from traces.transcript import StepKind, StepStatus

TRACE = "aa42bf744ffb46943faa0d0be0c3113d"


def python(**more: Any) -> dict[str, Any]:
    return {
        "name": "find",
        "context": {"trace_id": f"0x{TRACE}", "span_id": "0x6e4ae68bb5d73733", "trace_state": "[]"},
        "kind": "SpanKind.INTERNAL",
        "parent_id": None,
        "start_time": "2026-03-01T10:00:00.000001Z",
        "end_time": "2026-03-01T10:00:01.500000Z",
        "status": {"status_code": "ERROR", "description": "No A-8."},
        "attributes": {"openinference.span.kind": "TOOL", "input.value": "A-8"},
        "events": [
            {
                "name": "exception",
                "timestamp": "2026-03-01T10:00:01Z",
                "attributes": {"exception.type": "KeyError", "exception.message": "No A-8."},
            }
        ],
        "links": [],
        "resource": {"attributes": {"service.name": "desk"}, "schema_url": ""},
    } | more


def javascript(**more: Any) -> dict[str, Any]:
    return {
        "name": "ai.toolCall",
        "spanContext": {"traceId": TRACE, "spanId": "6e4ae68bb5d73733"},
        "startTime": [1_772_359_200, 1_000_000],
        "endTime": [1_772_359_201, 500_000_000],
        "attributes": {"ai.operationId": "ai.toolCall", "ai.toolCall.name": "find"},
        "status": {"code": 2, "message": "No A-8."},
        "events": [],
    } | more


def read(*values: Any) -> Any:
    return FORMAT.read(
        Document(b"", tuple(Record(each, f"line {n}") for n, each in enumerate(values)))
    )


@pytest.mark.parametrize(
    "other",
    [
        {"name": "x", "context": {}, "start_time": "now"},
        {"name": "x", "context": {"trace_id": "1"}, "startTime": 1},
        {"context": {"trace_id": TRACE, "span_id": "6e4ae68bb5d73733"}},
        {"role": "user", "content": "Hello?"},
    ],
)
def test_other_objects_are_not_recognised(other: Any) -> None:
    assert FORMAT.recognise(Sample(other, (other,), b"")) is None


def test_records_that_are_no_spans_are_refused_and_told() -> None:
    reading = read(python(), {"name": "x"}, 7)
    assert [refusal.position for refusal in reading.refusals] == ["line 1", "line 2"]
    assert "damaged" in {gap.kind for gap in reading.runs[0].transcript.gaps}
    with pytest.raises(Unreadable, match="no spans"):
        read({"name": "x"})


@pytest.mark.parametrize("made", [python, javascript])
def test_a_span_is_the_same_in_both_dresses(made: Any) -> None:
    (run,) = read(made()).runs
    (step,) = run.transcript.steps
    assert (run.transcript.external_id, step.source_id) == (TRACE, "6e4ae68bb5d73733")
    assert (step.tool, step.status) == ("find", StepStatus.ERROR)
    assert step.parts[-1].text == "No A-8."
    assert step.started_at
    assert step.ended_at
    assert round((step.ended_at - step.started_at).total_seconds(), 1) == 1.5


@pytest.mark.parametrize(
    "parent",
    [
        {"parent_id": "0x9ed66b6bdca03cff"},
        {"parentSpanId": "9ed66b6bdca03cff"},
        {"parentSpanContext": {"traceId": TRACE, "spanId": "9ed66b6bdca03cff"}},
    ],
)
def test_parents_however_they_are_written(parent: Any) -> None:
    (run,) = read(javascript(**parent)).runs
    gaps = {gap.kind: gap.detail for gap in run.transcript.gaps}
    assert "9ed66b6bdca03cff" in gaps["missing_parent"]


@pytest.mark.parametrize("strange", [None, 7, "x", [], [None], {}, {"a": 1}, True, -1e300])
def test_fields_of_any_type_are_read(strange: Any) -> None:
    for key in python():
        if key != "context":
            assert read(python(**{key: strange}))
    for key in javascript():
        if key != "spanContext":
            assert read(javascript(**{key: strange}))


def test_a_crew_whose_models_were_not_recorded() -> None:
    content = content_of("formats/openinference/openinference-crewai.sdk-console.jsonl")
    (run,) = intake.take(content).runs
    steps = run.transcript.steps
    assert Counter(step.kind for step in steps)[StepKind.TOOL] == 2
    assert {run.transcript.actor_of(s).role for s in steps if s.kind is not StepKind.INPUT} == {
        "Order clerk",
        "Reviewer",
    }


def test_spans_of_javascript() -> None:
    content = content_of("openinference/all-spans.json")
    taken = intake.take(content)
    spans = json.loads(content)
    traces = {each["spanContext"]["traceId"] for each in spans}
    assert len(taken.runs) + len(taken.notes) == len(traces)
