"""Reads telemetry of openclaw: what each session was told, did and said, in one log of them all.

Starts and ends of tools tell when and how; what was said and answered stands only in the history
that ends an agent's turn, which is told again each time. `seq` is the order, where there is one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from traces.completeness import listed, run_of
from traces.formats.base import Document, ParsedRun, Reading, Sample, Unreadable
from traces.formats.openclaw.messages import children
from traces.formats.openclaw.sessions import NAME, Telemetry
from traces.formats.openclaw.told import Told
from traces.formats.records.event_log import Entry, earliest, entries_of, latest, unknown_kinds
from traces.formats.records.loose import digest, number, text
from traces.formats.records.times import moment
from traces.transcript import ActorKind, Gap, LinkKind, Transcript

TYPES = frozenset(
    {"message.in", "message.out", "message.sending", "agent.start", "agent.end", "tool.start"}
    | {"tool.end", "llm.usage"}
)
NOT_IN_SCHEMA = dict.fromkeys(
    (
        *("task/id", "outcome", "failures", "recorder", "attempt", "initial_state", "parent"),
        *("system/version", "actors/configuration", "actors/authority", "actors/replaces"),
        *("steps/handoff_from", "steps/retry", "steps/parts/state", "steps/parts/claims"),
        *("steps/parts/verification", "steps/parts/decision"),
    ),
    "not_in_schema",
)


class OpenClaw:
    name = NAME
    version = "1"
    # Histories of sessions are lists of messages.
    before = ("messages",)

    def recognise(self, sample: Sample) -> str | None:
        for item in sample.objects:
            if isinstance(item.get("sessionKey"), str) and text(item.get("type")) in TYPES:
                return "keys sessionKey and type"
        return None

    def read(self, document: Document) -> Reading:
        log = entries_of(document)
        entries, gaps = in_order(log.entries)
        told = Told()
        told.look(entries)
        telemetry = Telemetry(told, whole=not log.damaged)
        for entry in entries:
            telemetry.read(entry)
        connect(telemetry)
        if not telemetry.builder.drafts:
            raise Unreadable("There is no message and no call here, only notes.")
        transcript = telemetry.builder.transcript(header(telemetry, entries))
        found = (*log.gaps, *gaps, *transcript.gaps, *unknown_kinds(transcript.records))
        return Reading((ParsedRun(replace(transcript, gaps=found)),), log.refusals)


FORMAT = OpenClaw()


def in_order(entries: Sequence[Entry]) -> tuple[list[Entry], list[Gap]]:
    """By sequence number if all have one; holes in it are a gap."""
    numbers = [number(entry.value.get("seq")) for entry in entries]
    if any(each is None for each in numbers):
        return list(entries), []
    known = [each for each in numbers if each is not None]
    placed = sorted(zip(known, entries, strict=True), key=lambda pair: (pair[0], key(pair[1])))
    again = [Entry(index, entry.pointer, entry.value) for index, (_, entry) in enumerate(placed)]
    return again, missing(sorted(set(known)))


def key(entry: Entry) -> str:
    """Records with one number are ordered by content, so that two imports agree."""
    return digest(entry.value)


def missing(numbers: Sequence[int]) -> list[Gap]:
    found = [run_of(a + 1, b - 1) for a, b in pairwise(numbers) if b - a > 1]
    if not found:
        return []
    return [Gap("sequence_hole", f"Missing in the source's own sequence numbers: {listed(found)}.")]


def connect(telemetry: Telemetry) -> None:
    """At the end: link subagents to the calls that started them, and to who heard of them."""
    for draft in list(telemetry.builder.drafts.values()):
        for child in children(draft):
            if child in telemetry.first:
                telemetry.builder.link(draft.id, telemetry.first[child].id, LinkKind.SPAWN)
    for session, draft in telemetry.joins:
        if session in telemetry.last:
            telemetry.builder.link(telemetry.last[session].id, draft.id, LinkKind.JOIN)
    for turns in telemetry.sessions.values():
        turns.finish()


def header(telemetry: Telemetry, entries: Sequence[Entry]) -> Transcript:
    times = [moment(entry.value.get("ts")) for entry in entries]
    builder = telemetry.builder
    models = {each.key: each.model for each in builder.actors.values() if each.model}
    human = (d for d in builder.drafts.values() if builder.actors[d.actor].kind is ActorKind.HUMAN)
    first = next(human, None)
    return Transcript(
        external_id=f"{NAME}-{digest(entries[0].value)}",
        source="openclaw",
        schema=NAME,
        actors=(),
        steps=(),
        task_text="\n".join(part.text for part in first.parts) if first else "",
        system={"name": "openclaw", **({"models": models} if models else {})},
        started_at=earliest(times),
        ended_at=latest(times),
        capture=NOT_IN_SCHEMA,
    )
