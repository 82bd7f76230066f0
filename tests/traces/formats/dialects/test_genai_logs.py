"""Content of model calls in log records and events."""

from __future__ import annotations

from typing import Any

from tests.traces.formats import otlp_documents as docs
from traces.formats.dialects import genai
from traces.formats.spans.span import Event, Role, Span
from traces.transcript import StepKind, Transcript

CALLS = [{"id": "c1", "type": "function", "function": {"name": "find"}}]


def record(number: int, name: str, body: Any, at: int = 0) -> dict[str, Any]:
    return {
        "timeUnixNano": str(docs.START + at),
        "eventName": name,
        "body": docs.value(body),
        "traceId": docs.TRACE,
        "spanId": docs.span_id(number),
    }


def run_with(spans: list[Any], *records: Any) -> Transcript:
    logs = [{"scope": {"name": "x"}, "logRecords": list(records)}]
    request = docs.request(*spans) | {"resourceLogs": [{"scopeLogs": logs}]}
    (run,) = docs.read(request).runs
    return run.transcript


def test_records_without_content_are_not_captured_and_never_absent() -> None:
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant"}}
    run = run_with(
        [docs.chat(1)],
        record(1, "gen_ai.user.message", {}),
        record(1, "gen_ai.choice", choice, 5),
    )
    (step,) = run.steps
    assert step.parts[0].capture == {"text": "not_captured"}
    assert run.capture["steps/parts/text"] == "not_captured"


def test_calls_are_known_where_words_are_not() -> None:
    choice = {"message": {"role": "assistant", "tool_calls": CALLS}}
    run = run_with(
        [docs.chat(1, at=0, to=2), docs.tool(2, "find", at=3, say={"gen_ai.tool.call.id": "c1"})],
        record(1, "gen_ai.choice", choice),
    )
    assert [step.kind for step in run.steps] == [StepKind.DECISION, StepKind.TOOL]
    assert run.steps[0].parts[0].capture == {"text": "not_captured"}
    assert docs.links(run) == {("1", "2", "consumes")}


def test_records_of_one_time_are_in_the_order_of_a_conversation() -> None:
    run = run_with(
        [docs.chat(1)],
        record(1, "gen_ai.choice", {"message": {"content": "Hi."}}),
        record(1, "gen_ai.user.message", {"content": "Hello?"}),
        record(1, "gen_ai.system.message", {"content": "Be kind."}),
    )
    assert [step.text for step in run.steps] == ["Be kind.", "Hello?", "Hi."]


def test_one_record_may_hold_all() -> None:
    given = {"gen_ai.input.messages": [docs.user("Hello?")]}
    given["gen_ai.output.messages"] = [docs.model("Hi.")]
    details = record(1, "gen_ai.client.inference.operation.details", "")
    details["attributes"] = docs.attributes(given)
    run = run_with([docs.chat(1)], details)
    assert [step.text for step in run.steps] == ["Hello?", "Hi."]


def test_events_on_the_span_itself_are_read_too() -> None:
    events = [
        Event("gen_ai.content.prompt", 1, {"gen_ai.prompt": "Hello?"}),
        Event("gen_ai.content.completion", 2, {"gen_ai.completion": "Hi."}),
    ]
    given = {"gen_ai.operation.name": "chat"}
    found = genai.facts(Span("t", "s", attributes=given, events=events))
    assert (found.prompt, found.reply) == (["Hello?"], ["Hi."])


def test_records_whose_span_never_came_are_a_step_with_a_gap() -> None:
    run = run_with(
        [],
        record(1, "gen_ai.user.message", {"content": "Hello?"}),
        record(1, "gen_ai.choice", {"message": {"content": "Hi."}}, 5),
    )
    assert [step.text for step in run.steps] == ["Hello?", "Hi."]
    assert "missing_parent" in docs.gaps(run)


def test_an_evaluation_is_a_judgement() -> None:
    said = {"gen_ai.evaluation.name": "care", "gen_ai.evaluation.explanation": "zebra"}
    events = [Event("gen_ai.evaluation.result", 1, said)]
    (judged,) = genai.facts(Span("t", "s", attributes={}, events=events)).judged
    assert (judged.source, judged.reason) == ("care", "zebra")


def test_operations_that_nobody_knows_are_wrappers() -> None:
    given = {"gen_ai.operation.name": "create_memory", "gen_ai.request.model": "m"}
    assert genai.facts(Span("t", "s", attributes=given)).role is Role.CONTAINER
