"""Messages of a group of agents who speak under names, as AG2 and its like keep them.

The roles in them are relative to one agent, and say nothing of who speaks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from traces.formats.base import Json
from traces.formats.chat.message import Message
from traces.formats.chat.reading import messages
from traces.formats.records import loose
from traces.formats.steps.building import Builder
from traces.formats.steps.conversation import Conversation, Place
from traces.transcript import ActorKind, Fate, Part, PartKind

PEOPLE = frozenset({"human", "user"})
CAPTURE = {"instance": "not_in_schema", "model": "not_in_schema"}


def is_spoken(value: Json) -> bool:
    """Whether this is a message, with a name or a role."""
    speaks = isinstance(value, Mapping) and ("content" in value or "tool_calls" in value)
    return speaks and bool(loose.text(value.get("name")) or loose.text(value.get("role")))


@dataclass(slots=True)
class GroupChat:
    """The shared thread of a group while its messages are read in turn."""

    builder: Builder
    talk: Conversation
    bad: int = 0

    def read(self, entries: Sequence[Json], pointer: str) -> None:
        for index, entry in enumerate(entries):
            place = Place(f"{index}", (index, 0), f"{pointer}/{index}")
            if is_spoken(entry):
                self.add(dict(entry), place)
            else:
                self.bad += 1
                self.builder.record(place.pointer, Fate.UNMAPPED, "no message")
        self.talk.note_reused()

    def add(self, entry: dict[str, Any], place: Place) -> None:
        entry["content"] = one_text(entry.get("content"))
        answers = loose.objects(entry.get("tool_responses"))
        if entry.get("role") in ("tool", "function") or answers:
            for number, each in enumerate(answers or [entry], start=1):
                at = Place(f"{place.id}.{number}", (*place.order[:1], number), place.pointer)
                self.say(messages([{"name": entry.get("name"), **each, "role": "tool"}]), at, "")
            return
        speaker = loose.text(entry.get("name")) or loose.text(entry.get("role"))
        role = "system" if entry.get("role") == "system" else "assistant"
        self.say(messages([{**entry, "role": role}]), place, speaker)

    def say(self, found: list[Message], place: Place, speaker: str) -> None:
        for said in found or [Message("assistant")]:
            if said.role == "tool":
                for answer in said.answers:
                    self.talk.answer(answer, place)
            elif speaker.lower() in PEOPLE and not said.calls:
                who = self.builder.actor(speaker, ActorKind.HUMAN, capture=CAPTURE)
                heard = [Part(PartKind.INPUT, each.text, each.data) for each in said.parts]
                self.talk.hear(heard, place, who)
            elif said.role == "system":
                who = self.builder.actor(speaker, ActorKind.HARNESS)
                self.talk.hear(said.parts, place, who)
            else:
                self.builder.actor(speaker, capture=CAPTURE)
                silent = (Part(PartKind.MESSAGE, "", {}, {"text": "not_captured"}),)
                spoken = replace(said, parts=said.parts or silent)
                self.talk.decide(spoken, place, speaker)


def read(builder: Builder, entries: Sequence[Json], pointer: str) -> int:
    """Read the messages; how many entries are none."""
    chat = GroupChat(builder, Conversation(builder, "agent"))
    chat.read(entries, pointer)
    if chat.bad:
        builder.gap("undecodable_step", f"Entries that are no messages: {chat.bad}.")
    return chat.bad


def one_text(content: Json) -> Json:
    """Content that was taken apart into lines, put together again."""
    if isinstance(content, list) and content and all(isinstance(each, str) for each in content):
        return "\n".join(content)
    return content
