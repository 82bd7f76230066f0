"""Reads the event bus of CrewAI, as a listener writes it: one event a line, in any order.

A kickoff that is inside no other is a run. `emission_sequence` is the order, not the file.
"""

from __future__ import annotations

from itertools import pairwise

from traces.completeness import listed
from traces.formats.base import Document, ParsedRun, Reading, Refusal, Sample, Unreadable
from traces.formats.crewai.events import KICKOFFS, Event, Tree, crews, event, is_event
from traces.formats.crewai.steps import Crew
from traces.formats.crewai.threads import Threads
from traces.formats.records import loose
from traces.formats.steps.building import SENT_AGAIN, Builder
from traces.formats.steps.unsayable import unsayable_but
from traces.transcript import Fate, Outcome, Report, StepKind, Transcript

CAPTURE = unsayable_but(
    *("started_at", "ended_at", "attempt", "reports", "initial_state", "system/name"),
    *("actors/parent", "steps/started_at", "steps/ended_at", "steps/retry", "steps/spawned_by"),
    *("steps/joins", "steps/parts/verification"),
)
ENDINGS = {"crew_kickoff_completed": "completed", "crew_kickoff_failed": "failed"}
NO_EVENT = "This is no CrewAI event: it lacks a type, an event_id or a place in the sequence."


class CrewAI:
    name = "crewai"
    version = "2"

    def recognise(self, sample: Sample) -> str | None:
        if any(map(is_event, sample.objects)):
            return "keys event_id, type and previous_event_id or emission_sequence"
        return None

    def read(self, document: Document) -> Reading:
        refusals = []
        found: dict[str, Event] = {}
        again: list[tuple[str, str, bool]] = []
        for pointer, value in loose.placed(document):
            if not is_event(value):
                refusals.append(Refusal(pointer or "/", NO_EVENT))
                continue
            one = event(pointer, value)
            known = found.setdefault(one.id, one)
            if known is not one:
                again.append((one.pointer, one.id, known.value == one.value))
        if not found:
            raise Unreadable("There are no CrewAI events here.")
        events = sorted(found.values(), key=lambda each: each.order)
        runs = [transcript(document, group, again, refusals) for group in crews(events)]
        if not any(run.steps for run in runs) and not any(e.type in KICKOFFS for e in events):
            raise Unreadable("No event here begins a crew, or is a step of one.")
        return Reading(tuple(map(ParsedRun, runs)), tuple(refusals))


FORMAT = CrewAI()


def transcript(
    document: Document,
    events: list[Event],
    again: list[tuple[str, str, bool]],
    refusals: list[Refusal],
) -> Transcript:
    builder = Builder()
    tree = Tree({each.id: each for each in events})
    crew = Crew(builder, tree, Threads(builder, tree))
    crew.read(events)
    repeats(builder, {each.id for each in events}, again)
    if refusals:
        places = listed([refusal.position for refusal in refusals])
        builder.gap("undecodable_step", f"Records that are no events: {places}.")
    kickoff = next((each for each in events if each.type in KICKOFFS), events[0])
    name = kickoff.named("crew_name")
    outcome = endings(builder, crew, events)
    header = Transcript(
        external_id=kickoff.id,
        source="crewai",
        schema="crewai",
        actors=(),
        steps=(),
        gaps=loose.reading_gaps(document),
        outcome=outcome,
        task_id=next((each.named("task_id") for each in events if each.named("task_id")), ""),
        task_text=next((each.named("task_name") for each in events if each.named("task_name")), ""),
        system={"name": name or "crewai"},
        initial_state={"inputs": inputs} if (inputs := kickoff.value.get("inputs")) else {},
        started_at=min((each.at for each in events if each.at and each.at.tzinfo), default=None),
        ended_at=max((each.at for each in events if each.at and each.at.tzinfo), default=None),
        capture=CAPTURE,
    )
    return builder.transcript(header)


def repeats(builder: Builder, mine: set[str], again: list[tuple[str, str, bool]]) -> None:
    """Events whose id came before: folded if they say the same, else kept in the file only."""
    for pointer, id_, equal in again:
        if id_ not in mine:
            continue
        if equal:
            builder.fold(SENT_AGAIN, pointer)
        else:
            builder.record(pointer, Fate.UNMAPPED, "another event with the same id")
            builder.gap("duplicate_step", f"Another event has the id {id_}.")


def endings(builder: Builder, crew: Crew, events: list[Event]) -> Outcome:
    """What the framework says of the end. A kickoff that failed has failed its task."""
    outcome = Outcome.UNKNOWN
    sequences = [each.order[0] for each in events]
    twice = sorted({one for one, other in pairwise(sequences) if one == other})
    if twice:
        builder.gap(
            "repeated_sequence",
            f"Several events have the sequence: {listed([str(each) for each in twice])}.",
        )
    for each in events:
        start = crew.tree.by_id.get(each.named("started_event_id"), each)
        if each.type in ENDINGS and not crew.tree.above(start, KICKOFFS):
            value = ENDINGS[each.type]
            output = each.value.get("error") or loose.at(each.value, "output", "raw")
            detail = loose.shown(output)
            builder.report(Report(value, by="framework", at=each.at, detail=detail))
            outcome = Outcome.FAILED if value == "failed" else outcome
    steps = [each for each in builder.drafts.values() if each.kind is not StepKind.VERIFICATION]
    return outcome if steps else Outcome.UNKNOWN
