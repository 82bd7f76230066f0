"""Reads sessions of Anthropic's managed agents: events, plain or as pairs of a call and its answer.

Spans mark where a call of the model begins and ends. Threads of one session are agents of their
own. What a person allows or denies is that person's decision.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from traces.formats.base import Document, Json, ParsedRun, Reading, Refusal, Sample, Unreadable
from traces.formats.managed_agents.events import EVENTS
from traces.formats.managed_agents.threads import NAME, Threads
from traces.formats.records.event_log import NO_OBJECT, Entry, unknown_kinds
from traces.formats.records.loose import digest, items, mapping, reading_gaps, shown, text
from traces.formats.steps.tasks import first_words
from traces.transcript import Fate, Transcript

FAMILIES = ("user.", "agent.", "session.", "span.")
CALLS = "client.beta.sessions."
NOT_IN_SCHEMA = dict.fromkeys(
    (
        *("outcome", "failures", "recorder", "attempt", "actors/configuration"),
        *("actors/authority", "actors/replaces", "steps/handoff_from", "steps/parts/state"),
        *("steps/parts/claims", "steps/parts/verification", "parent"),
    ),
    "not_in_schema",
)


class ManagedAgents:
    name = NAME
    version = "1"
    # Records of this format may look like messages too.
    before = ("messages",)

    def recognise(self, sample: Sample) -> str | None:
        if any(is_pair(value) for value in (sample.first, *items(sample.first)[:5])):
            return f'pairs of a call that begins with "{CALLS}" and an object'
        for item in sample.objects:
            if is_event(item) and text(item.get("id")).startswith("sevt_"):
                return 'ids that begin with "sevt_", and types of session events'
        return None

    def read(self, document: Document) -> Reading:
        threads, refusals = Threads(), list[Refusal]()
        entries: list[Entry] = []
        for number, (pointer, value) in enumerate(records(document)):
            if is_pair(value):
                entries += unwrapped(value, number, pointer, threads)
            elif isinstance(value, dict):
                entries += taken(Entry(number, pointer, value), threads)
            else:
                refusals.append(Refusal(pointer, NO_OBJECT, shown(value)[:200]))
        threads.look(entries)
        for entry in entries:
            threads.read(entry, EVENTS)
        threads.whole = not document.refusals
        threads.finish()
        if not threads.builder.drafts:
            raise Unreadable("There is no message and no call here, only notes.")
        transcript = threads.builder.transcript(header(threads))
        gaps = (*reading_gaps(document), *transcript.gaps, *unknown_kinds(transcript.records))
        return Reading((ParsedRun(replace(transcript, gaps=gaps)),), tuple(refusals))


FORMAT = ManagedAgents()


def is_pair(value: Json) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 2
        and isinstance(value[0], str)
        and value[0].startswith(CALLS)
    )


def is_event(value: Json) -> bool:
    return isinstance(value, dict) and text(value.get("type")).startswith(FAMILIES)


def records(document: Document) -> Iterator[tuple[str, Json]]:
    """Records one a line, or all of them in one list. A pair is a list too."""
    first = document.records[0].value if document.records else None
    if isinstance(first, list) and not document.lines and not is_pair(first):
        yield from ((f"/{index}", value) for index, value in enumerate(first))
    else:
        yield from ((record.position or "line 1", record.value) for record in document.records)


def unwrapped(pair: Json, number: int, pointer: str, threads: Threads) -> Iterator[Entry]:
    """The events of a call: those that came, or those that were sent."""
    call, payload = pair
    if isinstance(payload, list):
        body = mapping(payload[-1]) if payload else {}
        threads.builder.record(pointer, Fate.CONTAINER, call)
        for index, event in enumerate(items(body.get("events"))):
            if isinstance(event, dict):
                yield Entry(number, f"{pointer}/1/{len(payload) - 1}/events/{index}", event)
    elif isinstance(payload, dict):
        yield from taken(Entry(number, pointer, payload), threads)
    else:
        threads.builder.record(pointer, Fate.UNMAPPED, call)


def taken(entry: Entry, threads: Threads) -> Iterator[Entry]:
    """The event, or nothing where the record is of the session."""
    value = entry.value
    if is_event(value):
        yield entry
    elif value.get("type") == "session" or "environment_id" in value:
        threads.session = threads.session or value
        threads.builder.record(entry.pointer, Fate.CONTEXT, "session")
    else:
        threads.builder.record(entry.pointer, Fate.UNMAPPED, text(value.get("type")))


def header(threads: Threads) -> Transcript:
    session, agent = threads.session, mapping(threads.session.get("agent"))
    first = threads.first
    system: dict[str, Any] = {"name": text(agent.get("name")) or NAME}
    if version := agent.get("version"):
        system["version"] = str(version)
    models = {each.role: each.model for each in threads.builder.actors.values() if each.model}
    if models:
        system["models"] = models
    if agent:
        system["configuration"] = dict(agent)
    environment = text(session.get("environment_id"))
    state = {"reference": environment, "mutable": True} if environment else {}
    if resources := items(session.get("resources")):
        state["resources"] = list(resources)
    return Transcript(
        external_id=text(session.get("id")) or f"{NAME}-{digest(first)}",
        source=NAME,
        schema=NAME,
        actors=(),
        steps=(),
        task_text=first_words(threads.builder) or text(session.get("title")),
        system=system,
        initial_state=state,
        started_at=threads.earliest,
        ended_at=threads.latest,
        capture=NOT_IN_SCHEMA,
    )
