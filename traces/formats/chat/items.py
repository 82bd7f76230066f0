"""Items of one model call as one message: in OpenAI's Responses, thoughts and calls are items."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from traces.formats.base import Json
from traces.formats.chat.message import Message
from traces.formats.chat.words import THOUGHTS, is_call, kind_of
from traces.transcript import PartKind


def is_item(value: Json) -> bool:
    """Whether this is an item of OpenAI's Responses, and no message of its own."""
    if not isinstance(value, Mapping) or "parts" in value:
        return False
    kind = kind_of(value)
    return kind == "message" if "role" in value else is_call(kind) or kind in THOUGHTS


def of_one_call(items: Sequence[tuple[bool, Message]]) -> Iterator[range]:
    """Which messages a model said in one call. Of each is known whether it is but an item.

    Words end what was thought before and call after; further words are another call.
    """
    start, acted = 0, False
    for index, (is_part, message) in enumerate(items):
        speaks = any(part.kind is PartKind.MESSAGE for part in message.parts)
        assistants = message.role == "assistant" and items[start][1].role == "assistant"
        goes_on = is_part and items[start][0] and assistants and not (acted and speaks)
        if index > start and not goes_on:
            yield range(start, index)
            start, acted = index, False
        acted = acted or speaks or bool(message.calls)
    if items:
        yield range(start, len(items))


def together(messages: Sequence[Message]) -> Message:
    """One message of all these; a single one stays as it is."""
    if len(messages) == 1:
        return messages[0]
    return Message(
        role=messages[0].role,
        name=next((each.name for each in messages if each.name), ""),
        parts=tuple(part for each in messages for part in each.parts),
        calls=tuple(call for each in messages for call in each.calls),
        answers=tuple(answer for each in messages for answer in each.answers),
        id=next((each.id for each in messages if each.id), ""),
        model=next((each.model for each in messages if each.model), ""),
        finish=next((each.finish for each in reversed(messages) if each.finish), ""),
        rest={key: value for each in messages for key, value in each.rest.items()},
    )
