"""OpenInference (Phoenix, Arize): flattened, indexed attributes and a kind for each span."""

from __future__ import annotations

from typing import Any

from traces.formats.base import Json
from traces.formats.dialects import (
    adk,
    beeai_spans,
    crewai_spans,
    langchain,
    llama_index,
    smolagents_spans,
)
from traces.formats.dialects.given import (
    Attributes,
    first_text,
    in_order,
    indexed,
    shown,
    text,
    unread,
    unwrapped,
)
from traces.formats.spans.json_text import opened
from traces.formats.spans.span import Facts, Judged, Role, Span

KIND = "openinference.span.kind"
ROLES = {
    "LLM": Role.MODEL,
    "TOOL": Role.TOOL,
    "RETRIEVER": Role.TOOL,
    "RERANKER": Role.TOOL,
    "AGENT": Role.AGENT,
    "GUARDRAIL": Role.CHECK,
    "EVALUATOR": Role.JUDGEMENT,
}
HANDOFF = "handoff to "
AGENTS_SDK = "openinference.instrumentation.openai_agents"
# CrewAI's tools that have another agent do something. It has no span of its own.
DELEGATING = frozenset({"delegate work to coworker", "ask question to coworker"})
REDACTED = "__REDACTED__"
KNOWN = frozenset(
    {
        KIND, "input.value", "input.mime_type", "output.value", "output.mime_type", "session.id",
        "llm.model_name", "llm.system", "llm.provider", "llm.invocation_parameters",
        "llm.finish_reason", "agent.name", "graph.node.id", "graph.node.name",
        "graph.node.parent_id", "tool.name", "tool.description", "tool.parameters",
        "tool_call.id", "tool.id", "tool_call.function.name", "tool_call.function.arguments",
        "metadata", "user.id",
    }
)  # fmt: skip
PREFIXES = (
    "llm.input_messages", "llm.output_messages", "llm.token_count.", "llm.cost.", "llm.tools",
    "retrieval.documents", "evaluation.", "llm.prompts", "annotation.",
)  # fmt: skip
# Of the parameters, what only this call has, and what is a text rather than a setting.
OF_CALL = frozenset({"id", "created_at", "instructions", "input"})
LONGEST = 100
# Frameworks that say something in words of their own.
OWN_WORDS = {
    adk.INSTRUMENTATION: adk.complete,
    beeai_spans.SCOPE: beeai_spans.complete,
    crewai_spans.SCOPE: crewai_spans.complete,
    langchain.SCOPE: langchain.complete,
    llama_index.SCOPE: llama_index.complete,
    smolagents_spans.SCOPE: smolagents_spans.complete,
}
JUDGING = ("evaluation.", "annotation.")


def facts(span: Span) -> Facts:
    given = span.attributes
    kind = text(given.get(KIND)).upper()
    role = ROLES.get(kind, Role.CONTAINER)
    if role is Role.AGENT and is_whole_run(span):
        role = Role.CONTAINER
    found = Facts(
        role=role,
        agent=agent_of(given) if role is Role.AGENT else text(given.get("agent.name")),
        label=without_method(span.name),
        conversation=text(given.get("session.id")),
        unread=unread(given, KNOWN, PREFIXES),
    )
    if role is Role.MODEL:
        model_call(found, given)
    elif role is Role.AGENT:
        found.prompt, found.reply = value(given, "input"), value(given, "output")
    elif role is Role.TOOL or role is Role.CHECK:
        tool_call(found, span)
    if (complete := OWN_WORDS.get(span.scope.name)) is not None:
        complete(found, span)
    found.judged = judgements(span, role)
    return found


def is_whole_run(span: Span) -> bool:
    """The OpenAI Agents SDK's trace is a span too. Its name is the workflow's, not an agent's."""
    return span.scope.name == AGENTS_SDK and not span.parent and not agent_of(span.attributes)


def agent_of(given: Attributes) -> str:
    return first_text(given, "agent.name", "graph.node.name", "graph.node.id")


def without_method(name: str) -> str:
    """An agent's name as instrumentations of methods write it: "planner.run"."""
    return name.removesuffix(".run").removesuffix(".arun")


def model_call(found: Facts, given: Attributes) -> None:
    found.model = text(given.get("llm.model_name"))
    parameters = opened(given.get("llm.invocation_parameters"))
    if isinstance(parameters, dict):
        found.parameters = {name: each for name, each in parameters.items() if is_plain(name, each)}
    found.finish = text(given.get("llm.finish_reason"))
    prompt, reply = messages(given, "llm.input_messages"), messages(given, "llm.output_messages")
    found.prompt = prompt or prompts(given) or value(given, "input")
    found.reply = reply or value(given, "output")
    if given.get("output.value") == REDACTED and found.reply is None:
        found.silence = "withheld"
    if tools := indexed(given, "llm.tools."):
        found.configuration = {"tools": tools}


def prompts(given: Attributes) -> list[dict[str, Any]]:
    """The texts that a model of completions was sent, which has no messages."""
    whole = opened(given.get("llm.prompts"))
    if not isinstance(whole, list):
        placed = indexed(given, "llm.prompts.")
        inner = [each.get("prompt") for each in placed]
        whole = [each.get("text") for each in inner if isinstance(each, dict)]
    return [{"role": "user", "content": each} for each in whole if isinstance(each, str)]


def is_plain(name: str, given: Json) -> bool:
    """Whether it is a setting, and not what the call was about."""
    long = isinstance(given, str) and len(given) > LONGEST
    return name not in OF_CALL and not long and isinstance(given, str | int | float | bool)


def value(given: Attributes, side: str) -> Json:
    """What went in or out as a whole; what was hidden on purpose is not there."""
    found = given.get(f"{side}.value")
    return None if found == REDACTED else found


def tool_call(found: Facts, span: Span) -> None:
    given = span.attributes
    found.tool = first_text(given, "tool.name", "tool_call.function.name") or span.name
    found.call = first_text(given, "tool_call.id", "tool.id")
    if span.name.startswith(HANDOFF) and "tool.name" not in given:
        found.role = Role.HANDOFF
        found.to = text(given.get("output.value")) or span.name.removeprefix(HANDOFF)
        found.tool = ""
        return
    found.arguments = unwrapped(value(given, "input"))
    found.result = shown(value(given, "output"))
    if found.result is None and (documents := indexed(given, "retrieval.documents.")):
        found.result = shown(documents)
    if given.get("output.value") == REDACTED:
        found.result_state = "withheld"
    if found.tool.lower() in DELEGATING and isinstance(found.arguments, dict):
        found.to = text(found.arguments.get("coworker"))


def messages(given: Attributes, prefix: str) -> list[dict[str, Any]]:
    """The messages below a name: indexed attributes, or a list as it is, or as JSON."""
    whole = opened(given.get(prefix))
    if isinstance(whole, list):
        listed = [each for each in whole if isinstance(each, dict)]
        nested = [indexed({f"0.{k}": v for k, v in each.items()}, "") for each in listed]
        found = [each for one in nested for each in one]
    else:
        found = indexed(given, f"{prefix}.")
    return [each for raw in found if (each := message_of(raw))]


def message_of(raw: dict[str, Any]) -> dict[str, Any]:
    """A message as OpenAI's chat interface has it; nothing if it was hidden on purpose."""
    inner = raw.get("message")
    given = inner if isinstance(inner, dict) else raw
    found = {key: each for key, each in given.items() if key in ("role", "name", "tool_call_id")}
    content = given.get("content")
    pieces, among = given.get("contents"), []
    pieces = in_order(pieces) if isinstance(pieces, dict) else pieces
    if isinstance(pieces, list) and pieces:
        content = [piece_of(each) for each in pieces if not is_call(each)] or None
        among = [each for each in pieces if is_call(each)]
    if content == REDACTED:
        content = None
        if not given.get("tool_calls"):
            return {}
    if content is not None:
        found["content"] = content
    calls = given.get("tool_calls")
    calls = in_order(calls) if isinstance(calls, dict) else calls
    # Anthropic's messages have each call twice: by itself, and as a piece of content.
    calls = calls or among
    if isinstance(calls, list) and calls:
        found["tool_calls"] = [call_of(each) for each in calls]
    elif given.get("function_call_name"):
        function = {
            "name": given["function_call_name"],
            "arguments": given.get("function_call_arguments_json"),
        }
        found["function_call"] = function
    return found


def is_call(raw: Json) -> bool:
    """Whether a piece of content is a call."""
    if not isinstance(raw, dict) or not isinstance(raw.get("tool_call"), dict):
        return False
    inner = raw.get("message_content")
    return isinstance(inner, dict) and inner.get("type") == "tool_use"


def piece_of(raw: Json) -> Json:
    inner = raw.get("message_content") if isinstance(raw, dict) else None
    return inner if isinstance(inner, dict) else raw


def call_of(raw: Json) -> Json:
    inner = raw.get("tool_call") if isinstance(raw, dict) else None
    if not isinstance(inner, dict):
        return raw
    function = inner.get("function")
    body = dict(function) if isinstance(function, dict) else {}
    return {"id": inner.get("id"), "type": "function", "function": body}


def judgements(span: Span, role: Role) -> list[Judged]:
    given = span.attributes
    found = {name: each for name, each in given.items() if name.startswith(JUDGING)}
    if role is Role.JUDGEMENT:
        found |= {name: given[name] for name in ("input.value", "output.value") if name in given}
    if not found:
        return []
    by = next((each for name, each in found.items() if name.endswith("annotator_kind")), "")
    return [Judged(f"OpenInference {by}".strip(), text(given.get("output.value")), found)]
