"""Reads messages of any dialect: by what stands in them, not by who wrote them.

One message is what a model says in one call, also where it came in several items.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from traces.formats.base import Json, Unreadable
from traces.formats.chat.items import is_item, of_one_call, together
from traces.formats.chat.message import LEVELS, ROLES, Message
from traces.formats.chat.pieces import raw_part
from traces.formats.chat.single import SIGNS, message, speech_of
from traces.formats.chat.words import is_piece, kind_of, text_of, without
from traces.formats.files import cleaning
from traces.transcript import Part

# Where lists of messages stand in what models are sent, and in what they send back.
SENT = ("messages", "input_messages", "contents", "items", "input")
SENT_BACK = ("output_messages", "output", "generations", "choices", "candidates")
INSTRUCTIONS = ("system", "instructions", "systemInstruction", "system_instruction")
# What wraps one message: OpenInference and choices, LangChain's two kinds of dumps.
WRAPPERS = ("message", "kwargs", "data")
DEEPEST = 100


def opened(value: Json, levels: int = LEVELS) -> Json:
    """JSON that stands in a string, at most three levels deep; any other value as it is."""
    while levels and isinstance(value, str) and value.lstrip()[:1] in ("{", "[", '"'):
        try:
            value = cleaning.Reader(value.strip(), depth=DEEPEST).only().value
        except (json.JSONDecodeError, Unreadable):
            return value
        levels -= 1
    return value


def messages(value: Json, role: str = "user") -> list[Message]:
    """The messages in what a model was sent or sent back, whatever it is wrapped in."""
    return list(found_in(value, role, 2 * LEVELS))


def found_in(value: Json, role: str, levels: int) -> Iterator[Message]:
    inner = opened(value)
    if isinstance(inner, str):
        if inner:
            yield Message(role, parts=(Part(speech_of(role), inner),))
    elif isinstance(value, str) and not speaks(inner):
        yield Message(role, parts=(Part(speech_of(role), value),))
    elif isinstance(inner, list) and levels:
        yield from in_list(inner, role, levels - 1)
    elif isinstance(inner, Mapping) and levels:
        yield from wrapped(inner, role, levels - 1)
    elif inner is not None:
        yield Message(role, parts=(raw_part(inner, speech_of(role)),))


def in_list(items: Sequence[Json], role: str, levels: int) -> Iterator[Message]:
    read = [(is_item(item), each) for item in items for each in found_in(item, role, levels)]
    for group in of_one_call(read):
        yield together([read[index][1] for index in group])


def speaks(value: Json) -> bool:
    """Whether JSON is messages or holds them, and is not just any JSON."""
    if isinstance(value, list):
        return any(map(speaks, value[:3]))
    if not isinstance(value, Mapping):
        return False
    kind = kind_of(value)
    if not value.keys().isdisjoint(SIGNS) or kind in ROLES or is_piece(kind):
        return True
    return any(speaks(value.get(key)) for key in (*SENT, *SENT_BACK, *WRAPPERS, "content"))


def wrapped(value: Mapping[str, Json], role: str, levels: int) -> Iterator[Message]:
    """The messages in an object: a request, a response, one message, or a wrapper of one."""
    if value.keys().isdisjoint(SIGNS) and not is_piece(kind_of(value)):
        for key in (*SENT, *SENT_BACK):
            listed = value.get(key)
            if isinstance(listed, list) and (speaks(listed) or not listed):
                yield from within(value, key, role, levels)
                return
    for key in WRAPPERS if "content" not in value else ():
        inner = opened(value.get(key))
        if levels and isinstance(inner, Mapping) and (speaks(inner) or "content" in inner):
            yield from wrapped({**around(value), **inner}, role, levels - 1)
            return
    yield message(value, role)


def within(value: Mapping[str, Json], key: str, role: str, levels: int) -> Iterator[Message]:
    """The messages of a request, behind its instructions, or those of a response."""
    if key in SENT:
        for word in INSTRUCTIONS:
            for each in found_in(value.get(word), "system", levels):
                yield replace(each, role="system")
        yield from found_in(value[key], role, levels)
        return
    model, name = text_of(value.get("model"), value.get("modelVersion")), text_of(value.get("id"))
    read = list(found_in(value[key], "assistant", levels))
    if key == "output" and {each.role for each in read} == {"assistant"}:
        read = [together(read)]
    for each in read:
        yield replace(each, model=each.model or model, id=each.id or name)


def around(value: Mapping[str, Json]) -> dict[str, Json]:
    """What a wrapper says of the message in it: LangChain's class names are roles."""
    path = value.get("id")
    name = text_of(path[-1]) if isinstance(path, list) and path else ""
    role = value.get("role") or name.removesuffix("Chunk") or kind_of(value)
    known = role if role in ROLES or role in ROLES.values() else None
    info = value.get("generation_info")
    finish = [each.get("finish_reason") for each in (value, info) if isinstance(each, Mapping)]
    return without({"role": known, "finish_reason": text_of(*finish)})
