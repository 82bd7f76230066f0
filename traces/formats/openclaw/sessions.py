"""The sessions of an openclaw log. A subagent has one of its own, told apart by its key."""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from traces.formats.chat.message import Call
from traces.formats.openclaw.messages import (
    answer_of,
    asked,
    calls_of,
    ending,
    parts_of,
    replace_order,
    spoken,
)
from traces.formats.openclaw.told import AGENT, Told, role_of, whose
from traces.formats.records.event_log import Entry
from traces.formats.records.loose import Object, digest, number, objects, text
from traces.formats.records.times import moment
from traces.formats.steps.building import Builder, Draft
from traces.formats.steps.conversation import Place
from traces.formats.steps.ordering import seconds
from traces.formats.steps.turns import HUMAN, Turns
from traces.transcript import (
    ActorKind,
    Fate,
    Part,
    PartKind,
    Report,
    StepKind,
    StepStatus,
)

NAME = "openclaw"
HISTORY_AGAIN = "history told again"
PROMPT_AGAIN = "prompts that messages tell"
START_AGAIN = "starts told twice"
WORDS_AGAIN = "words of an agent told again as they are sent"
TOOL_AGAIN = "starts and ends of calls that messages tell"
FROM_SESSION = "[Inter-session message] sourceSession="


Timing = tuple[str, datetime | None]


def _queues() -> defaultdict[str, deque[Any]]:
    return defaultdict(deque)


@dataclass(slots=True)
class Telemetry:
    """A log while its records are read in order."""

    told: Told
    whole: bool = True
    builder: Builder = field(default_factory=Builder)
    sessions: dict[str, Turns] = field(default_factory=dict)
    first: dict[str, Draft] = field(default_factory=dict)
    last: dict[str, Draft] = field(default_factory=dict)
    seen: set[tuple[str, str]] = field(default_factory=set)
    heard: dict[str, Draft] = field(default_factory=dict)
    running: defaultdict[str, deque[Draft | None]] = field(default_factory=_queues)
    timings: defaultdict[str, deque[Timing]] = field(default_factory=_queues)
    sent: dict[str, Draft] = field(default_factory=dict)
    joins: list[tuple[str, Draft]] = field(default_factory=list)

    def read(self, entry: Entry) -> None:
        value, kind = entry.value, text(entry.value.get("type"))
        at = moment(value.get("ts"))
        session = text(value.get("sessionKey"))
        seq = number(value.get("seq"))
        name = f"seq {seq}" if seq is not None else entry.pointer
        when = seconds(at) if self.told.timed else 0.0
        place = Place(name, (when, entry.number, 0), entry.pointer, at)
        if entry.number in self.told.again:
            self.builder.fold(START_AGAIN, place.pointer)
            return
        reader = READERS.get(kind)
        if reader is not None:
            reader(self, value, place, session)
        else:
            fate = Fate.CONTEXT if kind == "llm.usage" else Fate.UNMAPPED
            self.builder.record(place.pointer, fate, kind)

    def turns(self, session: str) -> Turns:
        """The session's agent. Subagents are told by their key."""
        if session not in self.sessions:
            turns = Turns(self.builder, role_of(session), session)
            turns.program, turns.key, turns.whole = NAME, session or AGENT, self.whole
            self.sessions[session] = turns
        return self.sessions[session]

    def note(self, session: str, draft: Draft) -> Draft:
        self.first.setdefault(session, draft)
        self.last[session] = draft
        return draft

    def incoming(self, value: Object, place: Place, session: str) -> None:
        """What a person wrote on some channel; no session is told."""
        actor = self.builder.actor(HUMAN, ActorKind.HUMAN)
        said = text(value.get("content"))
        draft = self.turns("").tell(Part(PartKind.INPUT, said), StepKind.INPUT, actor, place)
        self.heard[said] = draft

    def agent_start(self, value: Object, place: Place, session: str) -> None:
        prompt = text(value.get("prompt"))
        self.history(value, place, session)
        if prompt and prompt in self.told.prompts[session]:
            self.builder.fold(PROMPT_AGAIN, place.pointer)
        elif prompt in self.heard:
            self.heard_before(prompt, place, session)
        else:
            self.hear(prompt, place, session)

    def heard_before(self, prompt: str, place: Place, session: str) -> None:
        """A session is told what came in on a channel."""
        draft = self.heard[prompt]
        self.builder.fold(PROMPT_AGAIN, place.pointer, draft)
        turns = self.turns(session)
        turns.call = None
        turns.ends[draft.id] = draft

    def hear(self, prompt: str, place: Place, session: str) -> None:
        turns = self.turns(session)
        subagent = ":subagent:" in session or prompt.startswith(FROM_SESSION)
        actor = turns.harness() if subagent else turns.person()
        draft = turns.tell(Part(PartKind.INPUT, prompt), StepKind.INPUT, actor, place)
        self.note(session, draft)
        if prompt.startswith(FROM_SESSION):
            source = prompt[len(FROM_SESSION) : len(FROM_SESSION) + 300].split()
            self.joins.append((source[0] if source else "", draft))

    def agent_end(self, value: Object, place: Place, session: str) -> None:
        self.history(value, place, session)
        success = value.get("success")
        if isinstance(success, bool):
            word = "success" if success else "failure"
            detail = f"{session}: {text(value.get('error'))}".rstrip(": ")
            report = Report(word, "framework", at=place.at, detail=detail)
            self.builder.report(report, self.last.get(session))
        if value.get("markdown"):
            self.builder.unread["markdown"] += 1
        self.builder.record(place.pointer, Fate.CONTEXT, "agent.end", self.last.get(session))

    def history(self, value: Object, place: Place, session: str) -> None:
        """Messages of the session so far: those that are new are steps."""
        for index, message in enumerate(objects(value.get("messages"))):
            known = (session, digest(message))
            if known in self.seen:
                self.builder.fold(HISTORY_AGAIN)
                continue
            self.seen.add(known)
            at = moment(message.get("timestamp"))
            name = f"{session}/{known[1]}"
            when = seconds(at) if self.told.timed and at else place.order[0]
            order = (when, place.order[1], index + 1)
            pointer = f"{place.pointer}/messages/{index}"
            self.message(message, Place(name, order, pointer, at), session)

    def message(self, message: Object, place: Place, session: str) -> None:
        turns, role = self.turns(session), text(message.get("role"))
        if role == "user" and spoken(message) in self.heard:
            self.heard_before(spoken(message), place, session)
        elif role == "user":
            self.hear(spoken(message), place, session)
        elif role == "assistant":
            turns.call = None
            turns.model = text(message.get("model")) or turns.model
            self.note(session, turns.reply(place))
            for part in parts_of(message):
                turns.say(part, place)
            for index, call in enumerate(calls_of(message)):
                self.ask(call, replace_order(place, index), session)
        elif role == "toolResult":
            self.note(session, turns.answer(answer_of(message), place))
        else:
            self.builder.record(place.pointer, Fate.UNMAPPED, f"message of {role}")

    def ask(self, call: Call, place: Place, session: str) -> None:
        draft = self.turns(session).ask(call, place)
        self.note(session, draft)
        if waiting := self.timings[asked(whose(session), call.name, call.arguments)]:
            pointer, at = waiting.popleft()
            draft.read_from(pointer)
            draft.started_at = at or draft.started_at

    def tool_start(self, value: Object, place: Place, session: str) -> None:
        """When a call began: one that a history tells, or else a step of its own."""
        tool, params = text(value.get("toolName")), value.get("params")
        key = asked(whose(session), tool, params)
        if self.told.calls[key] > 0:
            self.told.calls[key] -= 1
            self.timings[key].append((place.pointer, place.at))
            self.builder.fold(TOOL_AGAIN, place.pointer)
            self.running[f"{session} {tool}"].append(None)
            return
        turns = self.turns(session)
        reply = turns.reply(place)
        if not reply.parts:
            reply.parts.append(Part(PartKind.MESSAGE, "", {}, {"text": "not_captured"}))
        draft = turns.ask(Call("", tool, params), place)
        self.running[f"{session} {tool}"].append(self.note(session, draft))

    def tool_end(self, value: Object, place: Place, session: str) -> None:
        """How a call ended. The log holds nothing of what the tool answered."""
        tool = text(value.get("toolName"))
        waiting = self.running[f"{session} {tool}"]
        known = waiting.popleft() if waiting else None
        if known is None:
            self.builder.fold(TOOL_AGAIN, place.pointer)
            return
        self.turns(session).call = None
        known.parts.append(ending(value))
        known.read_from(place.pointer)
        known.ended_at = place.at
        if isinstance(value.get("success"), bool):
            known.status = StepStatus.OK if value["success"] else StepStatus.ERROR

    def outgoing(self, value: Object, place: Place, session: str) -> None:
        """What goes out on a channel: an agent's words again, or all that is kept of them."""
        said = text(value.get("content"))
        if said in self.told.words:
            self.builder.fold(WORDS_AGAIN, place.pointer)
        elif said in self.sent:
            self.builder.fold(WORDS_AGAIN, place.pointer, self.sent[said])
        else:
            turns = self.turns(session)
            self.sent[said] = turns.reply(place)
            turns.say(Part(PartKind.MESSAGE, said), place)
            turns.call = None


READERS = {
    "message.in": Telemetry.incoming,
    "agent.start": Telemetry.agent_start,
    "agent.end": Telemetry.agent_end,
    "tool.start": Telemetry.tool_start,
    "tool.end": Telemetry.tool_end,
    "message.sending": Telemetry.outgoing,
    "message.out": Telemetry.outgoing,
}
