"""Vercel's AI SDK: a span for the whole loop, one for each model call and for each tool call.

The loop is the agent's execution; its developer names the agent by `functionId`.
"""

from __future__ import annotations

from typing import Any

from traces.formats.base import Json
from traces.formats.dialects import genai
from traces.formats.dialects.given import (
    Attributes,
    below,
    finish_of,
    first,
    first_text,
    shown,
    text,
    unread,
)
from traces.formats.spans.json_text import opened
from traces.formats.spans.span import Facts, Role, Span

OPERATION = "ai.operationId"
# Who writes the spans of version 7.
SCOPE = "gen_ai"
CALLS = (".doGenerate", ".doStream")
LOOPS = frozenset(
    {"ai.generateText", "ai.streamText", "ai.generateObject", "ai.streamObject", "ai.agent"}
)
METADATA = "ai.telemetry.metadata."
KNOWN = frozenset(
    {
        OPERATION, "operation.name", "resource.name", "ai.telemetry.functionId", "ai.model.id",
        "ai.model.provider", "ai.prompt", "ai.prompt.messages", "ai.prompt.tools",
        "ai.prompt.toolChoice", "ai.prompt.format", "ai.response.text", "ai.response.toolCalls",
        "ai.response.object", "ai.response.reasoning", "ai.response.finishReason",
        "ai.response.id", "ai.response.model", "ai.response.timestamp", "ai.toolCall.id",
        "ai.toolCall.name", "ai.toolCall.args", "ai.toolCall.result", "ai.result.text",
        "ai.result.toolCalls", "ai.result.object", "ai.finishReason",
    }
)  # fmt: skip
PREFIXES = (
    "ai.usage.", "ai.settings.", "ai.request.headers.", "ai.response.ms", "ai.response.avg",
    "ai.schema", "gen_ai.", METADATA,
)  # fmt: skip


def facts(span: Span) -> Facts:
    given = span.attributes
    operation = text(given.get(OPERATION))
    found = Facts(
        agent=text(given.get("ai.telemetry.functionId")),
        label=operation,
        task=first_text(given, f"{METADATA}taskId", f"{METADATA}task_id", f"{METADATA}task"),
        conversation=first_text(given, f"{METADATA}sessionId", f"{METADATA}conversationId"),
        unread=unread(given, KNOWN, PREFIXES),
    )
    if operation == "ai.toolCall":
        found.role = Role.TOOL
        found.tool = text(given.get("ai.toolCall.name"))
        found.call = text(given.get("ai.toolCall.id"))
        found.arguments = given.get("ai.toolCall.args")
        found.result = result_of(given.get("ai.toolCall.result"))
    elif operation.endswith(CALLS) and not operation.startswith("ai.embed"):
        found.role = Role.MODEL
        model_call(found, given)
    elif operation in LOOPS:
        found.role = Role.AGENT
        model_call(found, given)
        found.response_id = ""
    return found


def newer(span: Span) -> Facts:
    """Version 7 has the names of the GenAI conventions; its results are JSON as before."""
    found = genai.facts(span)
    if found.role is Role.TOOL:
        found.result = result_of(found.result)
    return found


def result_of(given: Json) -> str | None:
    """A result is JSON, also where it is a plain text."""
    value = opened(given)
    return value if isinstance(value, str) else shown(given)


def model_call(found: Facts, given: Attributes) -> None:
    found.model = first_text(given, "ai.response.model", "ai.model.id")
    found.parameters = below(given, "ai.settings.")
    found.prompt = prompt_of(given)
    found.reply = reply_of(given)
    found.response_id = text(given.get("ai.response.id"))
    found.finish = finish_of(first(given, "ai.response.finishReason", "ai.finishReason"))
    configuration = {"tools": given.get("ai.prompt.tools"), "metadata": below(given, METADATA)}
    found.configuration = {name: value for name, value in configuration.items() if value}


def prompt_of(given: Attributes) -> Json:
    found = given.get("ai.prompt.messages")
    if found is not None:
        return found
    whole = opened(given.get("ai.prompt"))
    if not isinstance(whole, dict):
        return whole
    messages = opened(whole.get("messages"))
    said = messages if isinstance(messages, list) else []
    first_words = whole.get("prompt")
    if isinstance(first_words, str) and first_words:
        said = [{"role": "user", "content": first_words}, *said]
    elif isinstance(first_words, list):
        said = [*first_words, *said]
    if isinstance(whole.get("system"), str):
        said = [{"role": "system", "content": whole["system"]}, *said]
    return said


def reply_of(given: Attributes) -> Json:
    """What the model sent back as one message; None if none of it was recorded."""
    words = first(given, "ai.response.text", "ai.result.text", "ai.response.object")
    words = words if words is not None else given.get("ai.result.object")
    calls = opened(first(given, "ai.response.toolCalls", "ai.result.toolCalls"))
    reasoning = given.get("ai.response.reasoning")
    if words is None and calls is None and reasoning is None:
        return None
    message: dict[str, Any] = {"role": "assistant", "content": shown(words)}
    if isinstance(reasoning, str):
        message["reasoning"] = reasoning
    if isinstance(calls, list) and calls:
        message["tool_calls"] = [call_of(each) for each in calls if isinstance(each, dict)]
    return [message]


def call_of(raw: dict[str, Any]) -> dict[str, Any]:
    function = {"name": raw.get("toolName"), "arguments": first(raw, "input", "args")}
    return {"id": raw.get("toolCallId"), "type": "function", "function": function}
