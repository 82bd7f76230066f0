"""MLflow's traces: ids in base64, attributes in JSON text, assessments apart."""

from __future__ import annotations

import json

from tests.real import FORMATS, needs_files
from tests.traces.formats import story
from traces.formats import intake
from traces.transcript import ActorKind, StepKind, StepStatus

REAL = FORMATS / "mlflow"


def test_a_span_whose_id_nobody_can_read_is_refused_with_its_place() -> None:
    span = {"span_id": "AAAAAAAAAAE=", "name": "a", "attributes": {"mlflow.spanType": '"TOOL"'}}
    value = {"info": {"trace_id": "tr-1"}, "data": {"spans": [{**span, "span_id": "?"}, span]}}
    taken = intake.take(json.dumps(value).encode())

    assert [refusal.position for refusal in taken.refusals] == ["/data/spans/0"]
    assert [step.source_id for step in taken.runs[0].transcript.steps] == ["0000000000000001"]


def test_what_was_expected_is_withheld_and_what_was_judged_is_an_opinion() -> None:
    transcript = story.run_of("mlflow.json").transcript

    assert transcript.withheld == {"expectations": {"expected_refund": {"value": "12.05"}}}
    assert [each.source for each in transcript.opinions] == [
        "MLflow assessment relevance (LLM_JUDGE)"
    ]


def test_that_nothing_raised_is_what_the_framework_says_and_no_outcome() -> None:
    transcript = story.run_of("mlflow.json").transcript

    assert transcript.outcome == "unknown"
    assert ("OK", "framework") in {(each.value, each.by) for each in transcript.reports}


@needs_files
def test_the_real_trace_has_four_spans_the_last_of_them_failed() -> None:
    (run,) = intake.take((REAL / "mlflow3.trace.to_json.json").read_bytes()).runs
    transcript = run.transcript
    agents = [actor.role for actor in transcript.actors if actor.kind is ActorKind.AGENT]
    tools = [step for step in transcript.steps if step.kind is StepKind.TOOL]

    assert agents == ["order_agent"]
    assert [(step.tool, step.status) for step in tools] == [
        ("lookup_order", StepStatus.OK),
        ("lookup_order", StepStatus.ERROR),
    ]
    assert transcript.steps[-1] == tools[-1]
