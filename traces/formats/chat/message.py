"""Messages of every dialect as one kind of message: who speaks, what is said, asked and answered.

OpenAI's chat and Responses items, Anthropic's blocks, the parts of OpenTelemetry's gen_ai
conventions, Gemini's contents and LangChain's dumps differ in words, not in what they tell.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from traces.formats.base import Json
from traces.formats.native.parts import arguments_text, is_json
from traces.transcript import Part, PartKind

ROLES = {
    "ai": "assistant",
    "model": "assistant",
    "AIMessage": "assistant",
    "tool-call": "assistant",
    "human": "user",
    "HumanMessage": "user",
    "SystemMessage": "system",
    "developer": "system",
    "function": "tool",
    "FunctionMessage": "tool",
    "ToolMessage": "tool",
    "tool_response": "tool",
    "tool-response": "tool",
}
# Pieces that are no text and that everybody knows: the others are a gap.
MEDIA = frozenset(
    {"image", "image_url", "input_image", "input_audio", "audio", "file", "input_file", "blob"}
    | {"document", "uri", "video", "inlineData", "inline_data", "fileData", "file_data", "media"}
)
# Levels of JSON inside JSON strings that are opened.
LEVELS = 3


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call that a model asked for.

    `arguments` are as they were written, None if there are none. Those of a `freeform` tool are
    text by design and need not be JSON.
    """

    id: str
    name: str
    arguments: Json = None
    data: Mapping[str, Any] = field(default_factory=dict)
    freeform: bool = False

    @property
    def well_formed(self) -> bool:
        return self.freeform or not isinstance(self.arguments, str) or is_json(self.arguments)

    def part(self) -> Part:
        data = {"tool": self.name, **self.data}
        if self.id:
            data["call"] = self.id
        if not self.well_formed:
            data["parse_ok"] = False
        text = "" if self.arguments is None else arguments_text(self.arguments)
        return Part(PartKind.TOOL_REQUEST, text, data)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool answered. `failed` is None where the source has no word for it."""

    id: str
    name: str
    text: str
    failed: bool | None = None
    data: Mapping[str, Any] = field(default_factory=dict)
    capture: Mapping[str, str] = field(default_factory=dict)

    def part(self) -> Part:
        data = {**self.data, "call": self.id} if self.id else dict(self.data)
        return Part(PartKind.TOOL_RESPONSE, self.text, data, self.capture)


@dataclass(frozen=True, slots=True)
class Message:
    """One message; all that a model said in one call. `parts` are what is said, in order.

    Reasoning is an interpretation among them. `rest` holds the keys that have no other place.
    """

    role: str
    name: str = ""
    parts: tuple[Part, ...] = ()
    calls: tuple[Call, ...] = ()
    answers: tuple[Answer, ...] = ()
    id: str = ""
    model: str = ""
    finish: str = ""
    rest: Mapping[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        return "\n".join(part.text for part in self.parts)

    @property
    def says_nothing(self) -> bool:
        return not (self.parts or self.calls or self.answers)


def unknown_kinds(part: Part) -> list[str]:
    """The kinds of pieces in a part that are shown as JSON because nobody knows them."""
    pieces = part.data.get("pieces")
    listed = pieces if isinstance(pieces, list) else [part.data]
    return [
        str(piece["type"])
        for piece in listed
        if piece.get("raw") is True and piece.get("type") not in MEDIA
    ]
