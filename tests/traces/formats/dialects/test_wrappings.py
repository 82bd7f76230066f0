"""Frameworks behind one convention: what each leaves in names, texts and wrappings of its own."""

from __future__ import annotations

import json
from typing import Any

import pytest

from traces.formats.base import Json
from traces.formats.chat import reading
from traces.formats.dialects import genai, openinference, openllmetry
from traces.formats.spans.runs import read_run
from traces.formats.spans.span import Facts, Role, Scope, Span
from traces.transcript import StepKind, Transcript

KIND = "openinference.span.kind"
ADK = "openinference.instrumentation.google_adk"
CREWAI = "openinference.instrumentation.crewai"
FUNCTION = {"name": "find", "arguments": '{"o": "A-17"}'}


def span(name: str, start: int, parent: str = "", **more: Any) -> Span:
    scope = Scope(more.pop("scope", ""))
    attributes = {key.replace("__", "."): value for key, value in more.pop("say", {}).items()}
    called = more.pop("called", name)
    return Span("t", name, parent, called, start, start + 1, attributes, scope=scope, **more)


def run_of(*spans: Span, facts: Any = openinference.facts) -> Transcript:
    return read_run(spans, facts, Transcript("t", "otlp", (), ()))


def asked(messages: list[dict[str, Json]], side: str = "input") -> dict[str, Json]:
    return {f"llm.{side}_messages": json.dumps(messages)}


def test_a_call_without_an_id_is_answered_by_the_tool_s_span_that_has_one() -> None:
    call = {"role": "model", "tool_calls": [{"function": {"name": "find"}}]}
    answer = {"role": "tool", "name": "find", "content": '{"cost": 12.05}'}
    gave = {"id": "c1", "name": "find", "response": {"cost": 12.05}}
    tool = {KIND: "TOOL", "tool.name": "find", "gen_ai.tool.call.id": "c1"}
    first = {KIND: "LLM", **asked([call], "output")}
    second = {KIND: "LLM", **asked([call, answer]), "output.value": "12.05."}
    transcript = run_of(
        span("a", 1, called="agent_run [orders]", say={KIND: "AGENT"}, scope=ADK),
        span("m1", 2, "a", say=first, scope=ADK),
        span("f", 4, "a", say={**tool, "output.value": json.dumps(gave)}, scope=ADK),
        span("m2", 6, "a", say=second, scope=ADK),
    )

    assert [(step.kind, step.tool) for step in transcript.steps] == [
        (StepKind.DECISION, None),
        (StepKind.TOOL, "find"),
        (StepKind.MESSAGE, None),
    ]
    assert transcript.steps[1].parts[1].text == '{"cost":12.05}'
    assert {part.data.get("call") for part in transcript.steps[1].parts} == {"c1"}
    assert [actor.role for actor in transcript.actors] == ["orders"]


def test_a_second_call_alike_is_not_the_first_one() -> None:
    call = {"role": "model", "tool_calls": [{"function": FUNCTION}]}
    said = {KIND: "LLM", **asked([call], "output")}
    transcript = run_of(span("m1", 1, say=said), span("m2", 3, say={**said, **asked([call])}))

    assert [step.tool for step in transcript.steps if step.tool] == ["find", "find"]


def test_a_task_of_crewai_is_of_the_role_that_its_agent_has() -> None:
    dumped = "id=UUID('5b92') role='Order clerk' goal='Refund' backstory='role=\\'x\\''"
    say = {KIND: "AGENT", "input.value": json.dumps({"agent": dumped})}

    assert openinference.facts(span("s", 1, say=say, scope=CREWAI)).agent == "Order clerk"
    assert openinference.facts(span("s", 1, say=say)).agent == ""


@pytest.mark.parametrize(
    "say", [{"llm.prompts": '["Refund A-17."]'}, {"llm.prompts.0.prompt.text": "Refund A-17."}]
)
def test_texts_that_a_model_was_sent_are_its_prompt(say: dict[str, Json]) -> None:
    found = openinference.facts(span("s", 1, say={KIND: "LLM", "input.value": "{}", **say}))

    assert found.prompt == [{"role": "user", "content": "Refund A-17."}]
    assert not found.unread


def genai_facts(**say: Any) -> Facts:
    return genai.facts(Span("t", "s", attributes={f"gen_ai.{k}": v for k, v in say.items()}))


@pytest.mark.parametrize("name", ["chat.completions", "text.streaming_completions", "responses"])
def test_older_names_of_model_calls_are_known(name: str) -> None:
    assert genai_facts(**{"operation.name": name}).role is Role.MODEL


def test_an_agent_without_a_name_is_known_by_its_id() -> None:
    invoked = {"operation.name": "invoke_agent", "agent.id": "f9f77d1a"}

    assert genai_facts(**invoked).agent == "f9f77d1a"
    assert genai_facts(**invoked, **{"agent.name": "orders"}).agent == "orders"


def test_what_a_tool_was_given_may_stand_in_openinference_s_names() -> None:
    say = {"gen_ai.tool.name": "find", "input.value": '{"o":"A-17"}', "output.value": "12.05"}
    found = genai.facts(Span("t", "s", attributes=say))

    assert (found.arguments, found.result, [*found.unread]) == ('{"o":"A-17"}', "12.05", [])


def test_calls_that_stand_where_words_do_are_calls() -> None:
    call = json.dumps([{"id": "c1", "type": "function", "function": FUNCTION}])
    begun = {"gen_ai.completion.0.role": "assistant", "gen_ai.completion.0.content": call}
    told = {
        "gen_ai.prompt.0.role": "tool",
        "gen_ai.prompt.0.content": call,
        "gen_ai.prompt.1.role": "tool",
        "gen_ai.prompt.1.content": "12.05",
        "gen_ai.completion.0.role": "assistant",
        "gen_ai.completion.0.content": "It costs 12.05.",
    }
    transcript = run_of(span("m1", 1, say=begun), span("m2", 3, say=told), facts=openllmetry.facts)

    assert [(step.tool, step.parts[-1].text) for step in transcript.steps] == [
        (None, ""),
        ("find", "12.05"),
        (None, "It costs 12.05."),
    ]


def test_a_result_that_microsoft_wraps_is_the_result() -> None:
    inner = {"type": "function_result", "call_id": "c1", "result": "12.05"}
    part = {"type": "tool_call_response", "id": "c1", "response": json.dumps(inner)}
    for value in ({"role": "tool", "parts": [part]}, {"role": "tool", "contents": [inner]}):
        (message,) = reading.messages(value)
        assert [(each.id, each.text) for each in message.answers] == [("c1", "12.05")]


def test_sealed_reasoning_of_the_dotnet_libraries_is_withheld() -> None:
    sealed = {"text": "", "protectedData": "x"}
    part = {"type": "Microsoft.Extensions.AI.TextReasoningContent", "content": sealed}
    (message,) = reading.messages({"role": "assistant", "parts": [part]})

    assert [dict(each.capture) for each in message.parts] == [{"text": "withheld"}]


def test_the_events_of_one_call_of_beeai_are_one_call() -> None:
    scope = "openinference.instrumentation.beeai"

    def event(name: str, start: int, kind: str, **say: Json) -> Span:
        made = span(name, start, "a", say={KIND: kind, **say}, scope=scope)
        made.end_ns = 90
        return made

    user = [{"role": "user", "content": "A-17?"}]
    called = {"tool.parameters": '{"o": "A-17"}'}
    transcript = run_of(
        span("a", 1, say={KIND: "AGENT", "agent.name": "orders"}, scope=scope),
        event("backend.openai.chat.start-4", 2, "LLM", **asked(user)),
        event("backend.openai.chat.success-4", 5, "LLM", **{"output.value": "Look."}),
        event("backend.openai.chat.finish-4", 6, "LLM"),
        event("tool.search.find.start-5", 10, "TOOL", **called),
        event("tool.search.find.success-5", 12, "TOOL", **{"output.value": "12.05"}),
        event("tool.search.find.finish-5", 13, "TOOL"),
    )

    assert [[part.text for part in step.parts] for step in transcript.steps] == [
        ["A-17?"],
        ["Look."],
        ['{"o":"A-17"}', "12.05"],
    ]
    assert transcript.steps[2].tool == "find"
    assert transcript.folded["call recorded by two instrumentations"] == 4
