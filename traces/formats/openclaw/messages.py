"""Messages in openclaw's histories: texts, thoughts and calls in blocks, results by call id."""

from __future__ import annotations

from typing import Any

from traces.formats.base import Json
from traces.formats.chat.message import Answer, Call
from traces.formats.chat.reading import opened
from traces.formats.records.loose import Object, digest, mapping, objects, shown, text
from traces.formats.steps.building import Draft
from traces.formats.steps.conversation import Place
from traces.transcript import Part, PartKind


def asked(session: str, tool: str, arguments: Json) -> str:
    return f"{session} {tool} {digest(arguments)}"


def spoken(message: Object) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content
    return "\n".join(text(each.get("text")) for each in objects(content) if each.get("text"))


def parts_of(message: Object) -> list[Part]:
    content = message.get("content")
    if isinstance(content, str):
        return [Part(PartKind.MESSAGE, content)] if content else []
    return [part for block in objects(content) if (part := part_of(block)) is not None]


def part_of(block: Object) -> Part | None:
    kind = text(block.get("type"))
    if kind == "thinking":
        words = text(block.get("thinking"))
        capture = {} if words else {"text": "withheld"}
        return Part(PartKind.INTERPRETATION, words, {}, capture)
    if kind == "text":
        return Part(PartKind.MESSAGE, text(block.get("text")))
    if kind == "toolCall":
        return None
    return Part(PartKind.MESSAGE, shown(dict(block)), {"type": kind, "raw": True})


def calls_of(message: Object) -> list[Call]:
    return [
        Call(
            text(block.get("id")), text(block.get("name")) or "unknown tool", block.get("arguments")
        )
        for block in objects(message.get("content"))
        if block.get("type") == "toolCall"
    ]


def answer_of(message: Object) -> Answer:
    details = mapping(message.get("details"))
    data: dict[str, Any] = {}
    if isinstance(details.get("exitCode"), int):
        data["exit_code"] = details["exitCode"]
    failed = message.get("isError")
    said = spoken(message)
    return Answer(
        text(message.get("toolCallId")),
        text(message.get("toolName")),
        said,
        failed if isinstance(failed, bool) else None,
        data,
    )


def ending(value: Object) -> Part:
    """The end of a call: how long it took, and an error. What was answered is not in it."""
    error = text(value.get("error"))
    data = {"duration_ms": value["durationMs"]} if value.get("durationMs") is not None else {}
    return Part(PartKind.TOOL_RESPONSE, error, data, {} if error else {"text": "not_captured"})


def children(draft: Draft) -> list[str]:
    """The sessions that a call started, as its answer tells."""
    if draft.tool != "sessions_spawn":
        return []
    answers = [part.text for part in draft.parts if part.kind is PartKind.TOOL_RESPONSE]
    keys = [text(mapping(opened(each)).get("childSessionKey")) for each in answers]
    return [key for key in keys if key]


def replace_order(place: Place, index: int) -> Place:
    order = (*place.order, index + 1)
    return Place(f"{place.id}.{index + 1}", order, place.pointer, place.at)
