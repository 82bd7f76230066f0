"""TRAIL: nested spans, and labels that come apart."""

from __future__ import annotations

from typing import Any

import pytest

from traces.formats.base import Document, Reading, Record, Sample, Unreadable
from traces.formats.trail import FORMAT
from traces.transcript import StepKind

TRACE = "0242ca2533fa5cd60cd5cd2c4a1b3b95"


def span(name: str, kind: str, *inside: Any, at: int = 0, **more: Any) -> dict[str, Any]:
    return {
        "timestamp": f"2026-03-01T10:00:{at:02}.000000Z",
        "trace_id": TRACE,
        "span_id": f"{name}-id",
        "parent_span_id": None,
        "trace_state": "",
        "span_name": name,
        "span_kind": "Internal",
        "service_name": "desk",
        "resource_attributes": {},
        "scope_name": "openinference.instrumentation.smolagents",
        "scope_version": "0.1.6",
        "span_attributes": {"openinference.span.kind": kind} | more.pop("say", {}),
        "duration": "PT0.5S",
        "status_code": "Unset",
        "status_message": "",
        "events": [],
        "links": [],
        "logs": [],
        "child_spans": list(inside),
    } | more


def talk(text: str) -> dict[str, str]:
    return {
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.content": "Hello?",
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.content": text,
    }


LABEL: dict[str, Any] = {
    "trace_id": TRACE,
    "errors": [
        {
            "category": "Goal Deviation",
            "location": "think-id",
            "evidence": "Hi.",
            "description": "A zebra would have asked.",
            "impact": "HIGH",
        }
    ],
    "scores": [{"reliability_score": 1, "reliability_reasoning": "zebra"}],
}


def read(value: Any, name: str = "") -> Reading:
    return FORMAT.read(Document(b"", (Record(value),), name=name))


@pytest.mark.parametrize(
    "other", [{"spans": []}, {"spans": [{"name": "x"}]}, {"errors": []}, {"errors": 3, "scores": 3}]
)
def test_other_objects_are_not_recognised(other: Any) -> None:
    assert FORMAT.recognise(Sample(other, (other,), b"")) is None


@pytest.mark.parametrize(
    "wrong", [7, {"spans": 3}, {"spans": []}, {"trace_id": TRACE, "spans": [3]}]
)
def test_what_is_no_trace_is_refused(wrong: Any) -> None:
    (refusal,) = read(wrong).refusals
    assert refusal.position == "/"
    with pytest.raises(Unreadable):
        FORMAT.read(Document(b"", ()))


def test_nested_spans_are_steps_of_the_agent_around_them() -> None:
    agent = span(
        "CodeAgent.run",
        "AGENT",
        span("step", "CHAIN", span("think", "LLM", at=1, say=talk("Hi.")), at=1),
        span("find", "TOOL", at=3, status_code="Error", status_message="No A-8."),
    )
    (run,) = read({"trace_id": TRACE, "spans": [agent]}).runs
    steps = run.transcript.steps
    assert [(step.kind, step.status) for step in steps] == [
        (StepKind.INPUT, "not_captured"),
        (StepKind.MESSAGE, "not_captured"),
        (StepKind.TOOL, "error"),
    ]
    assert run.transcript.actor_of(steps[1]).role == "CodeAgent"
    assert steps[1].pointer == "/spans/0/child_spans/0/child_spans/0"
    assert [each.pointer for each in run.transcript.records] == [
        "/spans/0",
        "/spans/0/child_spans/0",
    ]


def test_a_label_is_one_opinion_for_each_error_and_the_scores() -> None:
    reading = read(LABEL)
    assert reading.runs == ()
    error, scores = reading.labels
    assert (error.names, error.pointer) == ((TRACE,), "/errors/0")
    assert (error.opinion.native_step, error.opinion.step) == ("think-id", None)
    assert error.opinion.data["evidence"] == "Hi."
    assert scores.opinion.data == LABEL["scores"][0]


def test_a_label_without_an_id_is_named_by_its_file() -> None:
    nameless = {key: value for key, value in LABEL.items() if key != "trace_id"}
    assert read(nameless, f"annotations/{TRACE}.json").labels[0].names == (TRACE,)
    assert read(nameless, "notes.json").labels[0].names == ()


@pytest.mark.parametrize("strange", [None, 7, "x", [], [None], {}, True])
def test_fields_of_any_type_are_read(strange: Any) -> None:
    for key in span("a", "LLM"):
        assert read({"trace_id": TRACE, "spans": [span("a", "LLM", **{key: strange})]})
    for key in LABEL["errors"][0]:
        error = LABEL["errors"][0] | {key: strange}
        assert read(LABEL | {"errors": [error, strange]}).labels
