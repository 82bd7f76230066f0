"""Messages of the two shapes that nearly all traces have, read fast.

The GenAI conventions' parts and OpenAI's chat messages, with nothing in them but what everybody
knows. Anything else is read by `reading`, which says the same of these in ten times the time.
"""

from __future__ import annotations

from collections.abc import Sequence

from traces.formats.base import Json
from traces.formats.chat import reading
from traces.formats.chat.message import Answer, Call, Message
from traces.formats.spans.json_text import loads
from traces.transcript import Part, PartKind

ROLES = {
    "user": PartKind.INPUT,
    "system": PartKind.INPUT,
    "tool": PartKind.INPUT,
    "assistant": PartKind.MESSAGE,
}
OF_PARTS = frozenset({"role", "parts", "finish_reason"})
OF_CONTENT = frozenset({"role", "content", "tool_calls", "tool_call_id", "finish_reason"})
OF_TEXT = {"type", "content"}
# What a text begins with that may be a result in the wrapping of a framework.
WRAPPED = '{"type"'
OF_CALL = frozenset({"type", "id", "name", "arguments"})
OF_ANSWER = frozenset({"type", "id", "name", "response", "result"})
OF_FUNCTION_CALL = {"type", "id", "function"}
OF_FUNCTION = {"name", "arguments"}


class Unusual(Exception):
    """A message of any other shape."""


def messages(value: Json, role: str = "user") -> Sequence[Message]:
    """The messages in what a model was sent or sent back, whatever it is wrapped in."""
    given = value
    try:
        if isinstance(given, str) and given[:1] in ("[", "{"):
            given = loads(given)
        if type(given) is dict:
            return [message(given)]
        if type(given) is list and given:
            return [message(each) for each in given]
    except (Unusual, ValueError):
        pass
    return reading.messages(value, role)


def message(value: Json) -> Message:
    """One message. Raises Unusual."""
    if type(value) is not dict:
        raise Unusual
    role, finish = value.get("role"), value.get("finish_reason", "")
    if type(role) is not str or role not in ROLES or type(finish) is not str:
        raise Unusual
    pieces = Pieces(ROLES[role])
    if type(value.get("parts")) is list and value.keys() <= OF_PARTS:
        for part in value["parts"]:
            pieces.part(part)
        if role == "tool" and (pieces.parts or pieces.calls or not pieces.answers):
            raise Unusual
    elif value.keys() <= OF_CONTENT:
        pieces.chat(value, role)
    else:
        raise Unusual
    return Message(
        role, "", tuple(pieces.parts), tuple(pieces.calls), tuple(pieces.answers), finish=finish
    )


class Pieces:
    """The pieces of one message. `kind` is that of its text."""

    __slots__ = ("answers", "calls", "kind", "parts")

    def __init__(self, kind: PartKind) -> None:
        self.kind = kind
        self.parts: list[Part] = []
        self.calls: list[Call] = []
        self.answers: list[Answer] = []

    def part(self, part: Json) -> None:
        if type(part) is not dict:
            raise Unusual
        kind = part.get("type")
        if kind == "text" and part.keys() == OF_TEXT and type(part["content"]) is str:
            if part["content"]:
                self.parts.append(Part(self.kind, part["content"]))
        elif kind == "tool_call" and part.keys() <= OF_CALL:
            self.call(part.get("id"), part.get("name"), part.get("arguments"))
        elif kind == "tool_call_response" and part.keys() <= OF_ANSWER:
            self.answer(part.get("id"), part.get("name", ""), part)
        else:
            raise Unusual

    def chat(self, value: dict[str, Json], role: str) -> None:
        content, calls = value.get("content"), value.get("tool_calls")
        if type(content) is not str and content is not None:
            raise Unusual
        if role == "tool":
            if not content or calls or not value.get("tool_call_id"):
                raise Unusual
            self.answer(value["tool_call_id"], "", {"result": content})
            return
        if "tool_call_id" in value or (calls is not None and type(calls) is not list):
            raise Unusual
        if content:
            self.parts.append(Part(self.kind, content))
        for call in calls or ():
            self.function_call(call)

    def function_call(self, call: Json) -> None:
        plain = type(call) is dict and call.keys() == OF_FUNCTION_CALL
        function = call["function"] if plain and call["type"] == "function" else None
        if type(function) is not dict or not function.keys() <= OF_FUNCTION:
            raise Unusual
        self.call(call["id"], function.get("name"), function.get("arguments"))

    def call(self, call: Json, name: Json, arguments: Json) -> None:
        if type(call) is not str or type(name) is not str or not (call and name):
            raise Unusual
        self.calls.append(Call(call, name, arguments))

    def answer(self, call: Json, name: Json, given: dict[str, Json]) -> None:
        if type(call) is not str or not call or type(name) is not str:
            raise Unusual
        if ("result" in given) == ("response" in given):
            raise Unusual
        text = given["result"] if "result" in given else given["response"]
        if type(text) is not str or not text or text.startswith(WRAPPED):
            raise Unusual
        self.answers.append(Answer(call, name, text))
