"""Puts together what a model sent in pieces, as captures of streams hold it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from traces.formats.base import Json
from traces.formats.chat.reading import opened
from traces.formats.chat.words import as_list, kind_of, text_of

CHUNK = "chat.completion.chunk"
# Of OpenAI's Responses: the events that hold the whole response.
WHOLE = ("response.completed", "response.incomplete", "response.failed")
ANTHROPIC = frozenset({"message_start", "content_block_start", "content_block_delta"})
PIECES = {"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "signature"}


def is_piece_of_stream(value: Json) -> bool:
    if not isinstance(value, Mapping):
        return False
    kind = kind_of(value)
    return (
        value.get("object") == CHUNK
        or kind in ANTHROPIC
        or kind in {"message_delta", "message_stop", "content_block_stop"}
        or kind.startswith("response.")
    )


def events_in(text: str) -> list[Json]:
    """The events of a stream that was kept as text, as it went over the wire."""
    lines = (line.strip() for line in text.split("\n"))
    read = (opened(line[5:].strip()) for line in lines if line.startswith("data:"))
    return [event for event in read if isinstance(event, Mapping)]


def assembled(events: Sequence[Json]) -> dict[str, Json]:
    """The response that these events are the pieces of, in the shape of its interface."""
    given = [event for event in events if isinstance(event, Mapping)]
    if any(event.get("object") == CHUNK for event in given):
        return of_chunks(given)
    if any(kind_of(event).startswith("response.") for event in given):
        return of_responses(given)
    return of_anthropic(given)


def of_chunks(chunks: Iterable[Mapping[str, Json]]) -> dict[str, Json]:
    head: dict[str, Json] = {}
    text: dict[str, list[str]] = {"content": [], "reasoning_content": [], "refusal": []}
    calls: dict[Any, dict[str, Any]] = {}
    finish = ""
    for chunk in chunks:
        head = {**chunk, **head}
        for choice in as_list(chunk.get("choices")):
            given = choice if isinstance(choice, Mapping) else {}
            finish = text_of(given.get("finish_reason")) or finish
            delta = given.get("delta")
            delta = delta if isinstance(delta, Mapping) else {}
            for key, pieces in text.items():
                pieces.append(text_of(delta.get(key)))
            for call in as_list(delta.get("tool_calls")):
                add_call(calls, call)
    said = {key: "".join(pieces) or None for key, pieces in text.items()}
    message = {"role": "assistant", **said, "tool_calls": finished(calls.values())}
    choices = [{"message": message, "finish_reason": finish}]
    return {**{k: head.get(k) for k in ("id", "model", "created")}, "choices": choices}


def add_call(calls: dict[Any, dict[str, Any]], piece: Json) -> None:
    given = piece if isinstance(piece, Mapping) else {}
    index = given.get("index")
    key = index if isinstance(index, int) else text_of(given.get("id")) or len(calls)
    call = calls.setdefault(key, {"id": "", "type": "function", "name": [], "arguments": []})
    call["id"] = call["id"] or text_of(given.get("id"))
    body = given.get("function")
    for name in ("name", "arguments"):
        call[name].append(text_of(body.get(name)) if isinstance(body, Mapping) else "")


def finished(calls: Iterable[Mapping[str, Any]]) -> list[Json]:
    return [
        {"id": call["id"], "function": {key: "".join(call[key]) for key in ("name", "arguments")}}
        for call in calls
    ]


def of_responses(events: Sequence[Mapping[str, Json]]) -> dict[str, Json]:
    """The whole response if an event holds it, else the items that were done."""
    whole = [event.get("response") for event in events if kind_of(event) in WHOLE]
    if whole and isinstance(whole[-1], Mapping):
        return dict(whole[-1])
    started = [each for event in events if isinstance(each := event.get("response"), Mapping)]
    done = [e.get("item") for e in events if kind_of(e) == "response.output_item.done"]
    return {**(started[0] if started else {}), "object": "response", "output": done}


def of_anthropic(events: Iterable[Mapping[str, Json]]) -> dict[str, Json]:
    message: dict[str, Json] = {"role": "assistant"}
    blocks: dict[Any, dict[str, Any]] = {}
    for event in events:
        started, block = event.get("message"), event.get("content_block")
        index = text_of(event.get("index"))
        delta = event.get("delta") if isinstance(event.get("delta"), Mapping) else {}
        if isinstance(started, Mapping):
            message |= started
        if isinstance(block, Mapping):
            blocks[index] = {**block, "pieces": []}
        elif index in blocks:
            blocks[index]["pieces"].append(delta)
        elif isinstance(delta, Mapping) and delta.get("stop_reason"):
            message["stop_reason"] = delta["stop_reason"]
    return {**message, "content": [whole_block(block) for block in blocks.values()]}


def whole_block(block: dict[str, Any]) -> dict[str, Json]:
    pieces = block.pop("pieces")
    for kind, key in PIECES.items():
        added = "".join(text_of(each.get(key)) for each in pieces if each.get("type") == kind)
        if added:
            block[key] = text_of(block.get(key)) + added
    arguments = "".join(text_of(each.get("partial_json")) for each in pieces)
    if arguments:
        block["input"] = arguments
    return block
