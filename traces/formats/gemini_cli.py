"""Reads the chat files of Gemini CLI: one document that it writes anew after every message.

Tool calls stand in the message that asks for them, with their answers and how they went.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from traces.completeness import listed
from traces.formats.base import Document, Json, ParsedRun, Reading, Refusal, Sample, Unreadable
from traces.formats.chat.message import Answer, Call, Message
from traces.formats.chat.pieces import Pieces
from traces.formats.chat.transcribing import with_task
from traces.formats.chat.words import as_list, text_of, without
from traces.formats.records.loose import digest, mapping, reading_gaps
from traces.formats.records.times import moment
from traces.formats.steps.building import Builder, Draft
from traces.formats.steps.conversation import Conversation, Place, nth
from traces.formats.steps.unsayable import unsayable_but
from traces.transcript import ActorKind, Fate, Gap, PartKind, StepKind, StepStatus, Transcript

Object = Mapping[str, Json]
INSTANCE = {"instance": "not_in_schema"}
TYPES = frozenset({"user", "gemini", "info", "error", "warning"})
STATES = {
    "success": StepStatus.OK,
    "error": StepStatus.ERROR,
    "cancelled": StepStatus.CANCELLED,
}
SET, REWIND = "$set", "$rewindTo"
AGAIN = "messages written again as they grew"
REWOUND = "The conversation was set back to before this message."
PLACED = ("id", "timestamp", "type", "content", "thoughts", "toolCalls", "model")
OF_CALLS = ("id", "name", "args", "result", "status", "timestamp", "description", "displayName")
NOT_IN_SCHEMA = unsayable_but(
    *("started_at", "steps/started_at", "steps/ended_at"),
    more=("outcome", "failures", "task/id", "steps/handoff_from", "steps/attempt"),
)


class GeminiCLI:
    name = "gemini_cli"
    version = "1"

    def recognise(self, sample: Sample) -> str | None:
        for item in sample.objects:
            if "sessionId" in item and any(map(is_message, as_list(item.get("messages")))):
                return "keys sessionId and messages, which have a type"
            if (
                is_message(item)
                and item.get("type") == "gemini"
                and item.keys() & {"toolCalls", "tokens"}
            ):
                return "type gemini, with toolCalls or tokens"
        return None

    def read(self, document: Document) -> Reading:
        runs, refusals = [], []
        alone: list[tuple[str, Json]] = []
        header: Object = {}
        for pointer, value, gaps in document.values():
            if isinstance(value, Mapping) and isinstance(value.get("messages"), list):
                entries = [(f"/messages/{n}", each) for n, each in enumerate(value["messages"])]
                run = transcript(value, entries, gaps)
                runs.append(ParsedRun(run, pointer))
            elif is_message(value) or is_note(value):
                alone.append((pointer, value))
            elif isinstance(value, Mapping) and "sessionId" in value:
                header = {**header, **value}
            else:
                refusals.append(Refusal(pointer or "/", NO_MESSAGE))
        if alone:
            gaps = reading_gaps(document)
            runs.append(ParsedRun(transcript(header, alone, gaps, as_last_written(alone))))
        if not any(run.transcript.steps for run in runs):
            raise Unreadable("There are no messages here.")
        return Reading(tuple(runs), tuple(refusals))


FORMAT = GeminiCLI()
NO_MESSAGE = "This is no message of Gemini CLI: it has no type that it writes."


def is_message(value: Json) -> bool:
    return isinstance(value, Mapping) and text_of(value.get("type")) in TYPES and "content" in value


def is_note(value: Json) -> bool:
    """A line of the newer files, to which messages are appended: what else has changed."""
    return isinstance(value, Mapping) and not value.keys().isdisjoint({SET, REWIND})


def as_last_written(entries: list[tuple[str, Json]]) -> dict[str, Object]:
    """Messages by their ids: each is appended again as it grows."""
    named = ((text_of(value.get("id")), value) for _, value in entries if is_message(value))
    return {name: value for name, value in named if name}


def transcript(
    header: Object,
    entries: list[tuple[str, Json]],
    gaps: tuple[Gap, ...],
    last: Mapping[str, Object] | None = None,
) -> Transcript:
    """The run. `last` are messages as they were written last, where they may come again."""
    session = Session(Builder(), last or {})
    bad = [pointer for pointer, value in entries if not (is_message(value) or is_note(value))]
    for index, (pointer, value) in enumerate(entries):
        if is_note(value):
            session.note(value, pointer)
        elif is_message(value):
            name = text_of(value.get("id")) or str(index)
            session.take(value, Place(name, (index,), pointer, moment(value.get("timestamp"))))
    for pointer in bad:
        session.builder.record(pointer, Fate.UNMAPPED, "no message")
    if bad:
        gaps = (*gaps, Gap("undecodable_step", f"Entries that are no messages: {listed(bad)}."))
    for key in without(header, "sessionId", "projectHash", "startTime", "lastUpdated", "messages"):
        session.builder.unread[key] += 1
    values = [value for _, value in entries]
    models = {key: a.model for key, a in session.builder.actors.items() if a.model}
    run = Transcript(
        external_id=text_of(header.get("sessionId")) or f"gemini_cli-{digest(values)}",
        source="Gemini CLI",
        schema="gemini_cli",
        actors=(),
        steps=(),
        gaps=gaps,
        system={"models": models} if models else {},
        started_at=moment(header.get("startTime")),
        capture=NOT_IN_SCHEMA | ({} if models else {"system": "not_captured"}),
    )
    return with_task(session.builder.transcript(run))


@dataclass(slots=True)
class Session:
    """A chat while it is read."""

    builder: Builder
    last: Mapping[str, Object]
    talk: Conversation = field(init=False)
    # Each message's step, and those that came last before it, by its id.
    known: dict[str, tuple[Draft, list[Draft]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.talk = Conversation(self.builder, "gemini")

    def note(self, value: Object, pointer: str) -> None:
        """What is no message. A conversation that was set back goes on from before one."""
        self.builder.record(pointer, Fate.CONTEXT, SET if SET in value else REWIND)
        if found := self.known.get(text_of(value.get(REWIND))):
            self.builder.gap("rewound", REWOUND, found[0])
            self.talk.ends = found[1]

    def take(self, value: Object, place: Place) -> None:
        if place.id in self.last and place.id in self.known:
            self.builder.fold(AGAIN, place.pointer, self.known[place.id][0])
            return
        before = list(self.talk.ends)
        self.known[place.id] = (self.said(self.last.get(place.id, value), place), before)

    def said(self, value: Object, place: Place) -> Draft:
        if value["type"] == "gemini":
            return self.respond(value, place)
        heard = ActorKind.HUMAN if value["type"] == "user" else ActorKind.HARNESS
        name = "user" if heard is ActorKind.HUMAN else "gemini-cli"
        actor = self.builder.actor(name, heard, capture=INSTANCE)
        pieces = Pieces(PartKind.INPUT)
        pieces.content(value["content"])
        draft = self.talk.hear(pieces.parts, place, actor)
        if value["type"] == "error":
            draft.kind, draft.status = StepKind.ERROR, StepStatus.ERROR
            draft.parts = [replace(part, kind=PartKind.ERROR) for part in draft.parts]
        return draft

    def respond(self, value: Object, place: Place) -> Draft:
        """One model call, and what its tools answered."""
        pieces = Pieces(PartKind.MESSAGE)
        for thought in map(thought_of, as_list(value.get("thoughts"))):
            pieces.thought(thought)
        pieces.content(value["content"])
        calls = [mapping(call) for call in as_list(value.get("toolCalls"))]
        said = Message(
            "assistant",
            parts=tuple(pieces.parts),
            calls=tuple(call_of(call) for call in calls),
            rest=without(value, *PLACED),
        )
        model = text_of(value.get("model")) or None
        agent = self.builder.actor("gemini", model=model, capture=INSTANCE)
        draft = self.talk.decide(said, place, agent)
        for number, call in enumerate(calls):
            self.answer(call, nth(replace(place, at=moment(call.get("timestamp"))), number))
        return draft

    def answer(self, call: Object, place: Place) -> None:
        """What a tool answered, if it did: a call that was never run has no result."""
        state = STATES.get(text_of(call.get("status")))
        result = "\n".join(map(result_of, as_list(call.get("result"))))
        shown = call.get("resultDisplay")
        text = result or (shown if isinstance(shown, str) else "")
        if not text and state is None:
            return
        known = Answer(text_of(call.get("id")), text_of(call.get("name")), text)
        draft = self.talk.answer(known, place)
        if draft and state:
            draft.status = state


def call_of(call: Object) -> Call:
    rest = without(call, *OF_CALLS, "resultDisplay", "renderOutputAsMarkdown")
    return Call(
        text_of(call.get("id")),
        text_of(call.get("name")) or "unknown tool",
        call.get("args"),
        {"beside": rest} if rest else {},
    )


def result_of(item: Json) -> str:
    """What a tool answered: the text of a function's response, anything else as JSON."""
    response = mapping(mapping(item).get("functionResponse")).get("response")
    said = [each for key in ("output", "error") if (each := mapping(response).get(key))]
    if len(said) == 1 and isinstance(said[0], str):
        return said[0]
    return item if isinstance(item, str) else json.dumps(item, ensure_ascii=False)


def thought_of(thought: Json) -> str:
    given = mapping(thought)
    return "\n".join(filter(None, (text_of(given.get(k)) for k in ("subject", "description"))))
