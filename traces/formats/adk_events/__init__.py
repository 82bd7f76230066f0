"""Reads events and sessions of Google's ADK, in camel case or snake case.

Agents of one branch share a thread; what is on no branch comes after all branches that were
open. The rounds of a loop agent cannot be told apart, and nothing says how the run ended.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from traces.formats.adk_events.branches import Branches
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
from traces.formats.records import loose
from traces.formats.records.loose import Object
from traces.formats.steps.building import Builder
from traces.formats.steps.tasks import first_words
from traces.formats.steps.unsayable import unsayable_but
from traces.transcript import Fate, Gap, StepKind, Transcript

CAPTURE = unsayable_but(
    "started_at",
    "steps/started_at",
    "steps/ended_at",
    "steps/parts/state",
    "steps/joins",
    "initial_state",
    "system/name",
    more=("outcome", "failures"),
)
EXPECTATIONS = "This is an evaluation set of ADK: it says what is expected, and holds no run."
NO_EVENT = "This is no ADK event: it has no author."


class AdkEvents:
    name = "adk_events"
    version = "1"
    # An event has a content, but no role beside it.
    before = ("messages",)

    def recognise(self, sample: Sample) -> str | None:
        for item in sample.objects:
            if is_event(item):
                return "events with author and invocationId"
            if any(map(is_event, loose.items(item.get("events"))[:20])):
                return "key events, with author and invocationId"
            if is_expected(item):
                return "keys of an evaluation set"
        return None

    def read(self, document: Document) -> Reading:
        runs: list[ParsedRun] = []
        refusals: list[Refusal] = []
        for session in sessions(document):
            events = [each for each in session.events if is_event(each[1])]
            for pointer, value in session.events:
                if not is_event(value):
                    refusals.append(Refusal(pointer or "/", NO_EVENT))
            if events:
                bad = len(session.events) - len(events)
                runs.append(ParsedRun(transcript(session, events, bad), session.pointer))
        if not runs:
            sets = any(is_expected(loose.mapping(value)) for _, value, _ in document.values())
            raise Unreadable(EXPECTATIONS if sets else "There are no ADK events here.")
        return Reading(tuple(runs), tuple(refusals))


FORMAT = AdkEvents()


def is_expected(value: loose.Object) -> bool:
    """Cases of an evaluation; the first versions list what is asked and which tools to use."""
    newer = "eval_set_id" in value or "eval_cases" in value
    return newer or ("query" in value and "expected_tool_use" in value)


@dataclass(frozen=True, slots=True)
class Session:
    """A session with the place of each event; a list of events alone is one as well."""

    pointer: str
    events: list[tuple[str, Json]]
    beside: Object
    gaps: tuple[Gap, ...]


def is_event(value: Json) -> bool:
    return (
        isinstance(value, Mapping)
        and isinstance(value.get("author"), str)
        and ("invocationId" in value or "invocation_id" in value)
    )


def sessions(document: Document) -> Iterator[Session]:
    """One session for all events that stand alone, and one for each that has a list of them."""
    placed = loose.placed(document)
    alone = [(pointer, value) for pointer, value in placed if "events" not in loose.mapping(value)]
    if any(is_event(value) for _, value in alone):
        yield Session("", alone, loose.NOTHING, loose.reading_gaps(document))
    for pointer, value in placed:
        session = loose.mapping(value)
        if "events" in session:
            events = loose.items(session["events"])
            inside = [(f"{pointer}/events/{index}", item) for index, item in enumerate(events)]
            gaps = (*document.gaps, *loose.lost(document), *replacement_gaps(*document.records))
            yield Session(pointer, inside, session, gaps)


def transcript(session: Session, events: list[tuple[str, Json]], bad: int) -> Transcript:
    builder = Builder()
    branches = Branches(builder)
    for index, (pointer, event) in enumerate(events):
        branches.add(event, pointer, index)
    branches.finish()
    if bad:
        builder.gap("undecodable_step", f"Entries that are no events: {bad}.")
    beside = {k: v for k, v in session.beside.items() if k != "events" and v not in (None, {}, [])}
    if beside:
        builder.record(session.pointer or "/", Fate.CONTEXT, "session")
    for name in beside.keys() - {"id", "appName", "app_name"}:
        builder.unread[name] += 1
    app = loose.text(beside.get("appName") or beside.get("app_name"))
    header = Transcript(
        external_id=identity(session, events),
        source="google-adk",
        schema="adk_events",
        actors=(),
        steps=(),
        gaps=session.gaps,
        task_text=first_words(builder, StepKind.INPUT),
        system={"name": app} if app else {},
        started_at=min(
            (d.started_at for d in builder.drafts.values() if d.started_at), default=None
        ),
        capture=CAPTURE | ({} if app else {"system": "not_captured"}),
    )
    return builder.transcript(header)


def identity(session: Session, events: list[tuple[str, Json]]) -> str:
    """The session's id; of events alone, that of their invocation, or of all of them."""
    given = loose.name(session.beside.get("id"))
    if given:
        return given
    found = dict.fromkeys(
        loose.name(event.get("invocationId") or event.get("invocation_id")) for _, event in events
    )
    invocations = [each for each in found if each]
    if len(invocations) == 1:
        return invocations[0]
    return f"adk-{loose.digest(invocations or [event for _, event in events])}"
