"""What Langfuse's observations say: by their dialect, else by their type.

Langfuse takes what was said out of the attributes of spans, and keeps it as input and output.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from traces.formats.base import Json
from traces.formats.dialects import choosing, vercel
from traces.formats.dialects.given import unwrapped
from traces.formats.records import loose
from traces.formats.records.loose import Object
from traces.formats.records.times import nanoseconds_of
from traces.formats.spans import tool_messages
from traces.formats.spans.json_text import opened
from traces.formats.spans.span import Facts, Role, Scope, Span

ROLES = {
    "GENERATION": Role.MODEL,
    "AGENT": Role.AGENT,
    "TOOL": Role.TOOL,
    "RETRIEVER": Role.TOOL,
    "GUARDRAIL": Role.CHECK,
    "EVALUATOR": Role.JUDGEMENT,
    "EMBEDDING": Role.CONTAINER,
    "CHAIN": Role.CONTAINER,
    "SPAN": Role.CONTAINER,
    "EVENT": Role.CONTAINER,
}
SNAKE = {
    "traceId": "trace_id",
    "parentObservationId": "parent_observation_id",
    "startTime": "start_time",
    "endTime": "end_time",
    "statusMessage": "status_message",
    "modelParameters": "model_parameters",
    "observationId": "observation_id",
    "sessionId": "session_id",
}
HELD = frozenset(
    {"id", "type", "name", "input", "output", "metadata", "level", "model", "environment", "tags"}
    | {*SNAKE, *SNAKE.values(), "projectId", "project_id", "createdAt", "updatedAt", "observations"}
)
# What Langfuse works out of the rest by itself.
WORKED_OUT = re.compile(
    r"latency|timeToFirstToken|(input|output|total)(Cost|Usage)|usageDetails|usage|"
    r"(provided)?[cC]ostDetails|internalModel(Id)?|usagePricingTier(Id|Name)|tool(Definitions|Calls|CallNames)"
)
# How instrumentations call the span of a tool.
TOOL_SPANS = ("execute_tool ", "running tool: ")
# Nodes of a graph that carry out what an agent does, and are none.
PLUMBING = frozenset({"tools", "model", "model_request", "__start__", "__end__"})
# One text for all messages, each behind its role, as OpenLIT writes them.
SPEAKERS = {"system": "system", "developer": "system", "user": "user"}
TURN = re.compile(r"^(system|developer|user|assistant|tool): ", re.MULTILINE)
NOTHING = "None"


def get(value: Object, name: str) -> Json:
    found = value.get(name)
    return value.get(SNAKE[name]) if found is None and name in SNAKE else found


def is_empty(value: Json) -> bool:
    """Whether a field says nothing: the trace's own list of observations has "{}" for metadata."""
    return not value or value == "{}"


def is_observation(value: Object) -> bool:
    return (
        loose.text(value.get("type")) in ROLES
        and isinstance(get(value, "traceId"), str)
        and isinstance(value.get("id"), str)
    )


def span_of(value: Object, places: list[str], given: dict[str, Object]) -> Span:
    metadata = metadata_of(value)
    scope = loose.mapping(metadata.get("scope"))
    given[places[0]] = value
    return Span(
        trace=loose.text(get(value, "traceId")),
        id=str(value.get("id")),
        parent=loose.text(get(value, "parentObservationId")),
        name=loose.text(value.get("name")),
        start_ns=nanoseconds_of(get(value, "startTime")),
        end_ns=nanoseconds_of(get(value, "endTime")),
        attributes=dict(loose.mapping(metadata.get("attributes"))),
        status="error" if value.get("level") == "ERROR" else "",
        message=loose.text(get(value, "statusMessage")),
        resource=loose.mapping(metadata.get("resourceAttributes")),
        scope=Scope(loose.text(scope.get("name")), loose.text(scope.get("version"))),
        pointer=places[0],
        also_from=list(places[1:]),
    )


def metadata_of(value: Object) -> Object:
    return loose.mapping(opened(value.get("metadata")))


def facts(span: Span, value: Object) -> Facts:
    """By what its dialect says, else by its type; content is what Langfuse kept of it."""
    found = choosing.facts_of(span) if span.attributes else Facts(role=Role.OTHER)
    kind = ROLES.get(loose.text(value.get("type")), Role.CONTAINER)
    # A dialect that knows what wraps an agent knows better than the type that was guessed of it.
    if found.role is Role.OTHER or (found.role is Role.CONTAINER and kind is not Role.AGENT):
        found.role = kind
    found.label = found.label or span.name
    found.model = found.model or loose.text(value.get("model"))
    gave = opened(value.get("output"))
    if not span.attributes:
        in_graph(found, span, value)
        if found.role is Role.CONTAINER and tool_messages.answer_in(gave) is not None:
            found.role = Role.TOOL
    if found.role in (Role.MODEL, Role.AGENT):
        speech(found, span, value, gave)
    elif found.role in (Role.TOOL, Role.CHECK):
        tool_call(found, span, value, gave)
    rest = (key for key in value if key not in HELD and not WORKED_OUT.fullmatch(key))
    found.unread = [*found.unread, *rest]
    return found


def speech(found: Facts, span: Span, value: Object, gave: Json) -> None:
    """What a model or an agent was given, and what it said."""
    if found.role is Role.AGENT:
        found.agent = found.agent or found.label
    found.parameters = loose.mapping(opened(get(value, "modelParameters")))
    if found.prompt is None:
        found.prompt = prompt_of(opened(value.get("input")), span)
    listed = prompt_messages(found)
    if found.reply is None and not (gave == NOTHING and listed):
        found.reply = reply_of(gave)


def tool_call(found: Facts, span: Span, value: Object, gave: Json) -> None:
    found.tool = tool_name(span)
    if found.arguments is None:
        found.arguments = arguments_of(opened(value.get("input")))
    if (answer := tool_messages.answer_in(gave)) is not None:
        tool_messages.take(found, answer)
    elif found.result is None:
        found.result = shown(gave)


def prompt_messages(found: Facts) -> bool:
    """Whether the prompt is a list, of which what LangChain adds of tools is taken out."""
    if not isinstance(found.prompt, list):
        return False
    tools = [each for each in found.prompt if defines_tool(each)]
    if tools:
        found.prompt = [each for each in found.prompt if not defines_tool(each)]
        found.configuration = {"tools": [each["content"] for each in tools]}
    return True


def defines_tool(message: Json) -> bool:
    """Whether a message is none, but the definition of a tool that the model may call."""
    given = loose.mapping(message)
    content = loose.mapping(given.get("content"))
    return given.get("role") == "tool" and isinstance(
        loose.at(content, "function", "parameters"), Mapping
    )


def in_graph(found: Facts, span: Span, value: Object) -> None:
    """Name the agent that a node of LangGraph is, as LangChain's callback notes it."""
    metadata = metadata_of(value)
    node = loose.text(metadata.get("lc_agent_name")) or loose.text(metadata.get("langgraph_node"))
    if not node or node in PLUMBING:
        return
    found.agent = node
    found.conversation = found.conversation or loose.text(metadata.get("thread_id"))
    if found.role is Role.CONTAINER and span.name == node:
        found.role = Role.AGENT
        found.instance = loose.text(metadata.get("langgraph_checkpoint_ns"))


def prompt_of(given: Json, span: Span) -> Json:
    """The messages, also those that stand one below the other in one text."""
    if span.attributes or not isinstance(given, str) or not TURN.match(given):
        return given
    pieces = TURN.split(given)[1:]
    return [
        {"role": SPEAKERS.get(role, role), "content": text.removesuffix("\n")}
        for role, text in zip(pieces[::2], pieces[1::2], strict=True)
    ]


def reply_of(gave: Json) -> Json:
    """What a model gave. Of Vercel's, calls without words are a list by themselves."""
    if isinstance(gave, list) and gave and all(map(is_bare_call, gave)):
        calls: list[Any] = [vercel.call_of(dict(loose.mapping(each))) for each in gave]
        return [{"role": "assistant", "content": None, "tool_calls": calls}]
    return gave


def is_bare_call(value: Json) -> bool:
    given = loose.mapping(value)
    return "role" not in given and {"toolCallId", "toolName"} <= given.keys()


def tool_name(span: Span) -> str:
    name = loose.text(span.attributes.get("gen_ai.tool.name")) or span.name
    for prefix in TOOL_SPANS:
        name = name.removeprefix(prefix)
    return name


def arguments_of(given: Json) -> Json:
    """Arguments of a tool, without the wrapper that some instrumentations put around them."""
    inner = given.get("input") if isinstance(given, Mapping) and len(given) == 1 else None
    return inner if isinstance(inner, Mapping) else unwrapped(given)


def shown(gave: Json) -> str | None:
    """A result as text. That of an MCP server is pieces of text in an object."""
    pieces = gave.get("content") if isinstance(gave, Mapping) and len(gave) == 1 else None
    if isinstance(pieces, list) and pieces:
        return tool_messages.words(pieces)
    return None if gave is None else loose.shown(gave)
