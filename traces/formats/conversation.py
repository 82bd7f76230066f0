"""Turns what is said in turn into steps: a model's call, and each tool call it asked for.

The model call is one step, whose text is what the model said before it acted; each tool request
with its response is one step that builds on that call. That a request came of a message and a
response of a request is proved by ids; that one message follows another is proved only where
the source says so, and inferred elsewhere.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from traces.completeness import listed
from traces.formats.building import Builder, Draft
from traces.formats.chat import Answer, Call, Message
from traces.formats.ordering import SAME_CONVERSATION
from traces.transcript import ActorKind, LinkKind, Part, PartKind, StepKind, StepStatus

RESULT_AGAIN = "tool results said again"
HEARD = {"system": ActorKind.HARNESS, "user": ActorKind.HUMAN}


@dataclass(frozen=True, slots=True)
class Place:
    """Where a message stands: the id that its steps are named by, its order, its raw record."""

    id: str
    order: tuple[Any, ...]
    pointer: str = ""
    at: datetime | None = None
    ended_at: datetime | None = None


@dataclass(slots=True)
class Conversation:
    """The thread of one agent. Each execution of a role has one of its own.

    `ends` are the steps that the next message comes after; `open` are calls without an answer.
    `rule` says how it is known that one message follows another; empty if the source says it.
    """

    builder: Builder
    agent: str
    rule: str = SAME_CONVERSATION
    ends: list[Draft] = field(default_factory=list)
    open: defaultdict[str, list[Draft]] = field(default_factory=lambda: defaultdict(list))
    asked: Counter[str] = field(default_factory=Counter)
    answered: dict[tuple[str, str], Draft] = field(default_factory=dict)

    def say(self, message: Message, place: Place, speaker: str = "") -> Draft | None:
        """Read the next message: tool results go to their calls, the rest become steps."""
        for index, answer in enumerate(message.answers):
            self.answer(answer, nth(place, index))
        if message.role == "tool":
            return None
        if message.role in HEARD:
            if not message.parts and message.answers:
                return None
            actor = self.builder.actor(speaker or message.name or message.role, HEARD[message.role])
            return self.hear(message.parts, place, actor)
        return self.decide(message, place, speaker)

    def hear(self, parts: Sequence[Part], place: Place, actor: str) -> Draft:
        """A step for what somebody tells the agent."""
        kept = list(parts) or [Part(PartKind.INPUT, "")]
        draft = self.builder.add(drafted(place, actor, StepKind.INPUT, kept))
        self.note_unknown(draft)
        self.follow(draft)
        self.ends = [draft]
        return draft

    def decide(self, message: Message, place: Place, speaker: str = "") -> Draft:
        """A step for a model call, also if it says nothing, and one for each tool call it asks."""
        actor = self.builder.actor(speaker or message.name or self.agent)
        kind = StepKind.DECISION if message.calls else StepKind.MESSAGE
        # A model that only calls tools says nothing, which the source shows.
        silent = [Part(PartKind.MESSAGE, "", {}, {"text": "absent"})]
        draft = self.builder.add(drafted(place, actor, kind, list(message.parts) or silent))
        if message.finish:
            draft.parts[0] = with_data(draft.parts[0], finish=message.finish)
        self.note_unknown(draft)
        self.follow(draft)
        asked = [
            self.ask(call, nth(place, index), draft) for index, call in enumerate(message.calls)
        ]
        self.ends = asked or [draft]
        return draft

    def ask(self, call: Call, place: Place, decided: Draft | None, actor: str = "") -> Draft:
        """A step for a tool call, which waits for its answer."""
        who = actor or (decided.actor if decided else self.agent)
        draft = drafted(place, who, StepKind.TOOL, [call.part()])
        draft.tool = call.name
        draft = self.builder.add(draft)
        if decided:
            self.builder.link(decided.id, draft.id, LinkKind.CONSUMES)
        else:
            self.follow(draft)
        key = key_of(call.id, call.name)
        self.open[key].append(draft)
        self.asked[call.id] += bool(call.id)
        if not call.well_formed:
            self.builder.gap("malformed_arguments", "The arguments are not JSON.", draft)
        return draft

    def answer(self, answer: Answer, place: Place) -> Draft | None:
        """Put an answer to the nearest call before it; one that nobody asked for is a step."""
        key = key_of(answer.id, answer.name)
        part = answer.part()
        known = self.answered.get((key, answer.text))
        if self.open[key]:
            draft = self.open[key].pop()
            draft.parts.append(part)
            draft.read_from(place.pointer)
        elif known is not None and answer.id:
            self.builder.fold(RESULT_AGAIN, place.pointer, known)
            return known
        else:
            tool = self.builder.actor(answer.name or "tool", ActorKind.TOOL)
            draft = self.builder.add(drafted(place, tool, StepKind.TOOL, [part]))
            draft.tool = answer.name or "tool"
            self.follow(draft)
            self.ends = [draft]
        self.answered[key, answer.text] = draft
        draft.ended_at = place.ended_at or place.at or draft.ended_at
        if answer.failed is not None:
            draft.status = StepStatus.ERROR if answer.failed else StepStatus.OK
        return draft

    def follow(self, draft: Draft) -> None:
        for end in self.ends:
            kind = LinkKind.FOLLOWS if self.rule else LinkKind.CONSUMES
            self.builder.link(end.id, draft.id, kind, self.rule)

    def note_unknown(self, draft: Draft) -> None:
        kinds = [
            str(part.data["type"])
            for part in draft.parts
            if part.data.get("raw") and part.data.get("type") not in MEDIA
        ]
        if kinds:
            self.builder.gap("unknown_part", f"Shown as JSON: {listed(kinds)}.", draft)

    def note_reused(self) -> None:
        """Say, at the end, which call ids more than one call has."""
        if reused := [call for call, count in self.asked.items() if count > 1]:
            self.builder.gap("reused_call_id", f"Several calls have the id: {listed(reused)}.")


MEDIA = frozenset(
    {"image", "image_url", "input_image", "input_audio", "audio", "file", "input_file", "blob"}
    | {"document", "uri"}
)


def drafted(place: Place, actor: str, kind: StepKind, parts: list[Part]) -> Draft:
    return Draft(
        id=place.id,
        actor=actor,
        kind=kind,
        parts=parts,
        order=place.order,
        pointer=place.pointer,
        started_at=place.at,
        ended_at=place.ended_at,
    )


def with_data(part: Part, **data: Any) -> Part:
    return Part(part.kind, part.text, {**part.data, **data}, part.capture)


def nth(place: Place, index: int) -> Place:
    """The place of the calls or answers of a message: behind it, in their order."""
    number = index + 1
    return Place(f"{place.id}.{number}", (*place.order, number), place.pointer, place.at)


def key_of(call: str, tool: str) -> str:
    """How calls and answers find each other: by id, else by the function's name."""
    return f"id {call}" if call else f"function {tool}"
