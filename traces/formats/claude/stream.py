"""Reads what `claude -p --output-format stream-json` and the Agent SDK write out.

Each record names the call that started its subagent, if a subagent wrote it. There are no times.
The result at the end says that the loop ended, not that the task was done.
"""

from __future__ import annotations

from dataclasses import replace

from traces.formats.base import Document, ParsedRun, Reading, Sample, Unreadable
from traces.formats.claude.stream_reading import SPOKEN, Stream
from traces.formats.claude.talk import HARNESS
from traces.formats.records.event_log import Entry, entries_of, unknown_kinds
from traces.formats.records.loose import digest, text
from traces.formats.steps.building import Builder
from traces.formats.steps.tasks import first_words
from traces.formats.steps.unsayable import unsayable_but
from traces.transcript import (
    Transcript,
)

NAME = "claude_stream"
# What the stream can say, of what mere conversations cannot.
NOT_IN_SCHEMA = unsayable_but(
    *("reports", "system/name", "system/version", "system/configuration", "initial_state"),
    *("actors/parent", "steps/spawned_by", "steps/joins", "steps/parts/decision"),
    more=("task/id", "outcome", "failures", "steps/handoff_from"),
)
CONFIGURATION = ("tools", "permissionMode", "mcp_servers", "agents")


class ClaudeStream:
    name = NAME
    version = "1"
    before = ("messages",)

    def recognise(self, sample: Sample) -> str | None:
        for item in sample.objects:
            if "parentUuid" in item or "sessionId" in item:
                return None
            kind = item.get("type")
            if not isinstance(kind, str) or not isinstance(item.get("session_id"), str):
                continue
            if kind == "system" and "subtype" in item:
                return 'type "system" with subtype and session_id'
            if kind in SPOKEN and "parent_tool_use_id" in item and "message" in item:
                return "keys session_id, parent_tool_use_id and message"
        return None

    def read(self, document: Document) -> Reading:
        log = entries_of(document)
        stream = Stream(Builder(), first_session(log.entries))
        stream.talk.whole = not log.damaged
        for entry in log.entries:
            stream.read(entry)
        stream.talk.finish()
        if not stream.builder.drafts:
            raise Unreadable("There is no message here: the stream holds only notes.")
        name = stream.session or f"{NAME}-{digest([entry.value for entry in log.entries])}"
        transcript = stream.builder.transcript(header(stream, name))
        gaps = (*log.gaps, *transcript.gaps, *unknown_kinds(transcript.records))
        return Reading((ParsedRun(replace(transcript, gaps=gaps)),), log.refusals)


FORMAT = ClaudeStream()


def first_session(entries: tuple[Entry, ...]) -> str:
    return next(filter(None, (text(entry.value.get("session_id")) for entry in entries)), "")


def header(stream: Stream, name: str) -> Transcript:
    init = stream.init
    system: dict[str, object] = {"name": HARNESS}
    if version := text(init.get("claude_code_version")):
        system["version"] = version
    models: dict[str, str] = {}
    for actor in stream.builder.actors.values():
        if actor.model:
            models.setdefault(actor.role, actor.model)
    if models:
        system["models"] = models
    if init:
        system["configuration"] = {
            key: init[key]
            for key in ("tools", "permissionMode", "mcp_servers", "agents")
            if key in init
        }
    folder = text(init.get("cwd"))
    return Transcript(
        external_id=name,
        source=HARNESS,
        schema=NAME,
        actors=(),
        steps=(),
        task_text=first_words(stream.builder),
        system=system,
        initial_state={"reference": folder, "mutable": True} if folder else {},
        capture=NOT_IN_SCHEMA,
    )
