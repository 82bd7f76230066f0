"""Reads the chat files of Gemini CLI: one document that it writes anew after every message.

Tool calls stand in the message that asks for them, with their answers and how they went.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from traces.completeness import listed
from traces.formats.base import (
    Document,
    Json,
    ParsedRun,
    Reading,
    Refusal,
    Sample,
    Unreadable,
    replacement_gaps,
)
from traces.formats.chat.lists import lost_lines
from traces.formats.chat.message import Answer, Call, Message
from traces.formats.chat.pieces import Pieces
from traces.formats.chat.transcribing import digest, with_task
from traces.formats.chat.words import as_list, text_of, without
from traces.formats.records.times import moment
from traces.formats.steps.building import Builder
from traces.formats.steps.conversation import Conversation, Place, nth
from traces.formats.steps.unsayable import unsayable
from traces.transcript import (
    ActorKind,
    Fate,
    Gap,
    PartKind,
    StepKind,
    StepStatus,
    Transcript,
)

Object = Mapping[str, Json]
INSTANCE = {"instance": "not_in_schema"}
TYPES = frozenset({"user", "gemini", "info", "error", "warning"})
STATES = {
    "success": StepStatus.OK,
    "error": StepStatus.ERROR,
    "cancelled": StepStatus.CANCELLED,
}
PLACED = ("id", "timestamp", "type", "content", "thoughts", "toolCalls", "model")
OF_CALLS = ("id", "name", "args", "result", "status", "timestamp", "description", "displayName")
SAYABLE = ("started_at", "steps/started_at", "steps/ended_at")
NOT_IN_SCHEMA = {
    path: state
    for path, state in unsayable(
        "outcome", "failures", "task/id", "steps/handoff_from", "steps/attempt"
    ).items()
    if path not in SAYABLE
}


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
        loose: list[tuple[str, Json]] = []
        header: Object = {}
        for pointer, value, gaps in document.values():
            if isinstance(value, Mapping) and isinstance(value.get("messages"), list):
                entries = [(f"/messages/{n}", each) for n, each in enumerate(value["messages"])]
                run = transcript(value, entries, gaps)
                runs.append(ParsedRun(run, pointer))
            elif is_message(value):
                loose.append((pointer, value))
            elif isinstance(value, Mapping) and "sessionId" in value:
                header = {**header, **value}
            else:
                refusals.append(Refusal(pointer or "/", NO_MESSAGE))
        if loose:
            gaps = (*document.gaps, *lost_lines(document), *replacement_gaps(*document.records))
            runs.append(ParsedRun(transcript(header, loose, gaps)))
        if not any(run.transcript.steps for run in runs):
            raise Unreadable("There are no messages here.")
        return Reading(tuple(runs), tuple(refusals))


FORMAT = GeminiCLI()
NO_MESSAGE = "This is no message of Gemini CLI: it has no type that it writes."


def is_message(value: Json) -> bool:
    return isinstance(value, Mapping) and text_of(value.get("type")) in TYPES and "content" in value


def transcript(
    header: Object, entries: list[tuple[str, Json]], gaps: tuple[Gap, ...]
) -> Transcript:
    session = Session(Builder())
    bad = [pointer for pointer, value in entries if not is_message(value)]
    for index, (pointer, value) in enumerate(entries):
        if is_message(value):
            name = text_of(value.get("id")) or str(index)
            session.take(value, Place(name, (index,), pointer, moment(value.get("timestamp"))))
    for pointer in bad:
        session.builder.record(pointer, Fate.UNMAPPED, "no message")
    if bad:
        gaps = (*gaps, Gap("undecodable_step", f"Entries that are no messages: {listed(bad)}."))
    for key in without(header, "sessionId", "projectHash", "startTime", "lastUpdated", "messages"):
        session.builder.unread[key] += 1
    models = {key: a.model for key, a in session.builder.actors.items() if a.model}
    run = Transcript(
        external_id=text_of(header.get("sessionId")) or digest([value for _, value in entries]),
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
    talk: Conversation = field(init=False)

    def __post_init__(self) -> None:
        self.talk = Conversation(self.builder, "gemini")

    def take(self, value: Object, place: Place) -> None:
        if value["type"] == "gemini":
            self.respond(value, place)
            return
        heard = ActorKind.HUMAN if value["type"] == "user" else ActorKind.HARNESS
        name = "user" if heard is ActorKind.HUMAN else "gemini-cli"
        actor = self.builder.actor(name, heard, capture=INSTANCE)
        pieces = Pieces(PartKind.INPUT)
        pieces.content(value["content"])
        draft = self.talk.hear(pieces.parts, place, actor)
        if value["type"] == "error":
            draft.kind, draft.status = StepKind.ERROR, StepStatus.ERROR
            draft.parts = [replace(part, kind=PartKind.ERROR) for part in draft.parts]

    def respond(self, value: Object, place: Place) -> None:
        """One model call, and what its tools answered."""
        pieces = Pieces(PartKind.MESSAGE)
        for thought in map(thought_of, as_list(value.get("thoughts"))):
            pieces.thought(thought)
        pieces.content(value["content"])
        calls = [as_object(call) for call in as_list(value.get("toolCalls"))]
        said = Message(
            "assistant",
            parts=tuple(pieces.parts),
            calls=tuple(call_of(call) for call in calls),
            rest=without(value, *PLACED),
        )
        model = text_of(value.get("model")) or None
        agent = self.builder.actor("gemini", model=model, capture=INSTANCE)
        self.talk.decide(said, place, agent)
        for number, call in enumerate(calls):
            self.answer(call, nth(replace(place, at=moment(call.get("timestamp"))), number))

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
    response = as_object(as_object(item).get("functionResponse")).get("response")
    said = [each for key in ("output", "error") if (each := as_object(response).get(key))]
    if len(said) == 1 and isinstance(said[0], str):
        return said[0]
    return item if isinstance(item, str) else json.dumps(item, ensure_ascii=False)


def thought_of(thought: Json) -> str:
    given = as_object(thought)
    return "\n".join(filter(None, (text_of(given.get(k)) for k in ("subject", "description"))))


def as_object(value: Json) -> Object:
    return value if isinstance(value, Mapping) else {}
