"""What frameworks add to a dialect, in the shapes that they were seen to send."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.traces.formats import otlp_documents as docs
from traces.formats.base import Unreadable
from traces.transcript import LinkKind, StepKind, StepStatus, Transcript

ORDER = '{"order": "A-7"}'
RECORDED_TWICE = "call recorded by two instrumentations"


def oi(number: int, kind: str, name: str, **more: Any) -> dict[str, Any]:
    """A span of OpenInference."""
    say = {"openinference.span.kind": kind} | more.pop("say", {})
    return docs.span(number, name=name, say=say, **more)


def run(*spans: Any, by: str) -> Transcript:
    return docs.run(*spans, scope=f"openinference.instrumentation.{by}")


def said(text: str, *calls: tuple[str, str, str]) -> dict[str, Any]:
    """A reply with calls: id, tool, arguments."""
    out = "llm.output_messages.0.message"
    given: dict[str, Any] = {f"{out}.role": "assistant", f"{out}.content": text}
    for number, (call, tool, arguments) in enumerate(calls):
        one = f"{out}.tool_calls.{number}.tool_call"
        given |= {f"{one}.id": call, f"{one}.function.name": tool}
        given[f"{one}.function.arguments"] = arguments
    return given


def heard(*messages: tuple[str, str]) -> dict[str, Any]:
    given: dict[str, Any] = {}
    for number, (role, text) in enumerate(messages):
        one = f"llm.input_messages.{number}.message"
        given |= {f"{one}.role": role, f"{one}.contents.0.message_content.text": text}
        given[f"{one}.contents.0.message_content.type"] = "text"
    return given


def roles(found: Transcript) -> list[tuple[str, str]]:
    """Who did what, without what was said to them."""
    return [
        (found.actor_of(step).role, step.kind.value)
        for step in found.steps
        if step.kind is not StepKind.INPUT
    ]


def texts(found: Transcript, number: int) -> list[str]:
    return [part.text for part in docs.step(found, number).parts]


# LangChain


def chain(number: int, name: str, *, agent: str = "", node: str = "", **more: Any) -> Any:
    about = {
        key: each for key, each in (("lc_agent_name", agent), ("langgraph_node", node)) if each
    }
    say = {"metadata": json.dumps(about)} | more.pop("say", {})
    return oi(number, more.pop("kind", "CHAIN"), name, say=say, **more)


def message(text: str, status: str) -> str:
    data = {"content": text, "tool_call_id": "c1", "status": status, "type": "tool"}
    return json.dumps({"type": "tool", "data": data})


def test_agents_of_langchain_have_their_names_and_tools_their_answers() -> None:
    found = run(
        chain(1, "clerk", agent="clerk", node="tools", at=0, to=9),
        chain(2, "model", agent="clerk", node="model", parent=1, at=1, to=3),
        chain(3, "ChatOpenAI", agent="clerk", node="model", kind="LLM", parent=2, at=1, to=2,
              say=said("Looking.", ("c1", "find", ORDER))),
        chain(4, "tools", agent="clerk", node="tools", parent=1, at=4, to=6),
        chain(5, "find", agent="clerk", node="tools", kind="TOOL", parent=4, at=4, to=5,
              say={"tool.name": "find", "output.value": message("no such order", "error")}),
        by="langchain",
    )  # fmt: skip
    assert [actor.role for actor in found.actors] == ["clerk"]
    assert roles(found) == [("clerk", "decision"), ("clerk", "tool")]
    assert texts(found, 5) == [ORDER, "no such order"]
    assert docs.step(found, 5).status is StepStatus.ERROR


def test_nodes_of_langgraph_act_but_not_the_one_that_only_carries_out_calls() -> None:
    found = run(
        chain(1, "LangGraph", at=0, to=9),
        chain(2, "clerk", node="clerk", parent=1, at=1, to=3),
        chain(3, "ChatOpenAI", node="clerk", kind="LLM", parent=2, at=1, to=2,
              say=said("Looking.", ("c1", "find", ORDER))),
        chain(4, "tools", node="tools", parent=1, at=4, to=6),
        chain(5, "find", node="tools", kind="TOOL", parent=4, at=4, to=5,
              say={"tool.name": "find", "output.value": message("shipped", "success")}),
        by="langchain",
    )  # fmt: skip
    assert [actor.role for actor in found.actors] == ["clerk"]
    assert roles(found) == [("clerk", "decision"), ("clerk", "tool")]


# Anthropic


def test_a_call_that_stands_twice_in_a_message_is_one() -> None:
    out = "llm.output_messages.0.message"
    piece = {
        f"{out}.contents.0.message_content.type": "text",
        f"{out}.contents.0.message_content.text": "Looking.",
        f"{out}.contents.1.message_content.type": "tool_use",
        f"{out}.contents.1.tool_call.id": "c1",
        f"{out}.contents.1.tool_call.function.name": "find",
        f"{out}.contents.1.tool_call.function.arguments": ORDER,
    }
    both = run(oi(1, "LLM", "create", say=said("", ("c1", "find", ORDER)) | piece), by="anthropic")
    alone = run(oi(1, "LLM", "create", say={f"{out}.role": "assistant"} | piece), by="anthropic")
    for found in (both, alone):
        assert [(step.kind.value, step.tool) for step in found.steps] == [
            ("decision", None),
            ("tool", "find"),
        ]
        assert texts(found, 1) == ["Looking."]


def wordless(number: int, **more: Any) -> dict[str, Any]:
    """The span that a client itself makes of a call: without a word of it."""
    say = {"gen_ai.operation.name": "chat", "gen_ai.response.id": f"m{number}"}
    return docs.span(number, name="messages.create", say=say, **more)


def test_the_span_of_a_client_inside_the_one_that_has_the_words_is_folded() -> None:
    outer = oi(1, "LLM", "create", at=0, to=9, say=said("Hello."))
    found = run(outer, wordless(2, parent=1, at=1, to=8), by="anthropic")
    assert roles(found) == [("desk", "message")]
    assert found.folded[RECORDED_TWICE] == 1


def test_an_attempt_that_failed_inside_a_call_that_did_not_is_a_step() -> None:
    outer = oi(1, "LLM", "create", at=0, to=9, say=said("Hello."))
    failed = wordless(2, parent=1, at=1, to=2, **docs.failed("overloaded"))
    found = run(outer, failed, wordless(3, parent=1, at=3, to=8), by="anthropic")
    assert [step.status.value for step in found.steps].count("error") == 1
    assert found.folded[RECORDED_TWICE] == 1


# OpenAI Agents SDK


def test_the_whole_run_of_the_agents_sdk_is_no_agent() -> None:
    spans = (
        oi(1, "AGENT", "Agent workflow", at=0, to=9),
        oi(2, "AGENT", "clerk", parent=1, at=1, to=8),
        oi(3, "LLM", "response", parent=2, at=2, to=3, say=said("Hello.")),
    )
    assert [actor.role for actor in run(*spans, by="openai_agents").actors] == ["clerk"]
    others = run(*spans, by="others").actors
    assert [actor.role for actor in others] == ["Agent workflow", "clerk"]


# CrewAI


def test_a_coworker_acts_inside_the_tool_that_delegates_to_it() -> None:
    told = '{"task": "Where?", "coworker": "clerk"}'
    found = run(
        oi(1, "AGENT", "planner._execute_core", at=0, to=20, say={"graph.node.id": "planner"}),
        oi(2, "LLM", "chat", parent=1, at=1, to=2,
           say=said("", ("c1", "delegate_work_to_coworker", told))),
        oi(3, "TOOL", "Delegate work to coworker.run", parent=1, at=3, to=9,
           say={"tool.name": "Delegate work to coworker", "input.value": told,
                "output.value": "Shipped."}),
        oi(4, "LLM", "chat", parent=3, at=4, to=5, say=said("Looking.", ("c2", "find", ORDER))),
        oi(5, "TOOL", "find.run", parent=3, at=6, to=7,
           say={"tool.name": "find", "input.value": ORDER, "output.value": "shipped"}),
        oi(6, "LLM", "chat", parent=1, at=10, to=11, say=said("It is shipped.")),
        by="crewai",
    )  # fmt: skip
    assert roles(found) == [
        ("planner", "decision"),
        ("planner", "tool"),
        ("clerk", "decision"),
        ("clerk", "tool"),
        ("planner", "message"),
    ]
    clerk = found.actor_of(docs.step(found, 4))
    assert (clerk.instance, clerk.parent) == (docs.span_id(3), "planner@00000001")
    assert ("3", "4", LinkKind.SPAWN) in docs.links(found)
    assert "request_without_response" not in docs.gaps(found)


# smolagents


def test_calls_that_prompts_of_smolagents_repeat_as_text_are_folded() -> None:
    again = "Calling tools:\n[{'id': 'c1', 'type': 'function', 'function': {'name': 'clerk', 'arguments': {}}}]"  # noqa: E501
    first = ("user", "Where?")
    found = run(
        oi(1, "AGENT", "planner.run", at=0, to=9),
        oi(2, "LLM", "generate", parent=1, at=1, to=2,
           say=heard(first) | said("I ask.", ("c1", "clerk", "{}"))),
        oi(3, "LLM", "generate", parent=1, at=5, to=6,
           say=heard(first, ("assistant", "I ask."), ("tool-call", again),
                     ("tool-response", "Observation:\nShipped.")) | said("It is shipped.")),
        by="smolagents",
    )  # fmt: skip
    assert roles(found) == [("planner", kind) for kind in ("decision", "tool", "message")]
    (tool,) = (step for step in found.steps if step.kind is StepKind.TOOL)
    assert [part.text for part in tool.parts] == ["{}", "Shipped."]
    assert "request_without_response" not in docs.gaps(found)


def test_text_that_only_looks_like_calls_is_kept() -> None:
    found = run(
        oi(1, "LLM", "generate", say=heard(("tool-call", "Calling tools:\nnone")) | said("Ok.")),
        by="smolagents",
    )
    assert any("none" in part.text for step in found.steps for part in step.parts)


# LlamaIndex


def turn(number: int, agent: str, **more: Any) -> dict[str, Any]:
    event = f"AgentSetup(input=[ChatMessage(role='user')], current_agent_name='{agent}')"
    say = {"input.value": json.dumps({"ctx": "<Context>", "ev": event})}
    return oi(number, "CHAIN", "AgentWorkflow.run_agent_step", say=say, **more)


def test_turns_of_llama_index_are_of_the_agent_that_their_event_names() -> None:
    dumped = {"input.value": json.dumps({"chat_history": "ChatMessage(...)"})}
    passed = json.dumps({"blocks": [{"text": "Passed on."}], "raw_output": "", "is_error": False})
    to = '{"to_agent": "clerk"}'
    found = run(
        oi(1, "CHAIN", "AgentWorkflow.run", at=0, to=30),
        turn(2, "planner", parent=1, at=1, to=9),
        oi(3, "LLM", "Model._prepare_chat_with_tools", parent=2, at=2, to=3,
           say=dumped | {"output.value": "{}"}),
        oi(4, "LLM", "Model.astream_chat", parent=2, at=4, to=8, say=dumped),
        oi(5, "LLM", "Model.astream_chat", parent=4, at=5, to=7,
           say=heard(("user", "Where?")) | said("I pass it on.", ("c1", "handoff", to))),
        oi(6, "TOOL", "FunctionTool.acall", parent=1, at=10, to=11,
           say={"tool.name": "handoff", "output.value": passed,
                "input.value": json.dumps({"kwargs": json.loads(to)})}),
        turn(7, "clerk", parent=1, at=12, to=19),
        oi(8, "LLM", "Model.astream_chat", parent=7, at=13, to=18, say=said("Shipped.")),
        by="llama_index",
    )  # fmt: skip
    assert roles(found) == [
        ("planner", "decision"),
        ("planner", "handoff"),
        ("clerk", "message"),
    ]
    assert texts(found, 6)[1] == "Passed on."
    assert ("6", "8", LinkKind.HANDOFF) in docs.links(found)
    assert found.task_text == "Where?"


# Strands


def events(*given: tuple[str, dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {"name": name, "timeUnixNano": "0", "attributes": docs.attributes(about)}
        for name, about in given
    ]


def test_blocks_of_bedrock_are_words_calls_and_answers() -> None:
    call = {"toolUse": {"toolUseId": "c1", "name": "find", "input": {"order": "A-7"}}}
    answer = {"toolUseId": "c1", "status": "error", "content": [{"text": "Error: none"}]}
    chat = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"}
    asked = ("gen_ai.user.message", {"content": json.dumps([{"text": "Where?"}])})
    first = [{"text": "Looking."}, call]
    found = docs.run(
        docs.agent(1, "clerk", at=0, to=20),
        docs.span(2, name="chat", parent=1, at=1, to=2, say=chat, events=events(
            asked, ("gen_ai.choice", {"message": json.dumps(first)}))),
        docs.tool(3, "find", parent=1, at=3, to=4,
                  say={"gen_ai.tool.call.id": "c1", "gen_ai.tool.status": "error"}, events=events(
            ("gen_ai.tool.message", {"content": ORDER, "id": "c1"}),
            ("gen_ai.choice", {"message": json.dumps([{"text": "Error: none"}]), "id": "c1"}))),
        docs.span(4, name="chat", parent=1, at=5, to=6, say=chat, events=events(
            asked,
            ("gen_ai.assistant.message", {"content": json.dumps(first)}),
            ("gen_ai.tool.message", {"content": json.dumps([{"toolResult": answer}])}),
            ("gen_ai.choice", {"message": json.dumps([{"text": "There is none."}])}))),
        scope="strands.telemetry.tracer",
    )  # fmt: skip
    assert roles(found) == [("clerk", kind) for kind in ("decision", "tool", "message")]
    assert texts(found, 2) == ["Looking."]
    assert texts(found, 3)[1:] == ["Error: none"]
    assert docs.step(found, 3).status is StepStatus.ERROR
    assert texts(found, 4) == ["There is none."]


# Langfuse


def observation(number: int, kind: str, name: str, given: Any, gave: Any, **more: Any) -> Any:
    say = {"langfuse.observation.type": kind, "langfuse.observation.input": json.dumps(given)}
    if gave is not None:
        say["langfuse.observation.output"] = gave if isinstance(gave, str) else json.dumps(gave)
    return docs.span(number, name=name, say=say | more.pop("say", {}), **more)


def test_observations_of_langfuse() -> None:
    function = {"name": "find", "arguments": ORDER}
    asked = {"messages": [{"role": "user", "content": "Where?"}], "tools": [{"type": "function"}]}
    wants = {"role": "assistant", "tool_calls": [{"id": "c1", "function": function}]}
    found = docs.run(
        observation(1, "agent", "clerk", {"args": ["Where?"], "kwargs": {}}, "None.", at=0, to=9),
        observation(2, "generation", "OpenAI-generation", asked, wants, parent=1, at=1, to=2,
                    say={"langfuse.observation.model.name": "m-1"}),
        observation(3, "tool", "find", {"args": [], "kwargs": json.loads(ORDER)}, None,
                    parent=1, at=3, to=4, **docs.failed("no such order"),
                    say={"langfuse.observation.level": "ERROR",
                         "langfuse.observation.status_message": "no such order"}),
        scope="langfuse-sdk",
    )  # fmt: skip
    assert roles(found) == [("clerk", "decision"), ("clerk", "tool")]
    assert docs.step(found, 2).parts[0].data["model"] == "m-1"
    assert texts(found, 3) == [ORDER, "no such order"]
    assert "kept_in_raw_only" not in docs.gaps(found)


# AutoGen


def passing(number: int, what: str, **more: Any) -> dict[str, Any]:
    say = {"messaging.operation": what, "messaging.destination": "clerk_1.(1)-A"}
    return docs.span(number, name=f"autogen {what} clerk_1", say=say, **more)


def test_messages_on_their_way_are_no_steps() -> None:
    """A trace of nothing else is no run."""
    with pytest.raises(Unreadable, match="none of its spans is an act"):
        docs.read(docs.request(passing(1, "publish"), scope="autogen SingleThreadedAgentRuntime"))
    others = docs.run(passing(1, "publish"), scope="desk")
    assert len(others.steps) == 1


# Google ADK


def test_an_answer_of_adk_is_taken_out_of_its_object_wherever_it_stands() -> None:
    for name in ("gen_ai.tool.call.result", "gcp.vertex.agent.tool_response"):
        say = {name: '{"error": "no such order"}', "gen_ai.tool.call.id": "c1"}
        found = docs.run(docs.tool(1, "find", say=say), scope="gcp.vertex.agent")
        assert texts(found, 1)[1] == "no such order"
        assert found.steps[0].status is StepStatus.ERROR
