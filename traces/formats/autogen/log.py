"""Reads AutoGen's event log (`autogen_core.events`): messages as they went, tool and model calls.

Each message is logged once sent and once for everybody it reached. Lines of other loggers stand
between; they are refused one by one.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from traces.compact import compact
from traces.formats.autogen import CAPTURE
from traces.formats.autogen.messages import Team, header, is_message
from traces.formats.autogen.stopping import stopped
from traces.formats.base import Document, Json, ParsedRun, Reading, Refusal, Sample, Unreadable
from traces.formats.chat.message import Call
from traces.formats.chat.reading import messages, opened
from traces.formats.records import loose
from traces.formats.records.loose import Object
from traces.formats.steps.building import Builder, Draft
from traces.transcript import (
    ActorKind,
    Fate,
    Part,
    PartKind,
    StepKind,
    StepStatus,
    Transcript,
)

LOST = "Message could not be serialized"
EVENTS = frozenset({"ToolCall", "LLMCall", "LLMStreamStart", "LLMStreamEnd"})
FAILURES = frozenset({"MessageHandlerException", "AgentConstructionException", "MessageDropped"})
NO_EVENT = "This is no event of AutoGen's log."
TOOL_AGAIN = "tool calls that messages tell of"
MODEL_AGAIN = "model calls whose answers messages hold"


class AutoGenLog:
    name = "autogen_log"
    version = "1"

    def recognise(self, sample: Sample) -> str | None:
        for item in sample.objects:
            if "delivery_stage" in item and "payload" in item:
                return "keys payload and delivery_stage"
            if loose.text(item.get("type")) in EVENTS and "agent_id" in item:
                return "key agent_id, with a type of AutoGen's events"
        return None

    def read(self, document: Document) -> Reading:
        log, refusals = Log(Builder()), []
        for index, (pointer, value) in enumerate(loose.placed(document)):
            if isinstance(value, Mapping) and isinstance(value.get("type"), str):
                log.add(value, pointer, index)
            else:
                refusals.append(Refusal(pointer or "/", NO_EVENT))
        log.finish()
        if not log.builder.drafts:
            raise Unreadable("There are no steps in this log of AutoGen.")
        return Reading((ParsedRun(transcript(log, document)),), tuple(refusals))


FORMAT = AutoGenLog()


@dataclass(slots=True)
class Log:
    """The log while it is read; tool and model calls wait for the messages that tell of them."""

    builder: Builder
    team: Team = field(init=False)
    calls: list[tuple[Object, str, int]] = field(default_factory=list)
    models: list[tuple[Object, str, int]] = field(default_factory=list)
    lost: int = 0
    unknown: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.team = Team(self.builder)

    def add(self, value: Object, pointer: str, index: int) -> None:
        kind = loose.text(value["type"])
        if kind == "ToolCall":
            self.calls.append((value, pointer, index))
        elif kind == "LLMCall":
            self.models.append((value, pointer, index))
        elif kind in FAILURES:
            self.failure(value, pointer, index)
        elif "payload" in value:
            self.message(value, pointer, index)
        else:
            self.unknown[kind] += 1
            self.builder.record(pointer, Fate.UNMAPPED, kind)

    def message(self, value: Object, pointer: str, index: int) -> None:
        payload = value.get("payload")
        if payload == LOST:
            self.lost += 1
            self.builder.record(pointer, Fate.UNMAPPED, LOST)
            return
        inside = opened(payload)
        found = list(messages_in(inside))
        for number, each in enumerate(found):
            source = loose.text(each.get("source"))
            sender = loose.text(value.get("sender"))
            speaker = sender if source and sender.startswith(f"{source}_") else ""
            self.team.add(each, pointer, (index, number), speaker)
        if stop := loose.text(loose.at(inside, "message", "stop_reason")):
            self.builder.report(stopped(stop))
        if not found:
            self.builder.record(pointer, Fate.CONTEXT, loose.text(value.get("kind")) or "message")

    def failure(self, value: Object, pointer: str, index: int) -> None:
        text = loose.shown(value.get("exception")) or loose.shown(value.get("payload"))
        agent = loose.text(value.get("handling_agent") or value.get("agent_id"))
        actor = self.builder.actor(agent or "runtime", ActorKind.HARNESS)
        part = Part(PartKind.ERROR, text, {"type": value["type"]})
        draft = Draft(pointer, actor, StepKind.ERROR, [part], (index, 0), pointer)
        draft.status = StepStatus.ERROR
        self.builder.add(draft)
        self.team.talk.follow(draft)

    def finish(self) -> None:
        """Fold what messages tell already; what they do not tell is news."""
        self.team.finish()
        self.tools()
        texts = {"\n".join(p.text for p in d.parts): d for d in self.builder.drafts.values()}
        by_call = {
            loose.text(part.data.get("call")): draft
            for draft in self.builder.drafts.values()
            for part in draft.parts
            if part.kind is PartKind.TOOL_REQUEST
        }
        for value, pointer, index in self.models:
            self.model(value, pointer, index, texts, by_call)
        if self.lost:
            detail = f"{self.lost} messages could not be written by AutoGen, and are lost."
            self.builder.gap("damaged", detail)
        if self.unknown:
            kinds = ", ".join(f"{kind} ({n})" for kind, n in sorted(self.unknown.items()))
            self.builder.gap("kept_in_raw_only", f"Events of kinds not known: {kinds}.")

    def tools(self) -> None:
        waiting: dict[str, deque[Draft]] = {}
        for draft in self.builder.drafts.values():
            if draft.tool and draft.parts[0].kind is PartKind.TOOL_REQUEST:
                key = f"{draft.tool} {canonical(draft.parts[0].text)}"
                waiting.setdefault(key, deque()).append(draft)
        for value, pointer, index in self.calls:
            name = loose.text(value.get("tool_name")) or "unknown tool"
            known = waiting.get(f"{name} {canonical(value.get('arguments'))}")
            if known:
                self.told_already(known.popleft(), value, pointer)
            else:
                self.alone(value, name, pointer, index)

    def told_already(self, draft: Draft, value: Object, pointer: str) -> None:
        self.builder.fold(TOOL_AGAIN, pointer, draft)
        if not any(part.kind is PartKind.TOOL_RESPONSE for part in draft.parts):
            told = {"call": draft.parts[0].data.get("call")}
            draft.parts.append(Part(PartKind.TOOL_RESPONSE, loose.shown(value.get("result")), told))

    def alone(self, value: Object, name: str, pointer: str, index: int) -> None:
        agent = loose.text(value.get("agent_id")) or "agent"
        role = agent.partition("/")[0]
        actor = self.builder.actor(agent, role=role, instance=agent)
        call = Call("", name, value.get("arguments", ""))
        parts = [call.part(), Part(PartKind.TOOL_RESPONSE, loose.shown(value.get("result")))]
        draft = Draft(pointer, actor, StepKind.TOOL, parts, (index, 0), pointer)
        draft.tool = name
        self.builder.add(draft)

    def model(
        self,
        value: Object,
        pointer: str,
        index: int,
        texts: Mapping[str, Draft],
        by_call: Mapping[str, Draft],
    ) -> None:
        said = next(iter(messages(value.get("response"), "assistant")), None)
        known = texts.get(said.text) if said and said.text else None
        for call in said.calls if said else ():
            known = known or by_call.get(call.id)
        if known:
            self.builder.fold(MODEL_AGAIN, pointer, known)
            return
        agent = loose.text(value.get("agent_id")) or "agent"
        model = loose.text(loose.at(value, "response", "model")) or None
        actor = self.builder.actor(agent, role=agent.partition("/")[0], instance=agent, model=model)
        silent = [Part(PartKind.MESSAGE, "", {}, {"text": "not_captured"})]
        parts = list(said.parts) if said and said.parts else silent
        calls = bool(said and said.calls)
        kind = StepKind.DECISION if calls else StepKind.MESSAGE
        self.builder.add(Draft(pointer, actor, kind, parts, (index, 0), pointer))


def messages_in(payload: Json) -> Iterator[Object]:
    """The chat messages in a payload, wherever the events of a team hold them."""
    waiting = [payload]
    while waiting:
        value = waiting.pop()
        if is_message(value):
            yield value
        elif isinstance(value, Mapping):
            inner = [value.get(key) for key in HOLDERS]
            waiting.extend(each for each in reversed(inner) if each)
        elif isinstance(value, list):
            waiting.extend(reversed(value))


HOLDERS = ("messages", "inner_messages", "chat_message", "message", "response", "agent_response")


def canonical(arguments: Json) -> str:
    value = opened(arguments)
    return compact(value) if isinstance(value, dict | list) else loose.shown(value)


def transcript(log: Log, document: Document) -> Transcript:
    builder = log.builder
    content = [draft.id for draft in builder.drafts.values()]
    run = header(builder, loose.reading_gaps(document), "autogen_log", CAPTURE, content)
    return builder.transcript(run)
