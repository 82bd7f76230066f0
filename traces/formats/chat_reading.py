"""Reads messages of any dialect: by what stands in them, not by who wrote them.

Nothing is lost: a piece of a kind that nobody knows is shown as JSON and marked.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from traces.formats.base import Json
from traces.formats.chat import LEVELS, ROLES, Answer, Call, Message
from traces.transcript import Part, PartKind

# Where lists of messages stand in what models are sent and send back.
LISTS = ("messages", "input_messages", "output_messages", "contents", "items", "output")
TEXTS = frozenset({"text", "input_text", "output_text", "refusal", "summary_text"})
THOUGHTS = frozenset({"thinking", "reasoning", "redacted_thinking", "reasoning_content"})
CALLS = frozenset(
    {"tool_call", "tool_use", "function_call", "server_tool_use", "server_tool_call"}
    | {"custom_tool_call", "tool-call", "mcp_call", "local_shell_call", "computer_call"}
    | {"web_search_call", "file_search_call", "code_interpreter_call"}
)
ANSWERS = frozenset(
    {"tool_call_response", "tool_result", "function_call_output", "tool-result", "tool-return"}
    | {"server_tool_call_response", "custom_tool_call_output", "local_shell_call_output"}
    | {"web_search_tool_result", "code_execution_tool_result", "mcp_tool_result"}
)
# Keys of a message that have a place of their own.
PLACED = frozenset(
    {"role", "type", "name", "content", "parts", "tool_calls", "function_call", "tool_call_id"}
    | {"id", "model", "finish_reason", "stop_reason", "refusal", "reasoning_content", "reasoning"}
)


def opened(value: Json, levels: int = LEVELS) -> Json:
    """JSON that stands in a string, at most three levels deep; any other value as it is."""
    while levels and isinstance(value, str) and value.lstrip()[:1] in ("{", "[", '"'):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return value
        levels -= 1
    return value


def messages(value: Json, role: str = "user") -> list[Message]:
    """The messages in what a model was sent or sent back, whatever it is wrapped in."""
    value = opened(value)
    if isinstance(value, str):
        kind = PartKind.MESSAGE if role == "assistant" else PartKind.INPUT
        return [Message(role, parts=(Part(kind, value),))] if value else []
    if isinstance(value, Mapping):
        return _wrapped(value, role)
    if isinstance(value, list):
        return [each for item in value for each in messages(item, role)]
    return []


def _wrapped(value: Mapping[str, Json], role: str) -> list[Message]:
    for key in LISTS:
        if isinstance(value.get(key), list):
            return messages(value[key], "assistant" if key.startswith("output") else role)
    if isinstance(value.get("choices"), list):
        return [each for item in value["choices"] for each in _choice(item)]
    for key in ("message", "kwargs"):
        inner = opened(value.get(key))
        if isinstance(inner, Mapping) and ("content" in inner or "role" in inner):
            named = [str(each) for each in value.get("id", ()) if isinstance(value["id"], list)]
            return [message(inner, _role(named[-1] if named else None, inner, role))]
    return [message(value, role)]


def _choice(value: Json) -> list[Message]:
    inner = value.get("message") if isinstance(value, Mapping) else None
    if not isinstance(inner, Mapping):
        return []
    return [message({"finish_reason": value.get("finish_reason"), **inner}, "assistant")]


def _role(given: Json, value: Mapping[str, Json], default: str) -> str:
    role = str(given or value.get("role") or "")
    kind = str(value.get("type") or "")
    role = role or (kind if kind in ROLES or kind in ROLES.values() else "")
    if not role and kind in ANSWERS:
        role = "tool"
    if not role and (kind in CALLS or kind in THOUGHTS):
        role = "assistant"
    return ROLES.get(role, role or default)


def message(value: Mapping[str, Json], role: str = "user") -> Message:
    """One message, or one item that stands for one."""
    role = _role(None, value, role)
    taking = Taking(PartKind.MESSAGE if role == "assistant" else PartKind.INPUT)
    if role == "tool" and str(value.get("type")) not in ANSWERS:
        taking.answer(value, value.get("content", value.get("parts")))
    elif str(value.get("type")) in CALLS | ANSWERS | THOUGHTS | TEXTS:
        taking.piece(value)
    else:
        for key in ("reasoning_content", "reasoning"):
            taking.thought(value.get(key))
        taking.content(value["content"] if value.get("content") else value.get("parts"))
        taking.said(value.get("refusal"), {"refusal": True})
        for call in _list(value.get("tool_calls")):
            taking.call(call)
        if value.get("function_call"):
            taking.call({"function": value["function_call"]})
    return Message(
        role=role,
        name=str(value.get("name") or "") if role != "tool" else "",
        parts=tuple(taking.parts),
        calls=tuple(taking.calls),
        answers=tuple(taking.answers),
        id=_text(value.get("id")),
        model=_text(value.get("model")),
        finish=_text(value.get("finish_reason") or value.get("stop_reason")),
    )


@dataclass(slots=True)
class Taking:
    """The pieces of one message while they are read. `kind` is that of its plain text."""

    kind: PartKind
    parts: list[Part] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)

    def content(self, value: Json) -> None:
        for item in _list(value):
            if isinstance(item, str):
                self.said(item)
            elif isinstance(item, Mapping):
                self.piece(item)
            elif item is not None:
                self.raw(item)

    def piece(self, item: Mapping[str, Json]) -> None:
        kind = str(item.get("type") or item.get("part_kind") or "")
        if kind in CALLS or "functionCall" in item or "function_call" in item:
            self.call(item)
        elif kind in ANSWERS or "functionResponse" in item or "function_response" in item:
            inner = item.get("functionResponse") or item.get("function_response") or item
            self.answer(inner, _result(inner))
        elif kind in THOUGHTS or item.get("thought") is True:
            self.thinking(item)
        elif isinstance(text := _said(item), str) and (kind in TEXTS or not kind):
            rest = {k: v for k, v in item.items() if v is not text and k != "type"}
            self.said(text, rest | ({"refusal": True} if kind == "refusal" else {}))
        elif kind == "message":
            self.content(item.get("content"))
        else:
            self.raw(item)

    def said(self, text: Json, data: Mapping[str, Any] | None = None) -> None:
        if isinstance(text, str) and text:
            self.parts.append(Part(self.kind, text, data or {}))

    def thought(self, value: Json) -> None:
        if isinstance(value, str) and value:
            self.parts.append(Part(PartKind.INTERPRETATION, value))
        elif isinstance(value, Mapping) and value:
            self.thinking(value)

    def thinking(self, item: Mapping[str, Json]) -> None:
        """Reasoning. What is only a signature or ciphertext was withheld by the model's vendor."""
        text = "\n".join(_texts(item))
        sealed = any(item.get(key) for key in ("signature", "encrypted_content", "data"))
        if text:
            self.parts.append(Part(PartKind.INTERPRETATION, text))
        elif sealed:
            capture = {"text": "withheld"}
            self.parts.append(Part(PartKind.INTERPRETATION, "", {"sealed": True}, capture))

    def call(self, value: Json) -> None:
        """A call however it is written; what has no name is kept whole as its arguments."""
        given: Mapping[str, Json] = value if isinstance(value, Mapping) else {}
        body = next(
            (
                each
                for key in ("function", "functionCall", "function_call", "custom", "tool_call")
                if isinstance(each := given.get(key), Mapping)
            ),
            given,
        )
        name = body.get("name") or body.get("tool_name") or given.get("type")
        arguments = next(
            (
                body[key]
                for key in ("arguments", "args", "input", "action", "query")
                if body.get(key) is not None
            ),
            "" if body else value,
        )
        self.calls.append(
            Call(
                id=_text(given.get("call_id") or given.get("id") or body.get("id"))
                or _text(given.get("tool_call_id")),
                name=str(name or "unknown tool"),
                arguments=arguments,
            )
        )

    def answer(self, item: Mapping[str, Json], content: Json) -> None:
        inner = Taking(PartKind.TOOL_RESPONSE)
        if isinstance(content, Mapping) and not content.get("type"):
            text = json.dumps(content, ensure_ascii=False)
        else:
            inner.content(content)
            text = "\n".join(part.text for part in inner.parts)
        failed = item.get("is_error", item.get("isError"))
        data = [dict(part.data) for part in inner.parts if part.data]
        self.answers.append(
            Answer(
                id=next((_text(item.get(k)) for k in ANSWER_IDS if item.get(k)), ""),
                name=str(item.get("name") or item.get("tool_name") or ""),
                text=text,
                failed=failed if isinstance(failed, bool) else None,
                data={"pieces": data} if data else {},
            )
        )

    def raw(self, item: Json) -> None:
        """A piece that is no text: an image, a file, or something that nobody knows."""
        what = str(item.get("type", "content")) if isinstance(item, Mapping) else "content"
        text = json.dumps(item, ensure_ascii=False)
        self.parts.append(Part(self.kind, text, {"type": what, "raw": True}))


ANSWER_IDS = ("tool_call_id", "tool_use_id", "call_id", "id")


def _result(item: Mapping[str, Json]) -> Json:
    for key in ("result", "response", "output", "content"):
        if key in item:
            return item[key]
    return None


def _said(item: Mapping[str, Json]) -> Json:
    return next((item[key] for key in ("text", "content", "refusal") if key in item), None)


def _texts(item: Mapping[str, Json]) -> Iterator[str]:
    for key in ("thinking", "text", "reasoning", "content", "summary"):
        for each in _list(item.get(key)):
            text = each.get("text") if isinstance(each, Mapping) else each
            if isinstance(text, str) and text:
                yield text


def _list(value: Json) -> Sequence[Json]:
    if isinstance(value, list):
        return value
    return [] if value is None or value == "" else [value]


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""
