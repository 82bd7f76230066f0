"""What A2A says of one task, in whatever it comes: its messages, its artifacts, its states."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from traces.formats.base import Json
from traces.formats.records import loose
from traces.formats.records.loose import Object
from traces.formats.records.times import moment
from traces.formats.steps.building import Builder, Draft
from traces.formats.steps.conversation import Conversation
from traces.transcript import Fate, Part, PartKind, StepKind, StepStatus

STATES = frozenset(
    {"submitted", "working", "input-required", "completed", "failed", "canceled", "rejected"}
    | {"auth-required", "unknown"}
)
BAD, GOOD = frozenset({"failed", "rejected"}), frozenset({"completed"})
AGAIN = "messages that came before"


@dataclass(frozen=True, slots=True)
class Found:
    """A piece of a document: a task, a message, an update of a status or an artifact, an error."""

    kind: str
    pointer: str
    value: Object
    task: str


def state_of(value: Json) -> str:
    """The state of a status as version 0 writes it, or nothing: `failed`, `input-required`."""
    given = loose.text(loose.at(value, "state"))
    name = given.removeprefix("TASK_STATE_").lower().replace("_", "-")
    known = name in STATES and (given.startswith("TASK_STATE_") or given == name)
    return name if known else ""


def found_in(pointer: str, value: Json) -> Iterator[Found]:
    """What a record holds, behind the JSON-RPC around it if there is one."""
    if not isinstance(value, Mapping):
        return
    if "jsonrpc" not in value:
        yield from bare(pointer, value)
        return
    for key in ("result", "params"):
        if isinstance(value.get(key), Mapping):
            yield from bare(f"{pointer}/{key}", value[key])
    if isinstance(value.get("error"), Mapping):
        yield Found("error", f"{pointer}/error", value["error"], "")


def bare(pointer: str, value: Object) -> Iterator[Found]:
    """At most one piece: what stands under a name that says what it is, or the whole."""
    named = [
        (kind, f"{pointer}/{key}", value[key])
        for key, kind in WRAPPED.items()
        if isinstance(value.get(key), Mapping)
    ]
    whole = [(kind, pointer, value) for kind in ("task", "status", "artifact", "message")]
    for kind, place, inner in (*named, *whole):
        if one_of(kind, inner):
            yield Found(kind, place, inner, task_of(kind, inner))
            return


WRAPPED = {
    "task": "task",
    "statusUpdate": "status",
    "status_update": "status",
    "artifactUpdate": "artifact",
    "artifact_update": "artifact",
    "message": "message",
    "msg": "message",
}


def one_of(kind: str, value: Object) -> bool:
    if kind == "task":
        # The first versions name a session, and not what they are.
        names = {"contextId", "context_id", "sessionId"}
        context = not names.isdisjoint(value) or value.get("kind") == "task"
        return "id" in value and context and bool(state_of(value.get("status")))
    if kind == "status":
        return task_of(kind, value) != "" and bool(state_of(value.get("status")))
    if kind == "artifact":
        return task_of(kind, value) != "" and isinstance(value.get("artifact"), Mapping)
    return isinstance(value.get("parts"), list) and bool(first(value, "messageId", "message_id"))


def task_of(kind: str, value: Object) -> str:
    return first(value, "id") if kind == "task" else first(value, "taskId", "task_id")


def first(value: Object, *keys: str) -> str:
    return next((loose.name(value[key]) for key in keys if loose.name(value.get(key))), "")


@dataclass(slots=True)
class Task:
    """A task while its pieces are read in turn."""

    id: str
    builder: Builder = field(default_factory=Builder)
    talk: Conversation = field(init=False)
    known: dict[str, Draft] = field(default_factory=dict)
    artifacts: dict[str, Draft] = field(default_factory=dict)
    context: str = ""
    state: str = ""
    at: datetime | None = None
    reason: str = ""
    first_words: str = ""
    last: Draft | None = None

    def __post_init__(self) -> None:
        self.talk = Conversation(self.builder, "agent")

    def add(self, found: Found, order: int) -> None:
        self.context = self.context or first(found.value, "contextId", "context_id", "sessionId")
        if found.kind == "task":
            self.whole(found, order)
        elif found.kind == "status":
            self.builder.record(found.pointer, Fate.CONTAINER, "status update")
            self.status(found.value.get("status"), f"{found.pointer}/status", (order, 2, 0))
        elif found.kind == "artifact":
            given = loose.mapping(found.value.get("artifact"))
            append = found.value.get("append") is True
            self.artifact(given, found.pointer, (order, 1, 0), append=append)
        elif found.kind == "message":
            self.message(found.value, found.pointer, (order, 0, 0))
        else:
            self.error(found.value, found.pointer, (order, 3, 0))

    def whole(self, found: Found, order: int) -> None:
        self.builder.record(found.pointer or "/", Fate.CONTAINER, "task")
        for index, value in enumerate(loose.items(found.value.get("history"))):
            at = f"{found.pointer}/history/{index}"
            self.message(loose.mapping(value), at, (order, 0, index))
        for index, value in enumerate(loose.items(found.value.get("artifacts"))):
            at = f"{found.pointer}/artifacts/{index}"
            self.artifact(loose.mapping(value), at, (order, 1, index), append=False)
        self.status(found.value.get("status"), f"{found.pointer}/status", (order, 2, 0))

    def message(self, value: Object, pointer: str, order: tuple[Any, ...]) -> Draft:
        """A step for a message, once however often it comes."""
        id_ = first(value, "messageId", "message_id")
        if id_ in self.known:
            self.builder.fold(AGAIN, pointer, self.known[id_])
            return self.known[id_]
        caller = loose.text(value.get("role")).lower() in ("user", "role_user")
        kind = PartKind.INPUT if caller else PartKind.MESSAGE
        parts = [part_of(item, kind) for item in loose.items(value.get("parts"))]
        given = value.get("referenceTaskIds")
        if given and parts:
            parts[0] = replace(parts[0], data={**parts[0].data, "references": given})
        step = StepKind.INPUT if caller else StepKind.MESSAGE
        draft = self.step(id_ or pointer, pointer, order, step, parts, caller=caller)
        if caller and not self.first_words:
            self.first_words = "\n".join(part.text for part in parts)
        if id_:
            self.known[id_] = draft
        return draft

    def step(
        self,
        id_: str,
        pointer: str,
        order: tuple[Any, ...],
        kind: StepKind,
        parts: list[Part],
        *,
        caller: bool = False,
    ) -> Draft:
        if caller:
            actor = self.builder.actor("user", capture={"instance": "not_captured"})
        else:
            key = f"agent@{self.id}" if self.id else "agent"
            actor = self.builder.actor(key, role="agent", instance=self.id or None)
        silent = [Part(PartKind.MESSAGE, "", {}, {"text": "not_captured"})]
        draft = self.builder.add(Draft(id_, actor, kind, parts or silent, order, pointer))
        self.talk.follow(draft)
        self.talk.ends = [draft]
        self.last = draft
        return draft

    def artifact(
        self, value: Object, pointer: str, order: tuple[Any, ...], *, append: bool
    ) -> None:
        """What the task made. Pieces of one artifact are one step."""
        id_ = first(value, "artifactId", "artifact_id") or pointer
        text = "\n".join(part_of(p, PartKind.STATE).text for p in loose.items(value.get("parts")))
        name = loose.text(value.get("name")) or id_
        known = self.artifacts.get(id_)
        if known and append:
            known.parts.append(loose.state(name, change=text))
            known.read_from(pointer)
        elif known and known.parts == [loose.state(name, change=text)]:
            self.builder.fold("artifacts that came before", pointer, known)
        else:
            part = loose.state(name, change=text)
            self.artifacts[id_] = self.step(id_, pointer, order, StepKind.STATE, [part])

    def status(self, value: Json, pointer: str, order: tuple[Any, ...]) -> None:
        """The state from here on, and what the agent says with it."""
        state = state_of(value)
        self.state = state or self.state
        at = moment(loose.at(value, "timestamp"))
        self.at = at or self.at
        said = loose.mapping(loose.at(value, "message"))
        if not said:
            return
        draft = self.message(said, f"{pointer}/message", order)
        draft.started_at = draft.started_at or at
        self.reason = "\n".join(part.text for part in draft.parts)
        if state in BAD:
            draft.status = StepStatus.ERROR
        draft.parts[0] = replace(draft.parts[0], data={**draft.parts[0].data, "state": state})

    def error(self, value: Object, pointer: str, order: tuple[Any, ...]) -> None:
        text = loose.text(value.get("message")) or loose.shown(value)
        part = Part(PartKind.ERROR, text, {"code": value.get("code")})
        draft = self.step(pointer, pointer, order, StepKind.ERROR, [part])
        draft.status = StepStatus.ERROR


def part_of(value: Json, kind: PartKind) -> Part:
    """A piece of text as it is, and data and files as JSON."""
    given = loose.mapping(value)
    text = given.get("text")
    if isinstance(text, str):
        meta = given.get("metadata")
        return Part(kind, text, {"metadata": meta} if meta else {})
    if "data" in given:
        return Part(kind, loose.shown(given["data"]), {"type": "data"})
    return Part(
        kind, loose.shown(value), {"type": loose.text(given.get("kind")) or "file", "raw": True}
    )
