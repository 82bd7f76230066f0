"""Turns logged exchanges with models into a run: of each request only what is new in it.

Every request repeats the conversation so far. What one begins with and what was said before is
the same; where it departs from that, its thread forks. Agents differ by their instructions.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from traces.formats.base import Json
from traces.formats.chat.message import Message
from traces.formats.chat.pieces import decoded
from traces.formats.chat.transcribing import capture_of, with_task
from traces.formats.messages.exchanges import Exchange, Said, in_order
from traces.formats.steps.building import Builder, Draft
from traces.formats.steps.conversation import Conversation, Place, drafted
from traces.transcript import (
    Fate,
    Gap,
    LinkKind,
    Part,
    PartKind,
    StepKind,
    StepStatus,
    Transcript,
)

AGAIN = "messages sent again with a later request"
TWICE = "exchanges logged again"
START = ""
SAME_REQUEST = "the same request after an error"


def transcript(exchanges: Sequence[Exchange], gaps: tuple[Gap, ...]) -> Transcript:
    log, ordered = Log(Builder()), list(in_order(exchanges))
    for rank, exchange in enumerate(ordered):
        log.take(exchange, rank)
    log.talk.note_reused()
    timed = any(each.at for each in exchanges)
    beside = [dict(each.beside) for each in ordered if each.beside]
    header = Transcript(
        external_id=exchanges[0].session or f"messages-{log.digest()}",
        source="messages",
        schema="messages",
        actors=(),
        steps=(),
        gaps=gaps,
        system=system_of(log, ordered),
        withheld={"exchanges": beside} if beside else {},
        capture={
            key: state
            for key, state in capture_of(log.builder).items()
            if not (timed and key in ("steps/started_at", "steps/ended_at"))
        },
    )
    return with_task(log.builder.transcript(header))


def system_of(log: Log, exchanges: Sequence[Exchange]) -> dict[str, Json]:
    """The models, and each kind of settings that were asked for once."""
    models = {key: actor.model for key, actor in log.builder.actors.items() if actor.model}
    settings = {json.dumps(e.settings, sort_keys=True): dict(e.settings) for e in exchanges}
    found: dict[str, Json] = {"models": models, "requests": [s for s in settings.values() if s]}
    return {key: value for key, value in found.items() if value}


@dataclass(slots=True)
class Log:
    """A log while it is read.

    `known` are the conversations so far: by the digest of all that was said in one, the steps
    that come last in it. `agents` are the names of agents by the digest of their instructions,
    `failed` the last calls that gave an error, by the conversation that was sent.
    """

    builder: Builder
    talk: Conversation = field(init=False)
    known: dict[str, list[Draft]] = field(default_factory=lambda: {START: []})
    agents: dict[str, str] = field(default_factory=dict)
    failed: dict[tuple[str, str], Draft] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.talk = Conversation(self.builder, "assistant")

    def take(self, exchange: Exchange, rank: int) -> None:
        at, read = START, 0
        for said in exchange.sent:
            if (further := after(at, said.message)) not in self.known:
                break
            at, read = further, read + 1
            self.builder.fold(AGAIN)
        self.talk.ends = list(self.known[at])
        agent = self.agent_of(exchange, rank)
        for number, said in enumerate(exchange.sent[read:], start=read):
            at = after(at, said.message)
            self.say(said, Place(at, (rank, number), said.pointers[0]), agent)
        number, sent = len(exchange.sent), (agent, at)
        for said in exchange.back:
            if (further := after(at, said.message)) in self.known and self.known[further]:
                self.builder.fold(TWICE, said.pointers[0], self.known[further][-1])
                continue
            at, number = further, number + 1
            place = Place(at, (rank, number), said.pointers[0], exchange.at, exchange.ended_at)
            draft = self.say(said, place, agent)
            self.note_lack(exchange, draft)
            self.tried_again(sent, draft)
        if exchange.error:
            # Attempts that fail in the same way differ in their times.
            when = f".{exchange.at.isoformat()}" if exchange.at else ""
            place = Place(f"{at}.error{when}", (rank, number + 1), exchange.pointer)
            draft = self.fail(exchange, place, agent)
            self.tried_again(sent, draft)
            self.failed[sent] = draft
        elif not exchange.back:
            self.builder.record(exchange.pointer, Fate.CONTEXT, "request without a response")

    def say(self, said: Said, place: Place, agent: str) -> Draft | None:
        message = said.message
        speaker = agent if message.role == "assistant" else ""
        draft = self.talk.say(message, place, speaker)
        for pointer in said.pointers[1:]:
            if draft:
                draft.read_from(pointer)
        if draft and speaker and message.model:
            self.builder.actor(speaker, model=message.model)
        self.known[place.id] = list(self.talk.ends)
        return draft

    def note_lack(self, exchange: Exchange, draft: Draft | None) -> None:
        earlier = exchange.earlier
        if not exchange.request or earlier:
            told = f"It goes on from {earlier}." if earlier else "What was sent is not here."
            self.builder.gap("missing_parent", told, draft)

    def tried_again(self, sent: tuple[str, str], draft: Draft | None) -> None:
        """A log says nothing of attempts: that the same was sent after an error is a guess."""
        before = self.failed.pop(sent, None)
        if before and draft:
            self.builder.link(before.id, draft.id, LinkKind.RETRY_OF, SAME_REQUEST)

    def fail(self, exchange: Exchange, place: Place, agent: str) -> Draft:
        """A step for a model call that gave nothing but an error."""
        at = replace(place, at=exchange.at, ended_at=exchange.ended_at)
        parts = [Part(PartKind.ERROR, exchange.error)]
        draft = drafted(at, agent, StepKind.ERROR, parts)
        draft.status = StepStatus.ERROR
        draft = self.builder.add(draft)
        self.talk.follow(draft)
        return draft

    def agent_of(self, exchange: Exchange, rank: int) -> str:
        """Who is asked: agents are told apart by their instructions, and get numbers."""
        text = "\n".join(said.message.text for said in exchange.system)
        known = self.agents.get(text)
        if known:
            return known
        name = f"assistant {len(self.agents) + 1}" if self.agents else "assistant"
        self.agents[text] = name
        self.builder.actor(name, capture={"instance": "not_in_schema"})
        for number, said in enumerate(exchange.system):
            place = Place(after(name, said.message), (rank, -1, number), said.pointers[0])
            self.talk.say(said.message, place)
        return name

    def digest(self) -> str:
        return hashlib.sha256("".join(sorted(self.known)).encode()).hexdigest()[:16]


def after(before: str, message: Message) -> str:
    """The digest of a conversation that ended there, with one more message.

    A response and what a later request says of it differ in much: what was thought is left out,
    and of what has calls their ids are enough.
    """
    calls = [call.id or [call.name, decoded(call.arguments)] for call in message.calls]
    answers = [[answer.id or answer.name, answer.text] for answer in message.answers]
    said = [part.text for part in message.parts if part.kind is not PartKind.INTERPRETATION]
    told = [before, message.role, calls or said, answers]
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()[:16]
