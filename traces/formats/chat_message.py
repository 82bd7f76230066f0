"""Reads one message of any dialect: who speaks, and the pieces of what is said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from traces.formats.base import Json
from traces.formats.chat import ROLES, Answer, Message
from traces.formats.chat_pieces import Pieces, answer_of
from traces.formats.chat_words import (
    THOUGHTS,
    as_list,
    is_answer,
    is_call,
    is_piece,
    kind_of,
    text_of,
    without,
)
from traces.transcript import PartKind

# Keys that only messages have.
SIGNS = frozenset({"role", "parts", "tool_calls", "lc"})
THOUGHT_KEYS = ("reasoning_content", "reasoning", "thinking", "thinking_blocks")
# Keys of a message that have a place of their own.
PLACED = (
    *("role", "type", "name", "content", "parts", "contents", "tool_calls", "function_call"),
    *("tool_call_id", "id", "model", "finish_reason", "stop_reason", "refusal", "object"),
    *("invalid_tool_calls", "finishReason", "text", *THOUGHT_KEYS),
)
ANSWERED = ("tool_name", "tool_use_id", "call_id", "is_error", "isError", "error")


def role_of(value: Mapping[str, Json], default: str) -> str:
    kind = kind_of(value).removesuffix("Chunk")
    role = text_of(value.get("role"))
    role = role or (kind if kind in ROLES or kind in ROLES.values() else "")
    if not role and is_answer(kind):
        role = "tool"
    if not role and (is_call(kind) or kind in THOUGHTS):
        role = "assistant"
    return ROLES.get(role, role or default)


def speech_of(role: str) -> PartKind:
    return PartKind.MESSAGE if role == "assistant" else PartKind.INPUT


def message(value: Mapping[str, Json], role: str = "user") -> Message:
    """One message, or one item that stands for one."""
    role = role_of(value, role)
    pieces = Pieces(speech_of(role))
    rest: dict[str, Json] = {}
    alone = "role" not in value and is_piece(kind_of(value))
    if alone:
        pieces.piece(value)
    elif role == "tool" and not any(map(is_answer_piece, as_list(content_of(value)))):
        pieces.answers.append(with_rest(answer_of(value, content_of(value), "tool"), value))
    else:
        rest = read_into(pieces, value)
    return Message(
        role=role,
        name=text_of(value.get("name")) if role != "tool" and not alone else "",
        parts=tuple(pieces.parts),
        calls=tuple(pieces.calls),
        answers=tuple(pieces.answers),
        id=text_of(value.get("id")),
        model=text_of(value.get("model"), metadata_of(value).get("model_name")),
        finish=text_of(
            value.get("finish_reason"),
            value.get("stop_reason"),
            value.get("finishReason"),
            metadata_of(value).get("finish_reason"),
        ),
        rest=rest,
    )


def with_rest(answer: Answer, value: Mapping[str, Json]) -> Answer:
    rest = without(value, *PLACED, *ANSWERED)
    return replace(answer, data={**answer.data, "message": rest}) if rest else answer


def read_into(pieces: Pieces, value: Mapping[str, Json]) -> dict[str, Json]:
    """Take apart one message; what is left has no place of its own."""
    for key in THOUGHT_KEYS:
        pieces.thought(value.get(key))
    pieces.content(content_of(value))
    pieces.said(value.get("refusal"), {"refusal": True})
    for call in calls_in(value):
        pieces.call(call)
    rest = without(value, *PLACED)
    if rest.get("status") == "completed":
        del rest["status"]
    silent = not (pieces.parts or pieces.calls or pieces.answers)
    unknown = kind_of(value) not in {"", "message", *ROLES, *ROLES.values()}
    if silent and (rest or unknown) and value.keys().isdisjoint(SIGNS):
        pieces.raw(value)
        return {}
    return rest


def calls_in(value: Mapping[str, Json]) -> list[Json]:
    """The calls beside the content, today's list, and where there is none, the older ones."""
    further = value.get("additional_kwargs")
    older = further.get("tool_calls") if isinstance(further, Mapping) else None
    calls = [*as_list(value.get("tool_calls")), *as_list(value.get("invalid_tool_calls"))]
    function = value.get("function_call")
    return [*(calls or as_list(older)), *([{"function": function}] if function else [])]


def content_of(value: Mapping[str, Json]) -> Json:
    for key in ("content", "parts", "contents", "text"):
        if value.get(key) not in (None, "", []):
            return value[key]
    return value.get("content")


def is_answer_piece(item: Json) -> bool:
    inner = item if isinstance(item, Mapping) else {}
    keys = ("functionResponse", "function_response")
    return is_answer(kind_of(inner)) or any(inner.get(key) is not None for key in keys)


def metadata_of(value: Mapping[str, Json]) -> Mapping[str, Json]:
    given = value.get("response_metadata")
    return given if isinstance(given, Mapping) else {}
