"""Reads what LangGraph streams in its modes: `{mode, chunk}` or `[namespace, mode, chunk]`.

The modes say the same several times over. Checkpoints are read as a state history, with what
the tasks of it wrote; without them there is only what the nodes wrote, in the order they did.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from traces.compact import compact
from traces.formats.base import Document, Json, ParsedRun, Reading, Refusal, Sample, Unreadable
from traces.formats.langgraph import transcript
from traces.formats.langgraph.graph import Graph
from traces.formats.langgraph.snapshots import by_thread, is_snapshot, snapshot, troubles, written
from traces.formats.records import loose
from traces.formats.records.loose import Object
from traces.formats.records.times import moment
from traces.formats.steps.building import Builder, Draft
from traces.formats.steps.conversation import Conversation, Place
from traces.transcript import Fate, Part, StepKind, StepStatus

MODES = frozenset(
    {"values", "updates", "messages", "custom", "tasks", "checkpoints", "debug", "messages-tuple"}
)
OF_DEBUG = {"checkpoint": "checkpoints", "task": "tasks", "task_result": "tasks"}
NO_CHUNK = "This is no chunk of a LangGraph stream: it has no known mode."
# Behind the ids of checkpoints without a time.
BEHIND = "\uffff"
AGAIN = "chunks that say again what a checkpoint or a task does"


@dataclass(frozen=True, slots=True)
class Chunk:
    pointer: str
    namespace: str
    mode: str
    body: Json
    at: Json = None


class LangGraphStream:
    name = "langgraph_stream"
    version = "1"

    def recognise(self, sample: Sample) -> str | None:
        if any(chunk_of("", item) for item in sample.objects):
            return "keys mode and chunk"
        first = sample.first
        if chunk_of("", first) or (isinstance(first, list) and first and chunk_of("", first[0])):
            return "lists of namespace, mode and chunk"
        return None

    def read(self, document: Document) -> Reading:
        stream, refusals = Stream(), []
        for record in document.records:
            whole = chunk_of(record.position, record.value)
            inside = loose.items(record.value)
            for index, item in enumerate([record.value] if whole or not inside else inside):
                pointer = record.position if whole or not inside else f"{record.position}/{index}"
                chunk = chunk_of(pointer, item)
                if chunk:
                    stream.add(chunk)
                else:
                    refusals.append(Refusal(pointer or "/", NO_CHUNK))
        if not stream.chunks:
            raise Unreadable("There are no chunks of a LangGraph stream here.")
        return Reading(tuple(stream.runs(document, len(refusals))), tuple(refusals))


FORMAT = LangGraphStream()


def chunk_of(pointer: str, value: Json) -> Chunk | None:
    """A chunk in either of its shapes. Debug chunks are what they repeat."""
    if isinstance(value, Mapping):
        namespace, mode, body = (
            value.get("namespace", value.get("ns")),
            value.get("mode"),
            value.get("chunk"),
        )
        known = "chunk" in value
    elif isinstance(value, list) and len(value) in (2, 3):
        namespace, mode, body = (None, *value) if len(value) == 2 else value
        known = isinstance(body, dict | list)
    else:
        return None
    if not known or not isinstance(mode, str) or mode not in MODES:
        return None
    inside = "|".join(map(loose.name, loose.items(namespace)))
    if mode == "debug":
        kind = loose.text(loose.at(body, "type"))
        payload, at = loose.at(body, "payload"), loose.at(body, "timestamp")
        return Chunk(pointer, inside, OF_DEBUG.get(kind, "debug"), payload, at)
    return Chunk(pointer, inside, mode, body)


@dataclass(slots=True)
class Stream:
    """The chunks of a stream by what they tell."""

    chunks: list[Chunk] = field(default_factory=list)
    checkpoints: dict[str, tuple[Chunk, dict[str, Any]]] = field(default_factory=dict)
    tasks: dict[str, dict[str, Any]] = field(default_factory=dict)
    again: list[tuple[str, str]] = field(default_factory=list)
    rest: list[Chunk] = field(default_factory=list)

    def add(self, chunk: Chunk) -> None:
        self.chunks.append(chunk)
        body = loose.mapping(chunk.body)
        if chunk.mode == "checkpoints" and is_snapshot({"next": [], **body}):
            self.checkpoint(chunk, {"next": [], **body})
        elif chunk.mode == "tasks" and loose.name(body.get("id")):
            known = self.tasks.setdefault(loose.name(body["id"]), {})
            said = {key: body[key] for key in body if known.get(key) is None}
            known.update(said)
            self.again.append((chunk.pointer, loose.name(body["id"])))
        else:
            self.rest.append(chunk)

    def checkpoint(self, chunk: Chunk, body: dict[str, Any]) -> None:
        """A checkpoint, whose time only the debug chunk that repeats it may have."""
        id_ = snapshot(chunk.pointer, body).id
        known = self.checkpoints.get(id_)
        if known is None:
            known = self.checkpoints[id_] = (chunk, body)
        elif {**known[1], "timestamp": None} == {**body, "timestamp": None}:
            self.again.append((chunk.pointer, id_))
        else:
            self.checkpoints[f"{id_} {chunk.pointer}"] = known = (chunk, body)
        if chunk.at and not known[1].get("timestamp"):
            known[1]["timestamp"] = chunk.at

    def runs(self, document: Document, bad: int) -> list[ParsedRun]:
        gaps = loose.reading_gaps(document)
        snapshots = [
            snapshot(
                chunk.pointer,
                {**body, "tasks": [self.told(task) for task in loose.objects(body.get("tasks"))]},
            )
            for chunk, body in self.checkpoints.values()
        ]
        threads = by_thread(snapshots) or {"": []}
        found = []
        for index, (thread, group) in enumerate(threads.items()):
            graph = Graph(Builder())
            graph.read(group)
            if not index:
                self.leftovers(graph)
                if bad:
                    graph.builder.gap("undecodable_step", f"Records that are no chunks: {bad}.")
            if graph.builder.drafts:
                found.append(ParsedRun(transcript(thread, graph, group, gaps)))
        if not found:
            raise Unreadable("The stream holds no step: no checkpoint, task or update.")
        return found

    def told(self, task: Object) -> dict[str, Any]:
        """A task of a checkpoint with what the chunks of tasks say of it."""
        return {**task, **self.tasks.get(loose.name(task.get("id")), {})}

    def leftovers(self, graph: Graph) -> None:
        """What belongs to no checkpoint: steps where it is news, else folded."""
        for pointer, id_ in self.again:
            known = graph.states.get(id_) or graph.tasks.get(id_, (None, ""))[0]
            if known:
                graph.builder.fold(AGAIN, pointer, known)
            else:
                self.alone(graph, id_, pointer)
        unmapped: dict[str, int] = {}
        for number, chunk in enumerate(self.rest):
            if chunk.mode == "updates":
                self.update(graph, chunk, number)
            elif chunk.mode == "values" and graph.states:
                graph.builder.fold(AGAIN, chunk.pointer)
            else:
                unmapped[chunk.mode] = unmapped.get(chunk.mode, 0) + 1
                graph.builder.record(chunk.pointer, Fate.UNMAPPED, chunk.mode)
        if unmapped:
            modes = ", ".join(f"{mode} ({count})" for mode, count in sorted(unmapped.items()))
            graph.builder.gap("kept_in_raw_only", f"Chunks that are no steps: {modes}.")

    def alone(self, graph: Graph, id_: str, pointer: str) -> None:
        """A task of a stream without checkpoints."""
        task = self.tasks.get(id_)
        if task is None or not ("result" in task or task.get("error") or task.get("interrupts")):
            graph.builder.record(pointer, Fate.CONTEXT, "task that no checkpoint lists")
            return
        name = loose.text(task.get("name")) or "node"
        parts = [
            *written(task.get("result"), name),
            *troubles(task.get("error"), loose.items(task.get("interrupts"))),
        ]
        found = loose.items(loose.mapping(task.get("result")).get("messages"))
        draft = wrote(graph, name, id_, pointer, parts, found)
        if draft:
            graph.tasks[id_] = (draft, "")
            graph.writes[f"{name} {compact(task.get('result'))}"] = draft
            draft.status = StepStatus.ERROR if task.get("error") else draft.status

    def update(self, graph: Graph, chunk: Chunk, number: int) -> None:
        for name, value in loose.mapping(chunk.body).items():
            known = graph.writes.get(f"{name} {compact(value)}")
            if known:
                graph.builder.fold(AGAIN, chunk.pointer, known)
            elif name == "__interrupt__" and graph.states:
                graph.builder.fold(AGAIN, chunk.pointer)
            else:
                found = loose.items(loose.mapping(value).get("messages"))
                id_ = f"{chunk.pointer}/{name}"
                wrote(graph, name, id_, chunk.pointer, written(value, name), found)


def wrote(
    graph: Graph, name: str, id_: str, pointer: str, parts: list[Part], found: Any
) -> Draft | None:
    """A step for what a node wrote where no checkpoint says when: in the order of the stream."""
    talk: Conversation = graph.talk
    capture = {"instance": "not_captured"}
    actor = graph.builder.actor(name, capture=capture)
    order = (float("inf"), BEHIND, 2, len(graph.builder.drafts))
    place = Place(id_, order, pointer, moment(None))
    draft = None
    if parts:
        draft = graph.builder.add(Draft(id_, actor, StepKind.MESSAGE, parts, order, pointer))
        talk.follow(draft)
        talk.ends = [draft]
    drafts = graph.speak(found, place, actor) if found else []
    if drafts:
        draft = draft or drafts[-1]
    if draft is None:
        graph.builder.record(pointer, Fate.CONTEXT, f"{name} wrote nothing")
    return draft
