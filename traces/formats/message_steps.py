"""Turns a list of messages into steps: one for what is said, one for each tool call.

What a message shows of its predecessors is only its place, so those links are inferred. That a
call came from a message and an answer from a call is proved by the ids.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from traces.completeness import listed
from traces.formats.base import Json
from traces.formats.message_parts import Call, answer_key, answer_part, calls_of, is_unknown, spoken
from traces.formats.ordering import SAME_CONVERSATION
from traces.transcript import (
    Actor,
    ActorKind,
    Gap,
    Link,
    LinkKind,
    Part,
    PartKind,
    Step,
    StepKind,
)

Message = Mapping[str, Json]
ANSWERS = frozenset({"tool", "function"})
INSTRUCTIONS = frozenset({"system", "developer"})


@dataclass(slots=True)
class Thread:
    """Steps and links of one conversation while its messages are read in turn.

    `ends` are the steps that the next message comes after; `open_calls` wait for an answer.
    """

    agents: frozenset[str] = frozenset()
    steps: list[Step] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)
    actors: dict[str, Actor] = field(default_factory=dict)
    ends: list[int] = field(default_factory=list)
    open_calls: defaultdict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    calls: Counter[str] = field(default_factory=Counter)
    message: int = -1
    made_before: int = 0

    def add(self, message: Message, pointer: str) -> None:
        """Read the next message, which stands at `pointer`."""
        self.message += 1
        self.made_before = len(self.steps)
        if message["role"] in ANSWERS:
            self.answer(message, pointer)
        else:
            self.say(message, pointer)

    def say(self, message: Message, pointer: str) -> None:
        """A step for what is said, unless that is nothing, and one for each call."""
        actor, calls = self.speaker(message), calls_of(message)
        speech = PartKind.INPUT if actor.kind in HEARD else PartKind.MESSAGE
        parts = spoken(message, speech)
        if not parts and not calls:
            parts = (Part(speech, ""),)
        said = self.step(actor, KIND_OF[speech], parts, pointer) if parts else None
        if said is not None:
            self.follow(said)
            self.ends = [said]
        asked = [self.ask(actor, call, pointer) for call in calls]
        for number in asked:
            if said is None:
                self.follow(number)
            else:
                self.links.append(Link(said, number, LinkKind.CONSUMES))
        self.ends = asked or self.ends

    def ask(self, actor: Actor, call: Call, pointer: str) -> int:
        number = self.step(actor, StepKind.TOOL, (call.part(),), pointer, tool=call.tool)
        self.open_calls[call.key].append(number)
        self.calls[call.key] += 1
        if not call.well_formed:
            self.gaps.append(Gap("malformed_arguments", "The arguments are not JSON.", number))
        return number

    def answer(self, message: Message, pointer: str) -> None:
        """Put an answer to its call; one that nobody asked for is a step of its own."""
        part = answer_part(message)
        waiting = self.open_calls[answer_key(message.get("tool_call_id"), message.get("name"))]
        if waiting:
            number = waiting.pop()
            self.steps[number] = replace(
                self.steps[number], parts=(*self.steps[number].parts, part)
            )
            self.note_unknown(number, (part,))
            return
        tool = self.known(str(message.get("name") or "tool"), ActorKind.TOOL)
        number = self.step(tool, StepKind.TOOL, (part,), pointer, tool=tool.key)
        self.follow(number)
        self.ends = [number]

    def step(
        self, actor: Actor, kind: StepKind, parts: tuple[Part, ...], pointer: str, tool: str = ""
    ) -> int:
        number = len(self.steps)
        self.steps.append(
            Step(
                number=number,
                source_id=self.name_of_step(),
                actor=actor.key,
                kind=kind,
                parts=parts,
                tool=tool or None,
                pointer=pointer,
            )
        )
        self.note_unknown(number, parts)
        return number

    def name_of_step(self) -> str:
        """By the message's place in the conversation, wherever that stands in a file."""
        before = len(self.steps) - self.made_before
        return f"{self.message}.{before}" if before else str(self.message)

    def follow(self, number: int) -> None:
        for end in self.ends:
            self.links.append(Link(end, number, LinkKind.FOLLOWS, SAME_CONVERSATION))

    def note_unknown(self, number: int, parts: Sequence[Part]) -> None:
        kinds = [str(part.data["type"]) for part in parts if is_unknown(part)]
        if kinds:
            self.gaps.append(Gap("unknown_part", f"Shown as JSON: {listed(kinds)}.", number))

    def speaker(self, message: Message) -> Actor:
        role, name = str(message["role"]), message.get("name")
        key = name if isinstance(name, str) and name else role
        if role in INSTRUCTIONS:
            return self.known(role, ActorKind.HARNESS)
        # In a group chat the others have the role user, whoever they are.
        human = role == "user" and key not in self.agents
        return self.known(key, ActorKind.HUMAN if human else ActorKind.AGENT)

    def known(self, key: str, kind: ActorKind) -> Actor:
        capture = {"instance": "not_in_schema", "model": "not_in_schema"}
        return self.actors.setdefault(key, Actor(key=key, role=key, kind=kind, capture=capture))

    def reused(self) -> list[str]:
        """Call ids that more than one call has."""
        return [
            key.removeprefix("id ") for key, n in self.calls.items() if n > 1 and key[:3] == "id "
        ]


HEARD = frozenset({ActorKind.HUMAN, ActorKind.HARNESS})
KIND_OF = {PartKind.INPUT: StepKind.INPUT, PartKind.MESSAGE: StepKind.MESSAGE}
