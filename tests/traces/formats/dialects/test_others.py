"""Dialects of single products: what each says in its own words."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.traces.formats import otlp_documents as docs
from traces.formats.dialects import adk, given, logfire, mlflow_spans, vercel
from traces.formats.dialects.choosing import facts_of
from traces.formats.spans.span import Event, Role, Scope, Span


def span(name: str = "span", scope: str = "", **say: Any) -> Span:
    return Span("t", "s", name=name, attributes=say["say"], scope=Scope(scope))


@pytest.mark.parametrize(
    ("say", "scope", "name", "role"),
    [
        ({"openinference.span.kind": "LLM", "gen_ai.operation.name": "x"}, "", "x", Role.MODEL),
        ({"ai.operationId": "ai.toolCall", "gen_ai.system": "x"}, "ai", "x", Role.TOOL),
        ({"traceloop.span.kind": "agent"}, "", "x", Role.AGENT),
        ({"llm.request.type": "chat"}, "", "x", Role.MODEL),
        ({"llm.request.type": "embedding"}, "", "x", Role.CONTAINER),
        ({"mlflow.spanType": '"TOOL"'}, "", "x", Role.TOOL),
        ({"gen_ai.operation.name": "chat"}, "any", "x", Role.MODEL),
        ({"agentops.span.kind": "agent"}, "", "x", Role.AGENT),
        ({"agent_name": "a"}, "pydantic-ai", "agent run", Role.AGENT),
        ({}, "gcp.vertex.agent", "call_llm", Role.MODEL),
        ({}, "gcp.vertex.agent", "agent_run [a]", Role.AGENT),
        ({}, "", "claude_code.tool", Role.TOOL),
        ({"http.method": "GET"}, "", "GET", Role.OTHER),
    ],
)
def test_each_span_is_read_in_its_dialect(say: Any, scope: str, name: str, role: Role) -> None:
    assert facts_of(span(name, scope, say=say)).role is role


def test_adk_puts_what_is_no_object_into_one() -> None:
    def result(response: str) -> tuple[str | None, bool | None]:
        say = {"gen_ai.operation.name": "execute_tool", "gcp.vertex.agent.tool_response": response}
        found = adk.facts(span(say=say))
        return found.result, found.failed

    assert result('{"result": "12.05"}') == ("12.05", None)
    assert result('{"error": "No A-8."}') == ("No A-8.", True)
    assert result('{"error": "", "total": 3}') == ('{"error": "", "total": 3}', None)
    assert result("{}") == (None, None)


def test_adk_transfers_are_handoffs() -> None:
    say = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "transfer_to_agent",
        "gcp.vertex.agent.tool_call_args": '{"agent_name": "refunds"}',
    }
    found = adk.facts(span(say=say))
    assert (found.role, found.to) == (Role.HANDOFF, "refunds")


def test_older_pydantic_ai_has_events_in_an_attribute() -> None:
    events = [
        {"event.name": "gen_ai.user.message", "content": "Hello?", "role": "user"},
        {"event.name": "gen_ai.choice", "message": {"role": "assistant", "content": "Hi."}},
    ]
    say = {"gen_ai.operation.name": "chat", "events": json.dumps(events)}
    found = logfire.facts(span(say=say))
    assert found.prompt == [{"role": "user", "content": "Hello?"}]
    assert found.reply == [{"role": "assistant", "content": "Hi."}]


def test_mlflow_notes_even_plain_text_as_json() -> None:
    say = {"mlflow.spanType": '"TOOL"', "mlflow.spanInputs": '{"id": "A-7"}'}
    found = mlflow_spans.facts(span("find", say=say | {"mlflow.spanOutputs": '"gone"'}))
    assert (found.tool, found.arguments, found.result) == ("find", {"id": "A-7"}, "gone")


def test_vercel_keeps_what_a_whole_loop_was_given() -> None:
    whole = json.dumps({"system": "Be kind.", "prompt": "Hello?"})
    say = {"ai.operationId": "ai.generateText", "ai.prompt": whole, "ai.response.text": "Hi."}
    run = docs.run(docs.span(1, say=say))
    assert [step.text for step in run.steps] == ["Be kind.", "Hello?", "Hi."]
    assert vercel.facts(span(say={"ai.operationId": "ai.generateText.doStream"})).reply is None


def test_claude_code_tells_helpers_by_their_ids() -> None:
    request = "claude_code.llm_request"
    run = docs.run(
        docs.span(1, name="claude_code.interaction", at=0, to=30, say={"user_prompt": "Fix it."}),
        docs.span(2, parent=1, name=request, at=1, to=2, say={"model": "m"}),
        docs.span(3, parent=1, name="claude_code.tool", at=3, to=20, say={"tool_name": "Task"}),
        docs.span(4, parent=3, name=request, at=4, to=5, say={"agent_id": "a7", "model": "m"}),
    )
    assert [(actor.role, actor.instance) for actor in run.actors][:2] == [
        ("main", docs.span_id(1)),
        ("subagent", "a7"),
    ]
    assert run.steps[0].text == "Fix it."
    assert docs.step(run, 3).tool == "Task"


def test_claude_code_has_a_tools_output_in_an_event() -> None:
    output = Event("tool.output", 1, {"output": "3 files"})
    tool = Span("t", "s", name="claude_code.tool", attributes={"success": False}, events=[output])
    found = facts_of(tool)
    assert (found.result, found.error) == ("3 files", "")


@pytest.mark.parametrize("strange", [None, True, 7, -1, "", "x", [], [None], {}, {"": [{}]}])
def test_values_of_any_type_are_read(strange: Any) -> None:
    names = (
        "gen_ai.operation.name", "gen_ai.tool.name", "gen_ai.tool.call.arguments",
        "gen_ai.response.finish_reasons", "gen_ai.system_instructions", "gen_ai.input.messages",
        "gen_ai.output.messages", "llm.invocation_parameters", "llm.input_messages",
        "llm.input_messages.0", "llm.input_messages.0.message.contents.x", "input.value",
        "traceloop.entity.input", "ai.prompt", "ai.prompt.messages", "ai.response.toolCalls",
        "mlflow.spanInputs", "gcp.vertex.agent.llm_request", "pydantic_ai.tool.retry.attempt",
        "gen_ai.prompt.0.content", "gen_ai.completion.0.tool_calls.0", "events", "agent_name",
    )  # fmt: skip
    signs: list[dict[str, Any]] = [
        {"openinference.span.kind": "LLM"}, {"openinference.span.kind": "TOOL"},
        {"ai.operationId": "ai.generateText.doGenerate"}, {"ai.operationId": "ai.generateText"},
        {"traceloop.span.kind": "tool"}, {"llm.request.type": "chat"},
        {"gen_ai.operation.name": "chat"}, {"mlflow.spanType": "LLM"},
        {"agentops.span.kind": "tool"},
    ]  # fmt: skip
    for scope in ("", "pydantic-ai", "gcp.vertex.agent"):
        spans = [docs.span(number, at=number) for number in range(1, len(signs) + 1)]
        for each, sign in zip(spans, signs, strict=True):
            say = dict.fromkeys(names, strange) | sign
            each["attributes"] = [{"key": key, "value": value} for key, value in say.items()]
        assert len(docs.run(*spans, scope=scope).steps) >= len(signs) - 2


def test_indexed_attributes_are_a_list_in_order_of_numbers() -> None:
    found = given.indexed({"p.10.a": 1, "p.2.a": 2, "p.x.a": 3, "q.0.a": 4, "p.2.b.c": 5}, "p.")
    assert found == [{"a": 2, "b": {"c": 5}}, {"a": 1}]
