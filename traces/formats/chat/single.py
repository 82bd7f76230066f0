"""Reads one message of any dialect: who speaks, and the pieces of what is said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from traces.formats.base import Json
from traces.formats.chat.message import ROLES, Answer, Message
from traces.formats.chat.pieces import Pieces, answer_of
from traces.formats.chat.words import (
    THOUGHTS,
    as_list,
    is_answer,
    is_call,
    is_piece,
    kind_of,
    rest_of,
    text_at,
    text_of,
)
from traces.transcript import PartKind

# Keys that only messages have.
SIGNS = frozenset({"role", "parts", "tool_calls", "lc"})
FINISHES = ("finish_reason", "stop_reason", "finishReason")
THOUGHT_KEYS = ("reasoning_content", "reasoning", "thinking", "thinking_blocks")
# Keys of a message that have a place of their own.
PLACED = frozenset(
    {"role", "type", "name", "content", "parts", "contents", "tool_calls", "function_call"}
    | {"tool_call_id", "id", "model", "refusal", "object", "invalid_tool_calls", "text"}
    | {*FINISHES, *THOUGHT_KEYS}
)
ANSWERED = PLACED | {"tool_name", "tool_use_id", "call_id", "is_error", "isError", "error"}
KNOWN_KINDS = frozenset({"", "message", *ROLES, *ROLES.values()})


def role_of(value: Mapping[str, Json], default: str) -> str:
    role = text_of(value.get("role"))
    if role:
        return ROLES.get(role, role)
    kind = kind_of(value).removesuffix("Chunk")
    if kind in KNOWN_KINDS and kind not in ("", "message"):
        return ROLES.get(kind, kind)
    if is_answer(kind):
        return "tool"
    return "assistant" if is_call(kind) or kind in THOUGHTS else ROLES.get(default, default)


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
    metadata = value.get("response_metadata")
    metadata = metadata if isinstance(metadata, Mapping) else {}
    return Message(
        role=role,
        name=text_of(value.get("name")) if role != "tool" and not alone else "",
        parts=tuple(pieces.parts),
        calls=tuple(pieces.calls),
        answers=tuple(pieces.answers),
        id=text_of(value.get("id")),
        model=text_of(value.get("model"), metadata.get("model_name")),
        finish=text_at(value, FINISHES) or text_of(metadata.get("finish_reason")),
        rest=rest,
    )


def with_rest(answer: Answer, value: Mapping[str, Json]) -> Answer:
    rest = rest_of(value, ANSWERED)
    return replace(answer, data={**answer.data, "message": rest}) if rest else answer


def read_into(pieces: Pieces, value: Mapping[str, Json]) -> dict[str, Json]:
    """Take apart one message; what is left has no place of its own."""
    for key in THOUGHT_KEYS:
        if thought := value.get(key):
            pieces.thought(thought)
    pieces.content(content_of(value))
    if refusal := value.get("refusal"):
        pieces.said(refusal, {"refusal": True})
    for call in calls_in(value):
        pieces.call(call)
    rest = rest_of(value, PLACED)
    if rest.get("status") == "completed":
        del rest["status"]
    silent = not (pieces.parts or pieces.calls or pieces.answers)
    unknown = kind_of(value) not in KNOWN_KINDS
    if silent and (rest or unknown) and value.keys().isdisjoint(SIGNS):
        pieces.raw(value)
        return {}
    return rest


def calls_in(value: Mapping[str, Json]) -> Iterator[Json]:
    """The calls beside the content, today's lists, and where there are none, the older ones."""
    today = value.get("tool_calls"), value.get("invalid_tool_calls")
    for listed in today:
        yield from as_list(listed)
    further = value.get("additional_kwargs")
    if isinstance(further, Mapping) and not any(today):
        yield from as_list(further.get("tool_calls"))
    if function := value.get("function_call"):
        yield {"function": function}


def content_of(value: Mapping[str, Json]) -> Json:
    for key in ("content", "parts", "contents", "text"):
        if value.get(key) not in (None, "", []):
            return value[key]
    return value.get("content")


def is_answer_piece(item: Json) -> bool:
    inner = item if isinstance(item, Mapping) else {}
    keys = ("functionResponse", "function_response")
    return is_answer(kind_of(inner)) or any(inner.get(key) is not None for key in keys)
