"""OpenLLMetry (Traceloop): workflow, task, agent and tool spans; prompts in indexed attributes.

Since 0.55 or so model calls are written in the GenAI conventions: see `genai`.
"""

from __future__ import annotations

from typing import Any

from traces.formats.base import Json
from traces.formats.dialects import genai
from traces.formats.dialects.given import (
    Attributes,
    below,
    finish_of,
    first_text,
    in_order,
    indexed,
    shown,
    text,
    unread,
    unwrapped,
)
from traces.formats.spans.json_text import opened
from traces.formats.spans.span import Facts, Role, Span

KIND = "traceloop.span.kind"
ROLES = {"agent": Role.AGENT, "tool": Role.TOOL}
SIGNS = ("llm.request.type", "gen_ai.prompt.0.role", "gen_ai.completion.0.role")
KNOWN = genai.KNOWN | {
    KIND, "traceloop.entity.name", "traceloop.entity.path", "traceloop.entity.input",
    "traceloop.entity.output", "traceloop.entity.version", "traceloop.workflow.name",
    "llm.request.type", "llm.usage.total_tokens", "llm.is_streaming", "llm.headers",
    "llm.response.finish_reason", "llm.response.stop_reason", "gen_ai.is_streaming",
    "gen_ai.openai.api_base",
}  # fmt: skip
PREFIXES = (
    *genai.PREFIXES, "gen_ai.prompt.", "gen_ai.completion.", "llm.request.functions.",
    "traceloop.association.properties.",
)  # fmt: skip
ASSOCIATED = "traceloop.association.properties."


def facts(span: Span) -> Facts:
    given = span.attributes
    if KIND not in given:
        return model_call(span)
    role = ROLES.get(text(given.get(KIND)), Role.CONTAINER)
    name = text(given.get("traceloop.entity.name"))
    workflow = text(given.get("traceloop.workflow.name"))
    found = Facts(
        role=role,
        label=name or span.name,
        agent=name if role is Role.AGENT else agent_of(given) or workflow,
        task=task_of(given),
        unread=unread(given, KNOWN, PREFIXES),
    )
    if role is Role.TOOL:
        found.tool = text(given.get("gen_ai.tool.name")) or name or span.name
        found.call = text(given.get("gen_ai.tool.call.id"))
        found.arguments = unwrapped(given.get("traceloop.entity.input"))
        found.result = result_of(given.get("traceloop.entity.output"))
        if found.agent == workflow:
            found.agent = ""
    elif role is Role.AGENT:
        found.prompt = unwrapped(given.get("traceloop.entity.input"))
        found.reply = result_of(given.get("traceloop.entity.output"))
    return found


def agent_of(given: Attributes) -> str:
    return first_text(given, "gen_ai.agent.name")


def task_of(given: Attributes) -> str:
    """What the developer named the task by, if by one of the names that mean it."""
    return first_text(given, *(f"{ASSOCIATED}{name}" for name in ("task_id", "task", "taskId")))


def result_of(given: Json) -> str | None:
    """A tool's result: the text itself where it is noted as a JSON string."""
    value = opened(given)
    return value if isinstance(value, str) else shown(given)


def model_call(span: Span) -> Facts:
    """A model call of the old generation; the new one has the names of the conventions."""
    given = span.attributes
    found = genai.facts(span, KNOWN, PREFIXES)
    found.role = Role.CONTAINER if given.get("llm.request.type") == "embedding" else Role.MODEL
    genai.model_call(found, span)
    prompt = [message_of(each) for each in indexed(given, "gen_ai.prompt.")]
    reply = [message_of(each) for each in indexed(given, "gen_ai.completion.")]
    found.prompt = found.prompt if found.prompt is not None else prompt or None
    found.reply = found.reply if found.reply is not None else reply or None
    found.finish = found.finish or finish_of(given.get("llm.response.finish_reason"))
    if tools := indexed(given, "llm.request.functions."):
        found.configuration = {"tools": tools}
    if more := below(given, ASSOCIATED):
        found.configuration = {**found.configuration, "properties": more}
    return found


def message_of(raw: dict[str, Any]) -> dict[str, Any]:
    """A message as OpenAI's chat interface has it. Content of several pieces is noted as JSON."""
    found = dict(raw)
    calls = in_order(found.pop("tool_calls", None))
    content = opened(found.get("content"))
    if isinstance(content, list) and content and all(map(is_call, content)):
        # Koog writes calls where others have words, and takes what it calls for the tool's.
        return {**found, "role": "assistant", "content": None, "tool_calls": content}
    if isinstance(content, list):
        found["content"] = content
    if calls:
        found["tool_calls"] = [
            {
                "id": each.get("id"),
                "type": "function",
                "function": {"name": each.get("name"), "arguments": each.get("arguments")},
            }
            for each in calls
            if isinstance(each, dict)
        ]
    return found


def is_call(given: Json) -> bool:
    named = given.get("function") if isinstance(given, dict) else None
    return isinstance(named, dict) and "arguments" in named
