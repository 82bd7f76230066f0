"""Joins a session of Claude Code with the files of its subagents, and the notes on them.

The files of one session may lie anywhere in a bundle: messages name their session. A note on a
subagent does not, and lies beside its file.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from traces.formats.base import Document, Reading, Recognised, Unreadable
from traces.formats.claude.code import AGENT_FILE, NAME, ClaudeCode, File, reading
from traces.formats.records.event_log import entries_of
from traces.formats.records.loose import Object, mapping
from traces.transcript import Fate, RawRecord

NOTE = ".meta.json"


class Sessions:
    name = NAME
    version = ClaudeCode.version

    def claims(self, documents: Sequence[Recognised]) -> Iterator[tuple[int, ...]]:
        mains: dict[str, int] = {}
        subagents: defaultdict[str, list[int]] = defaultdict(list)
        notes = {
            each.document.name: index
            for index, each in enumerate(documents)
            if each.document.name.endswith(NOTE) and AGENT_FILE.search(each.document.name)
        }
        for index, each in enumerate(documents):
            file = file_of(each)
            if file is None or not file.session:
                continue
            if not file.subagent:
                mains.setdefault(file.session, index)
                continue
            subagents[file.session].append(index)
            note = notes.get(each.document.name.removesuffix(".jsonl") + NOTE)
            if note is not None:
                subagents[file.session].append(note)
        for session, main in mains.items():
            if session in subagents:
                yield (
                    main,
                    *sorted(subagents[session], key=lambda at: documents[at].document.name),
                )

    def read(self, documents: Sequence[Recognised]) -> Reading:
        files = [
            File(entries_of(each.document), each.document.name)
            for each in documents
            if each.format == NAME
        ]
        beside = [each.document for each in documents if each.format != NAME]
        notes = {agent_of(document): note_of(document) for document in beside}
        read = reading(files, joined=True, notes=notes)
        (run,) = read.runs
        told = tuple(
            RawRecord(f"{each.name}: /", Fate.CONTEXT, "note on a subagent") for each in beside
        )
        transcript = replace(run.transcript, records=(*run.transcript.records, *told))
        return replace(read, runs=(replace(run, transcript=transcript),))


JOINER = Sessions()


def file_of(each: Recognised) -> File | None:
    if each.format != NAME:
        return None
    try:
        return File(entries_of(each.document), each.document.name)
    except Unreadable:
        return None


def agent_of(document: Document) -> str:
    found = AGENT_FILE.search(document.name)
    return found.group(1) if found else document.name


def note_of(document: Document) -> Object:
    """What a note says. It was in no format, and so is not decoded yet."""
    try:
        return mapping(json.loads(document.content))
    except (ValueError, RecursionError):
        return {}
