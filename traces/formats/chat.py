"""Messages of every dialect as one kind of message: who speaks, what is said, asked and answered.

OpenAI's chat and Responses items, Anthropic's blocks, the parts of OpenTelemetry's gen_ai
conventions, Gemini's contents and LangChain's dumps differ in words, not in what they tell.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from traces.formats.base import Json
from traces.formats.native_parts import arguments_text, is_json
from traces.transcript import Part, PartKind

ROLES = {
    "ai": "assistant",
    "model": "assistant",
    "AIMessage": "assistant",
    "AIMessageChunk": "assistant",
    "human": "user",
    "HumanMessage": "user",
    "SystemMessage": "system",
    "developer": "system",
    "function": "tool",
    "ToolMessage": "tool",
    "tool_response": "tool",
}
# Levels of JSON inside JSON strings that are opened.
LEVELS = 3


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call that a model asked for. `arguments` are as they were written."""

    id: str
    name: str
    arguments: Json = ""
    data: Mapping[str, Any] = field(default_factory=dict)

    @property
    def well_formed(self) -> bool:
        return not isinstance(self.arguments, str) or is_json(self.arguments)

    def part(self) -> Part:
        data = {"tool": self.name, **self.data}
        if self.id:
            data["call"] = self.id
        if not self.well_formed:
            data["parse_ok"] = False
        return Part(PartKind.TOOL_REQUEST, arguments_text(self.arguments), data)


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
    """One message. `parts` are what is said, reasoning as interpretation, in order."""

    role: str
    name: str = ""
    parts: tuple[Part, ...] = ()
    calls: tuple[Call, ...] = ()
    answers: tuple[Answer, ...] = ()
    id: str = ""
    model: str = ""
    finish: str = ""

    @property
    def text(self) -> str:
        return "\n".join(part.text for part in self.parts)

    @property
    def says_nothing(self) -> bool:
        return not (self.parts or self.calls or self.answers)
