"""Turns what is said in turn into steps: a model's call, and each tool call it asked for.

The model call is one step, whose text is what the model said before it acted; each tool request
with its response is one step that builds on that call. That a request came of a message and a
response of a request is proved by ids; that one message follows another is proved only where
the source says so, and inferred elsewhere.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from traces.completeness import listed
from traces.formats.chat.message import Answer, Call, Message, unknown_kinds
from traces.formats.steps.building import Builder, Draft
from traces.formats.steps.ordering import SAME_CONVERSATION
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

    `ends` are the steps that the next message comes after; `open` are calls without an answer,
    under each name by which an answer may find them. `agents` are names of agents who speak here
    in the role of a user. `rule` says how it is known that one message follows another; empty if
    the source says it.
    """

    builder: Builder
    agent: str
    rule: str = SAME_CONVERSATION
    agents: frozenset[str] = frozenset()
    ends: list[Draft] = field(default_factory=list)
    open: defaultdict[str, deque[Draft]] = field(default_factory=lambda: defaultdict(deque))
    asked: Counter[str] = field(default_factory=Counter)
    answered: dict[tuple[str, str], Draft] = field(default_factory=dict)
    closed: set[str] = field(default_factory=set)

    def say(self, message: Message, place: Place, speaker: str = "") -> Draft | None:
        """Read the next message: tool results go to their calls, the rest become steps."""
        if message.role == "assistant":
            draft = self.decide(message, place, speaker)
            self.take_answers(message, place, first=len(message.calls))
            return draft
        self.take_answers(message, place)
        if message.role == "tool":
            return None
        if message.role in HEARD and message.name not in self.agents:
            if message.answers and not (message.parts or message.calls):
                return None
            return self.listen(message, place, speaker)
        return self.decide(message, place, speaker)

    def take_answers(self, message: Message, place: Place, first: int = 0) -> None:
        for index, answer in enumerate(message.answers, start=first):
            self.answer(answer, nth(place, index))

    def listen(self, message: Message, place: Place, speaker: str = "") -> Draft:
        """A step for what somebody tells the agent, and one for each call they make themselves."""
        actor = self.builder.actor(speaker or message.name or message.role, HEARD[message.role])
        parts = with_rest(message.parts or (Part(PartKind.INPUT, ""),), message)
        draft = self.hear(parts, place, actor)
        self.ask_all(message, place, draft, first=len(message.answers))
        return draft

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
        role = self.agent if message.role == "assistant" else message.role
        actor = self.builder.actor(speaker or message.name or role)
        kind = StepKind.DECISION if message.calls else StepKind.MESSAGE
        # A model that only calls tools says nothing, which the source shows.
        silent = (Part(PartKind.MESSAGE, "", {}, {"text": "absent"}),)
        parts = [spoken(part) for part in with_rest(message.parts or silent, message)]
        draft = self.builder.add(drafted(place, actor, kind, parts))
        self.note_unknown(draft)
        self.follow(draft)
        self.ends = [draft]
        self.ask_all(message, place, draft)
        return draft

    def ask_all(self, message: Message, place: Place, decided: Draft, first: int = 0) -> None:
        for call in message.calls:
            # Without ids an answer is to the calls of the last message that made any.
            self.open[key_of("", call.name)].clear()
            self.open[key_of("", "")].clear()
        asked = [
            self.ask(call, nth(place, index), decided)
            for index, call in enumerate(message.calls, start=first)
        ]
        self.ends = asked or self.ends

    def ask(self, call: Call, place: Place, decided: Draft | None, actor: str = "") -> Draft:
        """A step for a tool call, which waits for its answer."""
        who = actor or (decided.actor if decided else self.agent)
        new = drafted(place, who, StepKind.TOOL, [call.part()])
        new.tool = call.name
        draft = self.builder.add(new)
        if decided:
            self.builder.link(decided.id, draft.id, LinkKind.CONSUMES)
        else:
            self.follow(draft)
        if draft is not new:
            return draft
        if call.id:
            self.open[key_of(call.id, "")].append(draft)
        self.open[key_of("", call.name)].append(draft)
        self.open[key_of("", "")].append(draft)
        self.asked[call.id] += bool(call.id)
        if not call.well_formed:
            self.builder.gap("malformed_arguments", "The arguments are not JSON.", draft)
        return draft

    def answer(self, answer: Answer, place: Place) -> Draft | None:
        """Put an answer to its call; one that nobody asked for is a step."""
        key = key_of(answer.id, answer.name)
        part = answer.part()
        draft = self.waiting(key, last=bool(answer.id))
        known = self.answered.get((key, answer.text))
        if draft:
            draft.parts.append(part)
            draft.read_from(place.pointer)
            self.closed.add(draft.id)
        elif known is not None and answer.id:
            self.builder.fold(RESULT_AGAIN, place.pointer, known)
            return known
        else:
            tool = self.builder.actor(answer.name or "tool", ActorKind.TOOL)
            draft = self.builder.add(drafted(place, tool, StepKind.TOOL, [part]))
            draft.tool = answer.name or "tool"
            self.follow(draft)
            self.ends = [draft]
        self.note_unknown(draft, part)
        self.answered[key, answer.text] = draft
        draft.ended_at = place.ended_at or place.at or draft.ended_at
        if answer.failed is not None:
            draft.status = StepStatus.ERROR if answer.failed else StepStatus.OK
        return draft

    def waiting(self, key: str, *, last: bool) -> Draft | None:
        """The open call that an answer is to: of those with one id the last before it."""
        calls = self.open[key]
        while calls:
            draft = calls.pop() if last else calls.popleft()
            if draft.id not in self.closed:
                return draft
        return None

    def follow(self, draft: Draft) -> None:
        for end in self.ends:
            kind = LinkKind.FOLLOWS if self.rule else LinkKind.CONSUMES
            self.builder.link(end.id, draft.id, kind, self.rule)

    def note_unknown(self, draft: Draft, *parts: Part) -> None:
        kinds = [kind for part in parts or draft.parts for kind in unknown_kinds(part)]
        if kinds:
            self.builder.gap("unknown_part", f"Shown as JSON: {listed(kinds)}.", draft)

    def note_reused(self) -> None:
        """Say, at the end, which call ids more than one call has."""
        if reused := [call for call, count in self.asked.items() if count > 1]:
            self.builder.gap("reused_call_id", f"Several calls have the id: {listed(reused)}.")


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
    return replace(part, data={**part.data, **data})


def spoken(part: Part) -> Part:
    """What an agent says in the role of a user is said, and not given to the run."""
    return replace(part, kind=PartKind.MESSAGE) if part.kind is PartKind.INPUT else part


def with_rest(parts: Sequence[Part], message: Message) -> tuple[Part, ...]:
    """The parts; what else is known of the message is data of the first."""
    more = {"finish": message.finish, "message": dict(message.rest)}
    data = {key: value for key, value in more.items() if value}
    return (with_data(parts[0], **data), *parts[1:]) if data else (*parts,)


def nth(place: Place, index: int) -> Place:
    """The place of the calls or answers of a message: behind it, in their order."""
    number, at = index + 1, place.ended_at or place.at
    return Place(f"{place.id}.{number}", (*place.order, number), place.pointer, at)


def key_of(call: str, tool: str) -> str:
    """How calls and answers find each other: by id, else by the function's name."""
    return f"id {call}" if call else f"function {tool}"
