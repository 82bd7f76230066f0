"""Reads the pieces of a message: text, thoughts, calls and answers, by what stands in them.

Nothing is lost: a piece of a kind that nobody knows is shown as JSON and marked.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from traces.formats.base import Json
from traces.formats.chat import words
from traces.formats.chat.message import MEDIA, Answer, Call
from traces.formats.chat.words import (
    as_list,
    first,
    is_answer,
    is_call,
    kind_of,
    rest_of,
    text_at,
    without,
)
from traces.transcript import Part, PartKind

# Pieces of an answer that are read one by one.
SHOWN = words.TEXTS | MEDIA


@dataclass(slots=True)
class Pieces:
    """The pieces of one message while they are read. `kind` is that of its plain text."""

    kind: PartKind
    parts: list[Part] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)

    def content(self, value: Json) -> None:
        for item in as_list(value):
            if isinstance(item, str):
                self.said(item)
            elif isinstance(item, Mapping):
                self.piece(item)
            elif item is not None:
                self.raw(item)

    def piece(self, item: Mapping[str, Json]) -> None:
        kind = kind_of(item)
        if is_call(kind) or first(item, "functionCall", "function_call") is not None:
            self.call(item)
            if any(item.get(key) is not None for key in words.RAN_BY_VENDOR) and kind.endswith(
                "_call"
            ):
                self.vendor_answer(item)
        elif is_answer(kind) or first(item, "functionResponse", "function_response") is not None:
            self.answered(item)
        elif words.is_thought(kind) or item.get("thought") is True:
            self.thinking(item)
        elif not self.spoken(item, kind):
            self.raw(item)

    def spoken(self, item: Mapping[str, Json], kind: str) -> bool:
        """Whether the piece is text, or pieces again. What else it holds is data."""
        key = next((k for k in ("text", "content", "refusal") if k in item), "")
        text = item.get(key)
        if isinstance(text, str) and (kind in words.TEXTS or not kind):
            refused = {"refusal": True} if key == "refusal" else {}
            self.said(text, without(item, key, "type", "part_kind") | refused)
        elif isinstance(inner := item.get("message_content"), Mapping) and len(item) == 1:
            self.piece(inner)
        elif isinstance(text, list) and kind == "message":
            self.content(text)
        elif isinstance(item.get("parts"), list) and not kind:
            self.content(item["parts"])
        else:
            return False
        return True

    def said(self, text: Json, data: Mapping[str, Any] | None = None) -> None:
        if isinstance(text, str) and text:
            self.parts.append(Part(self.kind, text, data or {}))

    def thought(self, value: Json) -> None:
        """Reasoning beside the content; vendors send it under several names at once."""
        for item in as_list(value):
            self.thinking(item if isinstance(item, Mapping) else {"text": item})

    def thinking(self, item: Mapping[str, Json]) -> None:
        """Reasoning. What is only a signature or ciphertext was withheld by the model's vendor."""
        if isinstance(inner := item.get("content"), Mapping):
            item = inner
        text = "\n".join(texts(item))
        sealed = any(item.get(key) for key in words.SEALS)
        part = Part(PartKind.INTERPRETATION, text)
        if sealed and not text:
            part = Part(PartKind.INTERPRETATION, "", {"sealed": True}, {"text": "withheld"})
        if (text or sealed) and part not in self.parts:
            self.parts.append(part)

    def call(self, value: Json) -> None:
        call = call_of(value)
        if not (call.id and any(same_call(call, known) for known in self.calls)):
            self.calls.append(call)

    def answered(self, item: Mapping[str, Json]) -> None:
        inner = first(item, "functionResponse", "function_response")
        body = inner if isinstance(inner, Mapping) else item
        key = next((key for key in words.RESULTS if key in body), "")
        # Pieces of content may be none; a list of results that is empty is a result.
        nothing_found = body.get(key) == [] and key != "content"
        content = "[]" if nothing_found else body.get(key)
        self.answers.append(answer_of(body, content, kind_of(item)))

    def vendor_answer(self, item: Mapping[str, Json]) -> None:
        """The answer that stands in the call's own piece."""
        key = next(key for key in words.RAN_BY_VENDOR if item.get(key) is not None)
        failed = {"is_error": True} if key == "error" else {}
        ids = {"call_id": self.calls[-1].id, "name": self.calls[-1].name} if self.calls else {}
        self.answers.append(answer_of(ids | failed, item[key]))

    def raw(self, item: Json) -> None:
        """A piece that is no text: an image, a file, or something that nobody knows."""
        self.parts.append(raw_part(item, self.kind))


def raw_part(item: Json, kind: PartKind) -> Part:
    what = kind_of(item) if isinstance(item, Mapping) else ""
    if not what and isinstance(item, Mapping) and len(item) == 1:
        what = str(next(iter(item)))
    text = json.dumps(item, ensure_ascii=False)
    return Part(kind, text, {"type": what or "content", "raw": True})


def call_of(value: Json) -> Call:
    """A call however it is written; what has no name is kept whole as its arguments."""
    given: Mapping[str, Json] = value if isinstance(value, Mapping) else {}
    kind, body = kind_of(given), unwrapped(given)
    name = text_at(body, words.NAMES)
    key = next((key for key in words.ARGUMENTS if body.get(key) is not None), "")
    rest = rest_of(body, words.OF_CALLS)
    for placed in (key, *(words.RAN_BY_VENDOR if kind.endswith("_call") else ())):
        rest.pop(placed, None)
    if rest.get("status") == "completed":
        del rest["status"]
    arguments = body[key] if key else None if name or kind not in {"", "function"} else value
    if isinstance(arguments, Mapping) and len(arguments) == 1:
        # Early pydantic-ai says in which form they are.
        arguments = first(arguments, "args_json", "args_dict") or arguments
    return Call(
        id=text_at(given, words.CALL_IDS) or text_at(body, words.CALL_IDS),
        name=name or (kind if kind not in {"", "function", "custom"} else "unknown tool"),
        arguments=arguments,
        data={"beside": rest} if key and rest else {},
        freeform=kind in {"custom", "custom_tool_call"},
    )


def unwrapped(given: Mapping[str, Json]) -> Mapping[str, Json]:
    """A call with what its wrappers hold: OpenInference has two, one in the other."""
    for key in words.CALL_BODIES:
        if isinstance(inner := given.get(key), Mapping):
            given = {**given, **inner}
    return given


def same_call(one: Call, other: Call) -> bool:
    """Whether a dump holds the call twice: among the content, and in a list of its own."""
    return (one.id, one.name) == (other.id, other.name) and (
        decoded(one.arguments) == decoded(other.arguments)
    )


def decoded(arguments: Json) -> Json:
    try:
        return json.loads(arguments) if isinstance(arguments, str) else arguments
    except (ValueError, RecursionError):
        return arguments


def answer_of(item: Mapping[str, Json], content: Json, kind: str = "") -> Answer:
    """An answer. Pieces of text are read as such; any other structure stays JSON."""
    inner = Pieces(PartKind.TOOL_RESPONSE)
    content, failed = worded(content)
    pieces = as_list(content)
    if all(isinstance(each, Mapping) and kind_of(each) in SHOWN for each in pieces):
        for each in pieces:
            if not inner.spoken(each, kind_of(each)):
                inner.raw(each)
    elif isinstance(content, str):
        inner.said(content)
    elif content is not None:
        inner.parts.append(Part(inner.kind, json.dumps(content, ensure_ascii=False)))
    data = [dict(part.data) for part in inner.parts]
    held = data[0] if len(data) == 1 else {"pieces": data} if any(data) else {}
    return Answer(
        id=text_at(item, words.ANSWER_IDS),
        name=text_at(item, words.NAMES),
        text="\n".join(part.text for part in inner.parts),
        failed=failed if failed is not None else failed_of(item, kind),
        data=held,
    )


def worded(content: Json) -> tuple[Json, bool | None]:
    """A result out of the wrapping of a framework: Vercel's and Microsoft's say what it is."""
    content = unpacked(content)
    if isinstance(content, Mapping) and "value" in content:
        kind = kind_of(content)
        if kind in words.WRAPPED_RESULTS:
            return content["value"], True if kind.startswith("error") else None
    failed = isinstance(content, Mapping) and content.keys() == {"error"} and content["error"]
    return content, True if failed else None


def unpacked(content: Json) -> Json:
    """A result that Microsoft's framework keeps with the call's id, as JSON in a text."""
    if isinstance(content, str) and content.startswith("{") and words.RESULT in content[:80]:
        try:
            value = json.loads(content)
        except (ValueError, RecursionError):
            return content
    else:
        value = content
    known = isinstance(value, Mapping) and kind_of(value) == words.RESULT and "result" in value
    return value["result"] if known else content


def failed_of(item: Mapping[str, Json], kind: str) -> bool | None:
    for key in ("is_error", "isError", "error"):
        if isinstance(item.get(key), bool):
            return bool(item[key])
    status = item.get("status")
    # Of other kinds the status tells whether the item is complete.
    known = isinstance(status, str) and kind in {"", "tool"}
    return words.FAILURES.get(str(status)) if known else None


def texts(item: Mapping[str, Json]) -> Iterator[str]:
    for key in ("thinking", "text", "reasoning", "content", "summary"):
        for each in as_list(item.get(key)):
            text = each.get("text") if isinstance(each, Mapping) else each
            if isinstance(text, str) and text:
                yield text
