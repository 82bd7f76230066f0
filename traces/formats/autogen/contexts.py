"""The model contexts of AutoGen's agents: what each was told, said, called and was answered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from traces.formats.autogen.messages import NO_INSTANCE, NO_TEXT, PEOPLE, answer_of, call_of
from traces.formats.base import Json
from traces.formats.chat.message import Message
from traces.formats.chat.reading import messages
from traces.formats.records import loose
from traces.formats.records.loose import Object
from traces.formats.steps.building import Builder, Draft
from traces.formats.steps.conversation import Conversation, Place
from traces.transcript import ActorKind, Fate, Part, PartKind

KINDS = frozenset(
    {"SystemMessage", "UserMessage", "AssistantMessage", "FunctionExecutionResultMessage"}
)
IN_THREAD = "messages of a context that the team's thread has"


def is_context(value: Json) -> bool:
    """Whether this is a list of the messages that AutoGen sends to models."""
    found = loose.objects(value)[:20]
    return bool(found) and all(loose.text(each.get("type")) in KINDS for each in found)


@dataclass(slots=True)
class Contexts:
    """Contexts beside a thread: what the thread has is folded into it.

    A context is placed behind the last message of the thread that it repeats.
    """

    builder: Builder
    thread: list[Draft]
    known: dict[tuple[str, str], list[Draft]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for draft in reversed(self.thread):
            role = self.builder.actors[draft.actor].role
            text = "\n".join(part.text for part in draft.parts)
            self.known.setdefault((role, text), []).append(draft)

    def read(self, name: str, context: Sequence[Json], pointer: str) -> None:
        talk = Conversation(self.builder, name or "agent")
        known = {key: list(drafts) for key, drafts in self.known.items()} if context else {}
        after: tuple[Any, ...] = (-1, "", 0)
        for index, value in enumerate(context):
            place = f"{pointer}/{index}"
            if not isinstance(value, Mapping) or loose.text(value.get("type")) not in KINDS:
                self.builder.record(place, Fate.UNMAPPED, "no message of a model")
                self.builder.gap("kept_in_raw_only", f"No message of a model: {place}.")
                continue
            source = loose.text(value.get("source")) or name
            twins = known.get((source, loose.text(value.get("content"))))
            if twins:
                twin = twins.pop()
                self.builder.fold(IN_THREAD, place, twin)
                after, talk.ends = twin.order, [twin]
                continue
            self.add(talk, value, name, Place(place, (after[0], name or " ", index), place))
        talk.note_reused()

    def add(self, talk: Conversation, value: Object, name: str, place: Place) -> None:
        kind, content = value.get("type"), value.get("content")
        if kind == "FunctionExecutionResultMessage":
            for number, each in enumerate(loose.objects(content), start=1):
                at = Place(f"{place.id}.{number}", (*place.order, number), place.pointer)
                talk.answer(answer_of(each), at)
            return
        source = loose.text(value.get("source"))
        if kind == "SystemMessage":
            who = self.builder.actor("system", ActorKind.HARNESS)
            talk.hear(said(content, PartKind.INPUT), place, who)
        elif kind == "UserMessage":
            person = source.lower() in PEOPLE
            who = self.builder.actor(
                source or "user",
                ActorKind.HUMAN if person else ActorKind.AGENT,
                capture=NO_INSTANCE,
            )
            talk.hear(said(content, PartKind.INPUT), place, who)
        else:
            self.assistant(talk, value, place, source or name)

    def assistant(self, talk: Conversation, value: Object, place: Place, who: str) -> None:
        content, thought = value.get("content"), loose.text(value.get("thought"))
        self.builder.actor(who or "agent", capture=NO_INSTANCE)
        calls = tuple(call_of(each) for each in content) if isinstance(content, list) else ()
        parts = [Part(PartKind.INTERPRETATION, thought)] if thought else []
        parts += [] if calls else said(content, PartKind.MESSAGE)
        silent = Part(PartKind.MESSAGE, "", {}, NO_TEXT)
        spoken = Message("assistant", parts=tuple(parts) or (silent,), calls=calls)
        talk.decide(spoken, place, who or "agent")


def said(content: Json, kind: PartKind) -> list[Part]:
    found = messages([{"role": "assistant", "content": content}]) if content else []
    parts = found[0].parts if found else ()
    return [Part(kind, part.text, part.data, part.capture) for part in parts]
