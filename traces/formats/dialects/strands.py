"""Strands Agents: GenAI names, and messages in the blocks of Bedrock."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from traces.formats.base import Json
from traces.formats.dialects import genai
from traces.formats.dialects.given import shown, unread
from traces.formats.spans.json_text import opened
from traces.formats.spans.span import Facts, Role, Span

SCOPE = "strands.telemetry.tracer"
KNOWN = genai.KNOWN | {
    "gen_ai.event.start_time", "gen_ai.event.end_time", "gen_ai.tool.json_schema",
    "gen_ai.tool.status", "event_loop.cycle_id", "event_loop.parent_cycle_id", "gen_ai.agent.tools",
    "system_prompt",
}  # fmt: skip
REQUEST, CHOICE = "gen_ai.tool.message", "gen_ai.choice"


def facts(span: Span) -> Facts:
    found = genai.facts(span, KNOWN)
    found.unread = unread(span.attributes, KNOWN, genai.PREFIXES)
    if found.role is Role.TOOL:
        tool_call(found, span)
    elif found.role is Role.MODEL or found.role is Role.AGENT:
        found.prompt, found.reply = plain(found.prompt), plain(found.reply)
    return found


def tool_call(found: Facts, span: Span) -> None:
    """What a tool was given and what it answered: events of its span, in the older convention."""
    for event in span.events:
        if event.name == REQUEST and found.arguments is None:
            found.arguments = opened(event.attributes.get("content"))
        elif event.name == CHOICE and found.result is None:
            found.result = shown(event.attributes.get("message"))
    found.result = words(found.result)
    if span.attributes.get("gen_ai.tool.status") == "error":
        found.failed = True


def words(result: str | None) -> str | None:
    """The text of an answer that is nothing but text."""
    blocks = opened(result)
    if not isinstance(blocks, list) or not blocks:
        return result
    texts = [each.get("text") for each in blocks if isinstance(each, Mapping) and len(each) == 1]
    said = [each for each in texts if isinstance(each, str)]
    return "\n".join(said) if len(said) == len(blocks) else result


def plain(given: Json) -> Json:
    """Messages whose content is a list of Bedrock's blocks, with blocks that all readers know."""
    if not isinstance(given, list):
        return given
    return [
        {**each, "content": [block_of(block) for block in content]}
        if isinstance(each, Mapping) and isinstance(content := opened(each.get("content")), list)
        else each
        for each in given
    ]


def block_of(given: Json) -> Json:
    if not isinstance(given, Mapping):
        return given
    call, answer = given.get("toolUse"), given.get("toolResult")
    if isinstance(call, Mapping):
        name, arguments = call.get("name"), call.get("input")
        return {"type": "tool_use", "id": call.get("toolUseId"), "name": name, "input": arguments}
    if isinstance(answer, Mapping):
        return answer_of(answer)
    if isinstance(given.get("text"), str) and len(given) == 1:
        return {"type": "text", "text": given["text"]}
    return given


def answer_of(given: Mapping[str, Any]) -> Json:
    content = given.get("content")
    return {
        "type": "tool_result",
        "tool_use_id": given.get("toolUseId"),
        "content": [block_of(each) for each in content] if isinstance(content, list) else content,
        "is_error": given.get("status") == "error",
    }
