"""What smolagents needs besides OpenInference: its prompts hold calls and answers as text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from traces.formats.base import Json
from traces.formats.spans.span import Facts, Role, Span

SCOPE = "openinference.instrumentation.smolagents"
CALLING, OBSERVED = "Calling tools:\n", "Observation:\n"
CALL = re.compile(
    r"'id': '([^'\\]{1,200})', 'type': 'function', 'function': \{'name': '([^'\\]{1,200})'"
)


def complete(found: Facts, span: Span) -> None:
    if found.role is Role.MODEL and isinstance(found.prompt, list):
        found.prompt = list(in_words_of_all(found.prompt))


def in_words_of_all(messages: list[Json]) -> Iterator[Json]:
    """The messages with the calls that they repeat as calls, and the one answer as its answer."""
    calls: list[tuple[str, str]] = []
    for each in messages:
        role = each.get("role") if isinstance(each, dict) else None
        text = only_text(each) if role in ("tool-call", "tool-response") else ""
        if role == "tool-call" and text.startswith(CALLING):
            calls = CALL.findall(text)
            yield calling(calls) if calls else each
            continue
        if role == "tool-response" and text.startswith(OBSERVED) and len(calls) == 1:
            content = text.removeprefix(OBSERVED)
            yield {"role": "tool", "tool_call_id": calls[0][0], "content": content}
        else:
            yield each
        calls = []


def only_text(message: Any) -> str:
    """The text of a message that is nothing but one text."""
    content = message.get("content")
    if isinstance(content, list) and len(content) == 1 and isinstance(content[0], dict):
        content = content[0].get("text")
    return content if isinstance(content, str) else ""


def calling(calls: list[tuple[str, str]]) -> Json:
    found: list[Json] = [
        {"id": call, "type": "function", "function": {"name": name}} for call, name in calls
    ]
    return {"role": "assistant", "content": None, "tool_calls": found}
