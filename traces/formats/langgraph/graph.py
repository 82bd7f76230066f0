"""One thread of a LangGraph run as steps: each checkpoint, and each task between two of them.

A task builds on the checkpoint that lists it, and the next checkpoint on all its tasks: that is
in the source. Messages in what a task wrote are what its agent said.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from traces.compact import compact
from traces.formats.base import Json
from traces.formats.chat.message import Message
from traces.formats.chat.reading import messages
from traces.formats.langgraph.snapshots import Snapshot, changes, key_of, troubles, written
from traces.formats.records import loose
from traces.formats.records.loose import Object
from traces.formats.steps.building import Builder, Draft
from traces.formats.steps.conversation import Conversation, Place
from traces.transcript import (
    ActorKind,
    Fate,
    LinkKind,
    Part,
    PartKind,
    Report,
    StepKind,
    StepStatus,
)

START = "__start__"
WRITERS = {"input": "input", "update": "update_state", "fork": "update_state"}
KNOWN_MESSAGES = "messages that an earlier checkpoint holds"


@dataclass(slots=True)
class Graph:
    """A thread while its checkpoints are read from the oldest on."""

    builder: Builder
    talk: Conversation = field(init=False)
    by_id: dict[str, Snapshot] = field(default_factory=dict)
    states: dict[str, Draft] = field(default_factory=dict)
    versions: dict[str, dict[str, str]] = field(default_factory=dict)
    ends: dict[str, list[Draft]] = field(default_factory=dict)
    tasks: dict[str, tuple[Draft, str]] = field(default_factory=dict)
    children: dict[str, str] = field(default_factory=dict)
    said: dict[str, Draft | None] = field(default_factory=dict)
    last_of: dict[str, Draft] = field(default_factory=dict)
    writes: dict[str, Draft] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.talk = Conversation(self.builder, "agent", rule="")

    def read(self, snapshots: Sequence[Snapshot]) -> None:
        for each in snapshots:
            known = self.by_id.setdefault(each.id, each)
            if known is each and each.parent:
                self.children.setdefault(each.parent, each.id)
        seen: set[str] = set()
        for each in snapshots:
            if each.id in seen:
                self.again(each)
                continue
            seen.add(each.id)
            self.checkpoint(each)
            for index, task in enumerate(each.tasks):
                self.task(each, task, index)
        self.subgraphs()
        self.talk.note_reused()

    def again(self, one: Snapshot) -> None:
        state = self.states[one.id]
        if self.by_id[one.id].values == one.values:
            self.builder.fold("checkpoints sent again", one.pointer, state)
        else:
            self.builder.record(one.pointer, Fate.UNMAPPED, "another checkpoint with the same id")
            detail = f'Another checkpoint has the id "{one.id}" too.'
            self.builder.gap("duplicate_step", detail, state)

    def checkpoint(self, one: Snapshot) -> None:
        """The state as the checkpoint has it, behind the tasks that made it."""
        before = self.by_id.get(one.parent)
        known = before.values if before else {}
        ends = self.ends.get(one.parent, []) if one.source == "loop" else []
        below = self.states.get(one.parent)
        spoken = self.new_messages(one, ends or ([below] if below else []))
        writer = WRITERS.get(one.source, "langgraph")
        actor = self.builder.actor(writer, ActorKind.HARNESS)
        made = dict(self.versions.get(one.parent, {}))
        parts = list(changes(known, one.values, made, one.id))
        self.versions[one.id] = made
        nothing = [Part(PartKind.MESSAGE, "", {"next": one.value.get("next")}, {"text": "absent"})]
        draft = self.builder.add(
            Draft(
                id=one.id,
                actor=actor,
                kind=StepKind.STATE if parts else StepKind.MESSAGE,
                parts=parts or nothing,
                order=(*one.order, 1, 0),
                pointer=one.pointer,
                started_at=one.at,
            )
        )
        self.states[one.id] = self.last_of[one.namespace] = draft
        sources = list({each.id: each for each in (*ends, *spoken)}.values())
        sources = sources or ([below] if below else [])
        kind_of_link = LinkKind.JOIN if len(ends) > 1 else LinkKind.CONSUMES
        for each in sources:
            self.builder.link(each.id, draft.id, kind_of_link)
        if one.parent and not before:
            self.builder.link(one.parent, draft.id, LinkKind.CONSUMES)

    def new_messages(self, one: Snapshot, ends: list[Draft]) -> list[Draft]:
        """Messages in the values that no task is known to have written."""
        found = loose.items(one.values.get("messages"))
        fresh = [each for each in found if key_of(each) not in self.said]
        if not fresh:
            return []
        self.talk.ends = ends
        place = Place(f"{one.id}/messages", (*one.order, 0, 0), one.pointer, one.at)
        return self.speak(fresh, place, "")

    def speak(self, found: Sequence[Json], place: Place, actor: str) -> list[Draft]:
        """Steps for messages, each once in the thread whatever lists hold it."""
        drafts: list[Draft] = []
        for index, value in enumerate(found):
            key = key_of(value)
            if key in self.said:
                self.builder.fold(KNOWN_MESSAGES)
                continue
            id_ = loose.name(loose.mapping(value).get("id")) or f"{place.id}/{index}"
            here = Place(id_, (*place.order, index), place.pointer, place.at)
            before = len(self.builder.drafts)
            for each in messages([value], "user"):
                self.one(each, here, actor, drafts)
            self.said[key] = drafts[-1] if len(self.builder.drafts) > before and drafts else None
        return drafts[-1:] if not self.talk.ends else [*self.talk.ends]

    def one(self, said: Message, place: Place, actor: str, drafts: list[Draft]) -> None:
        if said.role == "tool":
            for number, answer in enumerate(said.answers, start=1):
                at = Place(f"{place.id}.{number}", (*place.order, number), place.pointer, place.at)
                draft = self.talk.answer(answer, at)
                if draft:
                    drafts.append(draft)
            return
        speaker = actor if said.role == "assistant" else ""
        draft = self.talk.say(said, place, speaker)
        if draft:
            drafts.append(draft)

    def task(self, one: Snapshot, task: Object, index: int) -> None:
        """One execution of a node: what it wrote, how it failed, or what it waits for."""
        name = loose.text(task.get("name")) or "node"
        id_ = loose.name(task.get("id")) or f"{one.id}/tasks/{index}"
        pointer = f"{one.pointer}/tasks/{index}"
        result, error = task.get("result"), task.get("error")
        interrupts = loose.items(task.get("interrupts"))
        nothing = result is None and error in (None, "") and not interrupts
        if nothing and (one.id not in self.children or name == START):
            self.builder.record(pointer, Fate.CONTEXT, "task without a result")
            return
        actor = self.actor(one, name, id_)
        place = Place(id_, (*one.order, 2, index), pointer, one.at)
        parts = [*written(result, name), *troubles(error, interrupts)]
        found = loose.items(loose.mapping(result).get("messages"))
        if not parts and not found:
            parts = [Part(PartKind.MESSAGE, "", {}, {"text": "not_captured"})]
        self.talk.ends = [self.states[one.id]]
        ends = self.step(place, actor, name, parts, error) if parts else []
        if found:
            self.talk.ends = ends or self.talk.ends
            ends = self.speak(found, place, actor) or ends
        self.ends.setdefault(one.id, []).extend(ends)
        if ends:
            self.tasks[id_] = (ends[0], one.id)
            self.writes[f"{name} {compact(result)}"] = ends[0]

    def step(
        self, place: Place, actor: str, name: str, parts: list[Part], error: Json
    ) -> list[Draft]:
        kind = StepKind.INPUT if name == START else StepKind.MESSAGE
        draft = Draft(place.id, actor, kind, parts, (*place.order,), place.pointer)
        draft.status = StepStatus.ERROR if error else StepStatus.NOT_CAPTURED
        if error:
            draft.kind = StepKind.ERROR
        draft = self.builder.add(draft)
        self.talk.follow(draft)
        return [draft]

    def actor(self, one: Snapshot, name: str, id_: str) -> str:
        """Each execution of a node is an instance: LangGraph names it by the task's id."""
        if name == START:
            return self.builder.actor("input", ActorKind.HARNESS)
        instance = "|".join(filter(None, (one.namespace, f"{name}:{id_}")))
        return self.builder.actor(instance, role=name, instance=instance)

    def subgraphs(self) -> None:
        """Inner graphs begin with the task that runs them and end before what comes of it."""
        first: dict[str, Draft] = {}
        for one in self.by_id.values():
            if one.namespace and not one.parent:
                first.setdefault(one.namespace, self.states[one.id])
        for namespace, draft in first.items():
            owner = self.tasks.get(namespace.rpartition("|")[2].rpartition(":")[2])
            if not owner:
                continue
            task, snapshot = owner
            self.builder.link(task.id, draft.id, LinkKind.SPAWN)
            after = self.states.get(self.children.get(snapshot, ""))
            last = self.last_of.get(namespace)
            if after and last:
                self.builder.link(last.id, after.id, LinkKind.JOIN)

    def endings(self) -> None:
        """What the newest checkpoint of the outer graph says of the end."""
        outer = [one for one in self.by_id.values() if not one.namespace]
        if not outer:
            return
        newest = max(outer, key=lambda one: one.order)
        errors = [loose.shown(task.get("error")) for task in newest.tasks if task.get("error")]
        waiting = any(task.get("interrupts") for task in newest.tasks)
        value = "error" if errors else "interrupted" if waiting else "not finished"
        if not newest.value.get("next") and not errors:
            value = "finished"
        detail = "; ".join(errors)
        self.builder.report(
            Report(value, by="framework", at=newest.at, detail=detail), self.states[newest.id]
        )
