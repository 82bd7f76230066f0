"""Reads what `codex exec --json` writes out: items, each when it starts, changes and is complete.

Records of one item have its id and are one step. There are no times, and the prompt is not told.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from traces.formats.base import Document, ParsedRun, Reading, Sample, Unreadable
from traces.formats.chat.message import Answer, Call
from traces.formats.codex.items import HARNESS, Items
from traces.formats.records.event_log import Entry, entries_of, unknown_kinds
from traces.formats.records.loose import Object, digest, items, mapping, objects, shown, state, text
from traces.formats.steps.building import Builder, Draft
from traces.formats.steps.conversation import Place, drafted
from traces.formats.steps.unsayable import unsayable_but
from traces.transcript import (
    Fate,
    Part,
    PartKind,
    Report,
    StepKind,
    StepStatus,
    Transcript,
)

NAME = "codex_exec"
AGAIN = "items told again as they went on"
TURNS = frozenset({"turn.started", "turn.completed", "turn.failed"})
OF_ITEMS = frozenset({"item.started", "item.updated", "item.completed"})
NOT_IN_SCHEMA = unsayable_but(
    *("reports", "system/name"),
    more=("task/id", "task/text", "outcome", "failures", "system/models", "steps/handoff_from"),
)


class CodexExec:
    name = NAME
    version = "1"
    # Records of this format may look like messages too.
    before = ("messages",)

    def recognise(self, sample: Sample) -> str | None:
        for item in sample.objects:
            kind = text(item.get("type"))
            if kind == "thread.started" and text(item.get("thread_id")):
                return 'type "thread.started" with thread_id'
            if kind in OF_ITEMS and text(mapping(item.get("item")).get("type")):
                return f'type "{kind}" with item'
        return None

    def read(self, document: Document) -> Reading:
        log = entries_of(document)
        named = (text(entry.value.get("thread_id")) for entry in log.entries)
        thread = next(filter(None, named), "")
        stream = Stream(Items(Builder(), "main", thread, program=HARNESS, whole=False))
        for entry in log.entries:
            stream.read(entry)
        stream.items.finish()
        builder = stream.items.builder
        if not builder.drafts:
            raise Unreadable("There is no item here: the stream holds only notes.")
        transcript = builder.transcript(
            Transcript(
                external_id=thread or f"{NAME}-{digest([each.value for each in log.entries])}",
                source="codex",
                schema=NAME,
                actors=(),
                steps=(),
                system={"name": "codex"},
                capture=NOT_IN_SCHEMA,
            )
        )
        gaps = (*log.gaps, *transcript.gaps, *unknown_kinds(transcript.records))
        return Reading((ParsedRun(replace(transcript, gaps=gaps)),), log.refusals)


FORMAT = CodexExec()


class Stream:
    """The run while its records are read. `turn` counts, for each begins its items anew."""

    def __init__(self, items: Items) -> None:
        self.items = items
        self.turn = 0
        self.known: dict[str, Draft] = {}
        self.done: set[str] = set()

    def read(self, entry: Entry) -> None:
        kind, builder = text(entry.value.get("type")), self.items.builder
        item = mapping(entry.value.get("item"))
        if kind in OF_ITEMS and text(item.get("type")):
            self.item(kind, item, entry)
        elif kind in TURNS:
            self.end_of_turn(kind, entry)
        elif kind == "error":
            self.error(text(entry.value.get("message")), self.place(entry, entry.pointer))
        else:
            fate = Fate.CONTEXT if kind == "thread.started" else Fate.UNMAPPED
            builder.record(entry.pointer, fate, kind)

    def place(self, entry: Entry, name: str) -> Place:
        return Place(name, (entry.number, 0), entry.pointer)

    def end_of_turn(self, kind: str, entry: Entry) -> None:
        self.items.call = None
        if kind == "turn.started":
            # Items are numbered anew where a thread is taken up again.
            self.turn += 1
            self.known.clear()
            self.items.builder.record(entry.pointer, Fate.CONTEXT, kind)
            return
        last = next(reversed(self.items.ends.values()), None)
        detail = text(mapping(entry.value.get("error")).get("message"))
        self.items.builder.report(Report(kind, "framework", detail=detail), last)
        self.items.builder.record(entry.pointer, Fate.CONTEXT, kind, last)

    def item(self, kind: str, item: Object, entry: Entry) -> None:
        what, name = text(item.get("type")), text(item.get("id"))
        place = self.place(entry, f"{self.turn}/{name}" if name else entry.pointer)
        if what in CALLS:
            self.call(what, item, place, ended=kind == "item.completed")
        elif kind != "item.completed":
            self.items.builder.record(place.pointer, Fate.CONTEXT, f"{kind} {what}")
        elif what == "agent_message":
            self.items.say(Part(PartKind.MESSAGE, text(item.get("text"))), place)
        elif what == "reasoning":
            self.items.say(Part(PartKind.INTERPRETATION, text(item.get("text"))), place)
        elif what == "error":
            self.error(text(item.get("message")), place)
        else:
            self.items.builder.record(place.pointer, Fate.UNMAPPED, f"item {what}")

    def error(self, said: str, place: Place) -> None:
        part = Part(PartKind.ERROR, said)
        draft = drafted(place, self.items.harness(), StepKind.ERROR, [part])
        draft.status = StepStatus.ERROR
        self.items.add(draft)

    def call(self, what: str, item: Object, place: Place, *, ended: bool) -> None:
        draft = self.known.get(place.id)
        if draft is None:
            name, arguments = CALLS[what](item)
            draft = self.items.ask(Call(place.id, name, arguments), place)
            self.known[place.id] = draft
        else:
            self.items.builder.fold(AGAIN, place.pointer, draft)
        if not ended or draft.id in self.done:
            return
        self.done.add(draft.id)
        self.items.answer(answer_of(what, item, place.id), place)
        for change in objects(item.get("changes")) if draft.status is not StepStatus.ERROR else ():
            draft.parts.append(state(text(change.get("path")), change=text(change.get("kind"))))
        if item.get("status") == "declined":
            draft.status = StepStatus.CANCELLED


def answer_of(what: str, item: Object, name: str) -> Answer:
    """What came back, and whether it failed: by the exit code, else by the status."""
    code, status, data = item.get("exit_code"), text(item.get("status")), dict[str, Any]()
    failed = status == "failed" if status in ("failed", "completed") else None
    if isinstance(code, int) and not isinstance(code, bool):
        failed, data = code != 0, {"exit_code": code}
    error = mapping(item.get("error"))
    result = item.get("result")
    said = text(item.get("aggregated_output")) or text(error.get("message"))
    if what == "todo_list":
        said = shown(item.get("items"))
    if not said and result is not None:
        pieces = [text(each.get("text")) for each in objects(mapping(result).get("content"))]
        said = "\n".join(filter(None, pieces)) or shown(result)
    capture = {} if said or what == "command_execution" else {"text": "not_captured"}
    return Answer(name, "", said, failed, data, capture)


def command(item: Object) -> tuple[str, Any]:
    return "command_execution", {"command": item.get("command")}


def file_change(item: Object) -> tuple[str, Any]:
    return "file_change", {"changes": list(items(item.get("changes")))}


def mcp_call(item: Object) -> tuple[str, Any]:
    return text(item.get("tool")) or "mcp_tool_call", item.get("arguments")


def search(item: Object) -> tuple[str, Any]:
    return "web_search", {"query": item.get("query")}


def plan(item: Object) -> tuple[str, Any]:
    return "todo_list", {"items": list(items(item.get("items")))}


def subagents(item: Object) -> tuple[str, Any]:
    given = {key: item[key] for key in ("prompt", "receiver_thread_ids") if key in item}
    return text(item.get("tool")) or "collab_tool_call", given


CALLS: dict[str, Callable[[Object], tuple[str, Any]]] = {
    "command_execution": command,
    "file_change": file_change,
    "mcp_tool_call": mcp_call,
    "web_search": search,
    "todo_list": plan,
    "collab_tool_call": subagents,
}
