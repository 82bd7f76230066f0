"""The pieces of one chat message: content in its three shapes, and tool calls in theirs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, replace

from traces.formats.base import Json
from traces.formats.native_parts import arguments_text, is_json
from traces.transcript import Part, PartKind

TEXT_KEYS = {"text": "text", "input_text": "text", "output_text": "text", "refusal": "refusal"}
MEDIA = frozenset({"image_url", "input_image", "input_audio", "audio", "file", "input_file"})
# Characters. Longer content that is no text (images, mostly) is shown by its digest.
LONGEST_RAW = 8_192


def content_parts(content: Json, kind: PartKind) -> Iterator[Part]:
    """Text as it is; a list piece by piece; nothing for null and for empty text."""
    if isinstance(content, str):
        if content:
            yield Part(kind, content)
    elif isinstance(content, list):
        for piece in content:
            yield piece_part(piece, kind)
    elif content is not None:
        yield raw_part(content, kind)


def piece_part(piece: Json, kind: PartKind) -> Part:
    if isinstance(piece, str):
        return Part(kind, piece)
    if not isinstance(piece, Mapping):
        return raw_part(piece, kind)
    text = piece.get(TEXT_KEYS.get(str(piece.get("type")), ""))
    if not isinstance(text, str):
        return raw_part(piece, kind)
    rest = {key: value for key, value in piece.items() if value is not text}
    return Part(kind, text, {} if rest == {"type": "text"} else rest)


def raw_part(piece: Json, kind: PartKind) -> Part:
    """Content that is no text: as JSON if it is short, else by type, size and digest."""
    text = json.dumps(piece, ensure_ascii=False)
    what = str(piece.get("type", "content")) if isinstance(piece, Mapping) else "content"
    if len(text) <= LONGEST_RAW:
        return Part(kind, text, {"type": what, "raw": True})
    digest = hashlib.sha256(text.encode()).hexdigest()
    shown = f"[{what}: {len(text):,} characters, sha256 {digest[:16]}]"
    data = {"type": what, "raw": True, "size": len(text), "sha256": digest}
    return Part(kind, shown, data, {"text": "withheld"})


def is_unknown(part: Part) -> bool:
    return bool(part.data.get("raw")) and part.data.get("type") not in MEDIA


def spoken(message: Mapping[str, Json], kind: PartKind) -> tuple[Part, ...]:
    """What a message says: its reasoning, its content, its refusal. What else it has is data."""
    parts = []
    reasoning, refusal = message.get("reasoning_content"), message.get("refusal")
    if isinstance(reasoning, str) and reasoning:
        parts.append(Part(PartKind.INTERPRETATION, reasoning))
    parts.extend(content_parts(message.get("content"), kind))
    if isinstance(refusal, str) and refusal:
        parts.append(Part(kind, refusal, {"refusal": True}))
    rest = rest_of(message, {"role", "name", "content", "reasoning_content", "refusal"})
    if parts and rest:
        parts[0] = replace(parts[0], data={**parts[0].data, "message": rest})
    return tuple(parts)


def rest_of(message: Mapping[str, Json], placed: Set[str]) -> dict[str, Json]:
    """Keys of a message that have no other place, but for the calls, which are steps."""
    placed = placed | {"tool_calls", "function_call"}
    return {key: value for key, value in message.items() if key not in placed}


def answer_part(message: Mapping[str, Json]) -> Part:
    """A tool's answer as one part, also when it came in pieces."""
    pieces = list(content_parts(message.get("content"), PartKind.TOOL_RESPONSE))
    data: dict[str, Json] = {}
    if len(pieces) == 1:
        data.update(pieces[0].data)
    elif any(piece.data for piece in pieces):
        data["pieces"] = [dict(piece.data) for piece in pieces]
    call = message.get("tool_call_id")
    if isinstance(call, str) and call:
        data["call"] = call
    if rest := rest_of(message, {"role", "content", "tool_call_id"}):
        data["message"] = rest
    text = "\n".join(piece.text for piece in pieces)
    return Part(PartKind.TOOL_RESPONSE, text, data)


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call of a message. `key` is what its answer will name."""

    tool: str
    key: str
    arguments: Json
    data: Mapping[str, Json]

    @property
    def well_formed(self) -> bool:
        return not isinstance(self.arguments, str) or is_json(self.arguments)

    def part(self) -> Part:
        malformed = {} if self.well_formed else {"parse_ok": False}
        data = {"tool": self.tool, **self.data, **malformed}
        return Part(PartKind.TOOL_REQUEST, arguments_text(self.arguments), data)


def calls_of(message: Mapping[str, Json]) -> list[Call]:
    """The calls in a message, today's `tool_calls` and the older single `function_call`."""
    calls = message.get("tool_calls")
    listed = calls if isinstance(calls, list) else [calls] if calls else []
    older = message.get("function_call")
    return [*map(call_of, listed), *([call_of({"function": older})] if older else [])]


def call_of(raw: Json) -> Call:
    """A call however it is written; what has no name is kept whole as its arguments."""
    given = raw if isinstance(raw, Mapping) else {}
    body = given.get(str(given.get("type"))) or given.get("function")
    body = body if isinstance(body, Mapping) else {"arguments": raw}
    tool, call = str(body.get("name") or "unknown tool"), given.get("id")
    return Call(
        tool=tool,
        key=answer_key(call, tool),
        arguments=body.get("arguments", body.get("input", "")),
        data={"call": call} if isinstance(call, str) and call else {},
    )


def answer_key(call: Json, tool: Json) -> str:
    """How calls and answers find each other: by id, else by the function's name."""
    if isinstance(call, str) and call:
        return f"id {call}"
    return f"function {tool}"
