"""Reads `events.jsonl` of Copilot CLI: what was said, what tools did, and notes of the session.

Written from descriptions of the format: no real file of it was there to try it on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from traces.formats.base import Document, ParsedRun, Reading, Sample, Unreadable
from traces.formats.chat.message import Answer, Call
from traces.formats.records.event_log import Entry, earliest, entries_of, latest, unknown_kinds
from traces.formats.records.loose import Object, digest, mapping, objects, shown, text
from traces.formats.records.times import moment
from traces.formats.steps.building import SENT_AGAIN, Builder
from traces.formats.steps.conversation import Place, nth
from traces.formats.steps.turns import Turns
from traces.transcript import Fate, Part, PartKind, Report, StepKind, StepStatus, Transcript

NAME = "copilot_events"
FAMILIES = ("session.", "user.", "assistant.", "tool.", "subagent.", "hook.", "system.", "abort")
CALL_AGAIN = "starts of calls that a message asks for"
NOT_IN_SCHEMA = dict.fromkeys(
    (
        *("task/id", "outcome", "failures", "recorder", "attempt", "actors/configuration"),
        *("actors/authority", "actors/replaces", "actors/parent", "steps/handoff_from"),
        *("steps/parts/verification", "steps/parts/claims", "parent"),
    ),
    "not_in_schema",
)


class CopilotEvents:
    name = NAME
    version = "1"

    def recognise(self, sample: Sample) -> str | None:
        for item in sample.objects:
            known = text(item.get("type")).startswith(FAMILIES)
            if known and "parentId" in item and isinstance(item.get("data"), dict):
                return "keys type, parentId and data"
        return None

    def read(self, document: Document) -> Reading:
        log = entries_of(document)
        start = next((e.value for e in log.entries if e.value.get("type") == "session.start"), {})
        session = mapping(start.get("data"))
        events = Events(Turns(Builder(), "main", text(session.get("sessionId")), program="copilot"))
        events.turns.whole = not log.damaged
        for entry in log.entries:
            events.read(entry)
        events.turns.finish()
        if not events.turns.builder.drafts:
            raise Unreadable("There is no message and no call here, only notes.")
        transcript = events.turns.builder.transcript(header(events, session, log.entries))
        gaps = (*log.gaps, *transcript.gaps, *unknown_kinds(transcript.records))
        return Reading((ParsedRun(replace(transcript, gaps=gaps)),), log.refusals)


FORMAT = CopilotEvents()


class Events:
    """The run while its events are read in turn."""

    def __init__(self, turns: Turns) -> None:
        self.turns = turns
        self.seen: set[tuple[str, str]] = set()
        self.task = ""

    def read(self, entry: Entry) -> None:
        value, kind = entry.value, text(entry.value.get("type"))
        name = text(value.get("id"))
        at = moment(value.get("timestamp"))
        place = Place(name or entry.pointer, (entry.number, 0), entry.pointer, at)
        known = (name, digest(value))
        if name and known in self.seen:
            self.turns.builder.fold(SENT_AGAIN, entry.pointer)
            return
        self.seen.add(known)
        reader = READERS.get(kind)
        if reader is not None:
            reader(self, mapping(value.get("data")), place)
        else:
            fate = Fate.CONTEXT if kind.startswith(FAMILIES) else Fate.UNMAPPED
            self.turns.builder.record(place.pointer, fate, kind)


def heard(events: Events, data: Object, place: Place) -> None:
    part = Part(PartKind.INPUT, text(data.get("content")))
    events.turns.tell(part, StepKind.INPUT, events.turns.person(), place)
    events.task = events.task or part.text


def said(events: Events, data: Object, place: Place) -> None:
    """A message of the model, with the calls it asks for."""
    turns = events.turns
    turns.call = None
    turns.reply(place)
    for key, kind in (
        ("reasoningText", PartKind.INTERPRETATION),
        ("content", PartKind.MESSAGE),
    ):
        if words := text(data.get(key)):
            turns.say(Part(kind, words), place)
    for index, call in enumerate(objects(data.get("toolRequests"))):
        turns.ask(call_of(call, "name"), nth(place, index))


def thought(events: Events, data: Object, place: Place) -> None:
    events.turns.say(Part(PartKind.INTERPRETATION, text(data.get("content"))), place)


def started(events: Events, data: Object, place: Place) -> None:
    known = events.turns.calls.get(text(data.get("toolCallId")))
    if known is None:
        events.turns.ask(call_of(data, "toolName"), place)
        return
    events.turns.builder.fold(CALL_AGAIN, place.pointer, known)
    known.started_at = place.at or known.started_at


def completed(events: Events, data: Object, place: Place) -> None:
    success, result = data.get("success"), data.get("result")
    error = mapping(data.get("error"))
    words = text(mapping(result).get("content")) or text(result) or text(error.get("message"))
    failed = not success if isinstance(success, bool) else None
    known = words or (shown(result) if result is not None else "")
    answer = Answer(text(data.get("toolCallId")), text(data.get("toolName")), known, failed)
    draft = events.turns.answer(answer, place)
    if text(error.get("code")) in ("denied", "rejected"):
        draft.status = StepStatus.CANCELLED


def failed(events: Events, data: Object, place: Place) -> None:
    part = Part(PartKind.ERROR, text(data.get("message")) or shown(dict(data)))
    draft = events.turns.tell(part, StepKind.ERROR, events.turns.harness(), place)
    draft.status = StepStatus.ERROR
    report = Report("error", "framework", at=place.at, detail=part.text)
    events.turns.builder.report(report, draft)


def aborted(events: Events, data: Object, place: Place) -> None:
    part = Part(PartKind.DECISION, text(data.get("reason")) or "abort")
    events.turns.tell(part, StepKind.DECISION, events.turns.person(), place)


def call_of(data: Object, name: str) -> Call:
    tool = text(data.get(name)) or "unknown tool"
    return Call(text(data.get("toolCallId")), tool, data.get("arguments"))


READERS: dict[str, Callable[[Events, Object, Place], None]] = {
    "user.message": heard,
    "assistant.message": said,
    "assistant.reasoning": thought,
    "tool.execution_start": started,
    "tool.execution_complete": completed,
    "session.error": failed,
    "abort": aborted,
}


def header(events: Events, session: Object, entries: tuple[Entry, ...]) -> Transcript:
    context = mapping(session.get("context"))
    folder, branch = text(context.get("cwd")), text(context.get("branch"))
    where = f"{folder} ({branch})" if branch else folder
    times = [moment(entry.value.get("timestamp")) for entry in entries]
    system: dict[str, Any] = {"name": "copilot-cli"}
    if version := text(session.get("copilotVersion")):
        system["version"] = version
    name = text(session.get("sessionId"))
    return Transcript(
        external_id=name or f"{NAME}-{digest(entries[0].value)}",
        source="copilot-cli",
        schema=NAME,
        actors=(),
        steps=(),
        task_text=events.task,
        system=system,
        initial_state={"reference": where, "mutable": True} if where else {},
        started_at=earliest(times),
        ended_at=latest(times),
        capture=NOT_IN_SCHEMA,
    )
