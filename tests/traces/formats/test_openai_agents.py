"""The OpenAI Agents SDK: children first, spans twice, and content that is not in the trace."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.real import FORMATS, needs_files
from traces.formats import intake
from traces.transcript import LinkKind, StepKind, StepStatus, Transcript

REAL = FORMATS / "openai-agents-sdk"
REDACTED = "Tool execution failed. Error details are redacted."


def span(span_id: str, kind: str, **more: Any) -> dict[str, Any]:
    times = {"started_at": "2026-05-04T09:00:00+00:00", "ended_at": "2026-05-04T09:00:01+00:00"}
    data = {"type": kind, **more}
    ids = {"object": "trace.span", "id": span_id, "trace_id": "trace_1", "parent_id": None}
    return {**ids, **times, "span_data": data, "error": None}


def run_of(*spans: Any) -> Transcript:
    (run,) = intake.take(json.dumps({"data": list(spans)}).encode()).runs
    return run.transcript


def test_what_is_neither_trace_nor_span_is_refused_with_its_place() -> None:
    value = {"data": [span("s1", "function", name="look"), {"object": "trace.span"}]}

    assert [each.position for each in intake.take(json.dumps(value).encode()).refusals] == [
        "/data/1"
    ]


def test_a_response_span_has_no_content_and_does_not_say_that_there_was_none() -> None:
    transcript = run_of(span("s1", "response", response_id="resp_1"))

    assert transcript.steps[0].parts[0].capture["text"] == "not_captured"


def test_what_the_javascript_sdk_keeps_to_itself_is_content() -> None:
    gave = {"output": [{"type": "message", "content": [{"type": "output_text", "text": "Hi."}]}]}
    sent = [{"role": "user", "content": "Hello?"}]
    transcript = run_of(span("s1", "response", _input=sent, _response=gave))

    assert [step.text for step in transcript.steps] == ["Hello?", "Hi."]


def test_details_that_the_sdk_redacts_are_withheld() -> None:
    failed = span("s1", "function", name="look", input="{}", output=None)
    failed["error"] = {"message": "Error running tool", "data": {"error": REDACTED}}
    (step,) = run_of(failed).steps

    assert step.status is StepStatus.ERROR
    assert step.parts[-1].capture == {"text": "withheld"}


def test_a_guardrail_that_stopped_the_run_is_a_failed_check() -> None:
    (step,) = run_of(span("s1", "guardrail", name="no_secrets", triggered=True)).steps

    assert step.kind is StepKind.VERIFICATION
    assert step.parts[0].data == {"check": "no_secrets", "verdict": "failed"}


@needs_files
@pytest.mark.parametrize("name", ["refund.ingest-batch.json", "refund.processor-events.jsonl"])
def test_the_real_trace_has_the_calls_that_were_counted(name: str) -> None:
    (run,) = intake.take((REAL / name).read_bytes()).runs
    transcript = run.transcript
    kinds = [step.kind for step in transcript.steps]
    (handoff,) = [link for link in transcript.links if link.kind is LinkKind.HANDOFF]

    # FORMATS: 5 response, 4 function, 1 handoff, 2 agent, 6 custom; 2 errors.
    assert kinds.count(StepKind.MESSAGE) == 5
    assert kinds.count(StepKind.TOOL) == 4
    assert kinds.count(StepKind.HANDOFF) == 1
    assert [actor.role for actor in transcript.actors] == ["Triage agent", "Refund agent"]
    assert sum(step.status is StepStatus.ERROR for step in transcript.steps) == 2
    assert transcript.steps[handoff.target].actor != transcript.steps[handoff.source].actor
    assert transcript.capture["steps/parts/text"] == "not_captured"


@needs_files
def test_events_of_a_processor_and_batches_of_the_exporter_tell_the_same() -> None:
    files = ("refund.ingest-batch.json", "refund.processor-events.jsonl")
    batch, events = (intake.take((REAL / name).read_bytes()).runs[0] for name in files)

    assert batch.sha256 == events.sha256
