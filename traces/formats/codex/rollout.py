"""Reads rollouts of Codex: the items of its conversation with the model, and events beside them.

Texts stand in both: the items are taken, and events give times, exit codes and endings. What a
subagent's file copies of its parent's history is counted, and not told again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from traces.formats.base import Document, ParsedRun, Reading, Sample, Unreadable
from traces.formats.codex.events import Events
from traces.formats.codex.items import HARNESS, NAME, Items
from traces.formats.records.event_log import Entry, earliest, entries_of, latest, unknown_kinds
from traces.formats.records.loose import Object, digest, mapping, text
from traces.formats.records.times import moment
from traces.formats.steps.building import Builder
from traces.transcript import ActorKind, Fate, Transcript

KINDS = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})
ORDINAL = "subagent_history_start_ordinal"
COPIED = "history copied from the parent"
NOT_IN_SCHEMA = dict.fromkeys(
    (
        *("task/id", "outcome", "failures", "recorder", "attempt"),
        *("actors/configuration", "actors/authority", "actors/replaces", "actors/parent"),
        *("steps/handoff_from", "steps/parts/verification", "steps/parts/claims"),
    ),
    "not_in_schema",
)
TURN = ("approval_policy", "sandbox_policy", "effort", "summary")


class CodexRollout:
    name = NAME
    version = "2"
    # Records of this format may look like messages too.
    before = ("messages",)

    def recognise(self, sample: Sample) -> str | None:
        for item in sample.objects:
            kind = item.get("type")
            if isinstance(kind, str) and kind in KINDS and isinstance(item.get("payload"), dict):
                return f'type "{kind}" with payload'
        return None

    def read(self, document: Document) -> Reading:
        log = entries_of(document)
        meta = session_meta(log.entries)
        builder = Builder()
        events = Events(Items(builder, role(meta), text(meta.get("id")), caller(meta), HARNESS))
        events.items.whole = not log.damaged
        events.look(payloads(log.entries, meta))
        begin = beginning(meta)
        if ORDINAL in meta:
            # Where the copy ends is told by times here; nobody knows what this one counts.
            builder.unread[ORDINAL] += 1
        for entry in log.entries:
            at = moment(entry.value.get("timestamp"))
            if begin and at and is_copied(entry, at, begin):
                builder.fold(COPIED, entry.pointer)
                continue
            begin = begin if entry.value.get("type") == "session_meta" else None
            read_line(events, entry, at)
        events.finish()
        if not builder.drafts:
            raise Unreadable(only_notes(log.entries))
        transcript = builder.transcript(header(events.items, meta, log.entries))
        gaps = (*log.gaps, *transcript.gaps, *unknown_kinds(transcript.records))
        return Reading((ParsedRun(replace(transcript, gaps=gaps)),), log.refusals)


FORMAT = CodexRollout()


def read_line(events: Events, entry: Entry, at: datetime | None) -> None:
    kind, payload = text(entry.value.get("type")), mapping(entry.value.get("payload"))
    builder = events.items.builder
    if kind == "response_item" and payload:
        events.items.item(payload, entry, at)
    elif kind == "event_msg" and payload:
        events.event(payload, entry, at)
    elif kind == "compacted":
        events.items.compacted(payload, entry, at)
    elif kind == "turn_context":
        events.items.turn(payload)
        builder.record(entry.pointer, Fate.CONTEXT, kind)
    elif kind == "session_meta":
        builder.record(entry.pointer, Fate.CONTEXT, kind)
    else:
        builder.record(entry.pointer, Fate.UNMAPPED, kind)


def session_meta(entries: Sequence[Entry]) -> Object:
    """The first one; later ones are copied from the parent."""
    for entry in entries:
        if entry.value.get("type") == "session_meta":
            return mapping(entry.value.get("payload"))
    return {}


def spawned(meta: Object) -> Object:
    """How a subagent was started; `source` is a plain word in other sessions."""
    return mapping(mapping(mapping(meta.get("source")).get("subagent")).get("thread_spawn"))


def role(meta: Object) -> str:
    spawn = spawned(meta)
    subagent = mapping(meta.get("source")).get("subagent")
    named = text(spawn.get("agent_nickname")) or text(spawn.get("agent_path")) or text(subagent)
    return named or ("subagent" if subagent else "main")


def caller(meta: Object) -> str:
    return text(spawned(meta).get("parent_thread_id"))


def beginning(meta: Object) -> datetime | None:
    """When a session that has a parent began: what is older was copied from it."""
    inherits = caller(meta) or text(meta.get("forked_from_id"))
    return moment(meta.get("timestamp")) if inherits else None


def is_copied(entry: Entry, at: datetime, begin: datetime) -> bool:
    if entry.value.get("type") == "session_meta" or bool(at.tzinfo) != bool(begin.tzinfo):
        return False
    return at < begin


def payloads(entries: Sequence[Entry], meta: Object) -> list[tuple[str, Object]]:
    begin = beginning(meta)
    found = []
    for entry in entries:
        at = moment(entry.value.get("timestamp"))
        if not (begin and at and is_copied(entry, at, begin)):
            found.append((text(entry.value.get("type")), mapping(entry.value.get("payload"))))
    return found


def only_notes(entries: Sequence[Entry]) -> str:
    kinds = dict.fromkeys(
        text(mapping(entry.value.get("payload")).get("type")) or text(entry.value.get("type"))
        for entry in entries
    )
    return f"There is no message and no call here, only notes: {', '.join(list(kinds)[:5])}."


def header(items: Items, meta: Object, entries: Sequence[Entry]) -> Transcript:
    times = [moment(entry.value.get("timestamp")) for entry in entries]
    parent, relation = caller(meta), "subagent"
    if not parent:
        parent, relation = text(meta.get("forked_from_id")), "fork"
    return Transcript(
        external_id=text(meta.get("id")) or f"{NAME}-{digest([e.value for e in entries])}",
        source="codex",
        schema=NAME,
        actors=(),
        steps=(),
        task_text=task(items),
        system=system(items, meta),
        initial_state=initial_state(meta),
        started_at=moment(meta.get("timestamp")) or earliest(times),
        ended_at=latest(times),
        parent_run=parent,
        parent_relation=relation if parent else "",
        capture=NOT_IN_SCHEMA,
    )


def task(items: Items) -> str:
    """The first words of whoever gave the task: a person, or the caller of a subagent."""
    for draft in items.builder.drafts.values():
        if "actor" not in draft.capture and draft.actor in (items.speaker, "user") and draft.parts:
            known = items.builder.actors[draft.actor].kind
            if known in (ActorKind.HUMAN, ActorKind.AGENT) and draft.actor != items.agent:
                return "\n".join(part.text for part in draft.parts)
    return ""


def system(items: Items, meta: Object) -> dict[str, object]:
    found: dict[str, object] = {"name": "codex"}
    if version := text(meta.get("cli_version")):
        found["version"] = version
    if (
        model := items.builder.actors[items.agent].model
        if items.agent in items.builder.actors
        else ""
    ):
        found["models"] = {items.role: model}
    configuration = {key: items.context[key] for key in TURN if items.context.get(key)}
    for key in ("instructions", "base_instructions", "originator", "model_provider"):
        if meta.get(key):
            configuration[key] = meta[key]
    if configuration:
        found["configuration"] = configuration
    return found


def initial_state(meta: Object) -> dict[str, object]:
    git, folder = mapping(meta.get("git")), text(meta.get("cwd"))
    state: dict[str, object] = {"folder": folder} if folder else {}
    commit = text(git.get("commit_hash"))
    if commit:
        state |= {"reference": commit, "digest": commit}
    elif folder:
        state |= {"reference": folder, "mutable": True}
    for key in ("branch", "repository_url"):
        if text(git.get(key)):
            state[key] = git[key]
    return state
