"""Reads sessions of Claude Code: a line for each message, piece of a reply, and note.

The file of a subagent alone is a run of its own that names the session as its parent; a session
with its subagents' files in one bundle is one run.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from traces.formats.base import Document, ParsedRun, Reading, Sample, Unreadable
from traces.formats.claude.session import Session
from traces.formats.claude.spawns import Agents
from traces.formats.claude.talk import HARNESS, Talk
from traces.formats.records.event_log import (
    Entry,
    Log,
    earliest,
    entries_of,
    latest,
    unknown_kinds,
)
from traces.formats.records.loose import Object, digest, text
from traces.formats.steps.building import Builder
from traces.transcript import ActorKind, PartKind, Transcript

NAME = "claude_code"
MESSAGES = frozenset({"user", "assistant"})
AGENT_FILE = re.compile(r"(?:\A|/)agent-([^/]{1,100})\.(?:jsonl|meta\.json)\Z")
NOT_IN_SCHEMA = dict.fromkeys(
    (
        *("task/id", "outcome", "failures", "reports", "recorder", "attempt"),
        *("actors/configuration", "actors/authority", "actors/replaces"),
        *("steps/handoff_from", "steps/parts/verification", "steps/parts/claims"),
    ),
    "not_in_schema",
)


class ClaudeCode:
    name = NAME
    version = "1"
    # Messages of this format have a role and content too, one level deeper.
    before = ("messages",)

    def recognise(self, sample: Sample) -> str | None:
        for item in sample.objects:
            if "uuid" in item and "parentUuid" in item:
                return "keys uuid and parentUuid"
            if "sessionId" in item and "message" in item and is_message(item):
                return "keys sessionId, type and message"
            if "leafUuid" in item and item.get("type") == "summary":
                return 'key leafUuid, type "summary"'
            if is_note(item):
                return f'type "{item["type"]}"'
        return None

    def read(self, document: Document) -> Reading:
        log = entries_of(document)
        return reading((File(log, document.name),), joined=False)


def is_note(item: Object) -> bool:
    """Lines of their own kinds, of which a fragment of a session may hold nothing else."""
    kind = item.get("type")
    if kind == "queue-operation":
        return "sessionId" in item and "timestamp" in item
    return kind == "file-history-snapshot"


def is_message(item: Object) -> bool:
    kind = item.get("type")
    return isinstance(kind, str) and kind in MESSAGES


@dataclass(frozen=True, slots=True)
class File:
    """One file of a run. `agent` is the id that its name gives, where it is a subagent's."""

    log: Log
    name: str = ""

    @property
    def agent(self) -> str:
        found = AGENT_FILE.search(self.name)
        return found.group(1) if found else ""

    @property
    def subagent(self) -> bool:
        """Whether all messages of the file are a subagent's."""
        sides = [
            e.value.get("isSidechain") is True for e in self.log.entries if is_message(e.value)
        ]
        return bool(sides) and all(sides)

    @property
    def session(self) -> str:
        """The session that most lines name; of equals, the first."""
        names = Counter(text(entry.value.get("sessionId")) for entry in self.log.entries)
        del names[""]
        return names.most_common(1)[0][0] if names else ""


def reading(
    files: Sequence[File], *, joined: bool, notes: Mapping[str, Object] | None = None
) -> Reading:
    """The run of one session, of whose files the first is the main one.

    `notes` tell of subagents, by their ids, for what they were started and by which call.
    """
    main = files[0]
    agents = Agents(main.session, notes=dict(notes or {}))
    agents.look((entry, file.agent) for file in files for entry in file.log.entries)
    builder = Builder()
    whole = not any(file.log.damaged for file in files)
    session = Session(builder, Talk(builder, whole=whole), agents)
    for rank, file in enumerate(files):
        session.rank, session.clock, session.file_agent = rank, 0.0, file.agent
        session.prefix = place(file, "") if joined else ""
        for entry in file.log.entries:
            session.read(entry)
    session.connect()
    if not builder.drafts:
        raise Unreadable("There is no message here: the session holds only notes.")
    transcript = builder.transcript(header(session, files, main))
    gaps = (*transcript.gaps, *unknown_kinds(transcript.records))
    refusals = tuple(
        replace(refusal, position=place(file, refusal.position) if joined else refusal.position)
        for file in files
        for refusal in file.log.refusals
    )
    return Reading((ParsedRun(replace(transcript, gaps=gaps)),), refusals)


def place(file: File, position: str) -> str:
    return f"{file.name}: {position}" if file.name else position


def header(session: Session, files: Sequence[File], main: File) -> Transcript:
    entries = [entry for file in files for entry in file.log.entries]
    name = main.session or f"{NAME}-{digest([entry.value for entry in main.log.entries])}"
    if main.subagent:
        agent = next(iter(session.first), "")
        name = f"{name}/{agent}"
    return Transcript(
        external_id=name,
        source=HARNESS,
        schema=NAME,
        actors=(),
        steps=(),
        gaps=tuple(gap for file in files for gap in file.log.gaps),
        task_text=task(session, main),
        system=system(session, entries),
        initial_state=initial_state(entries),
        started_at=earliest(session.times),
        ended_at=latest(session.times),
        parent_run=main.session if main.subagent else "",
        parent_relation="subagent" if main.subagent else "",
        capture=NOT_IN_SCHEMA,
    )


def task(session: Session, main: File) -> str:
    """The first words of a person, or of the caller where all of the file is a subagent's."""
    kinds = (ActorKind.HUMAN, ActorKind.AGENT) if main.subagent else (ActorKind.HUMAN,)
    for draft in session.builder.drafts.values():
        spoken = draft.parts and draft.parts[0].kind is PartKind.INPUT
        if spoken and session.builder.actors[draft.actor].kind in kinds:
            return "\n".join(part.text for part in draft.parts)
    return ""


def system(session: Session, entries: Sequence[Entry]) -> dict[str, object]:
    versions = list(dict.fromkeys(filter(None, (text(e.value.get("version")) for e in entries))))
    models: dict[str, str] = {}
    for actor in session.builder.actors.values():
        if actor.model:
            models.setdefault(actor.role, actor.model)
    found: dict[str, object] = {"name": HARNESS}
    if versions:
        found["version"] = ", ".join(versions[:5])
    if models:
        found["models"] = models
    return found


def initial_state(entries: Sequence[Entry]) -> dict[str, object]:
    """The folder and branch at the start. Neither says what stood in the files."""
    for entry in entries:
        folder, branch = text(entry.value.get("cwd")), text(entry.value.get("gitBranch"))
        if folder:
            where = f"{folder} ({branch})" if branch else folder
            return {"reference": where, "mutable": True}
    return {}


FORMAT = ClaudeCode()
