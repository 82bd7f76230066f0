"""LangGraph's checkpoints: what each holds, what it came of, and what changed in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from traces.formats.base import Json
from traces.formats.records import loose
from traces.formats.records.loose import Object
from traces.formats.records.times import moment
from traces.formats.steps.ordering import seconds
from traces.transcript import Part, PartKind


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A checkpoint with its place in the file. `parent` is the id of the one it came of."""

    pointer: str
    value: Object
    thread: str
    namespace: str
    id: str
    parent: str
    at: datetime | None

    @property
    def order(self) -> tuple[Any, ...]:
        return (seconds(self.at), self.id)

    @property
    def values(self) -> Object:
        return loose.mapping(self.value.get("values"))

    @property
    def source(self) -> str:
        return loose.text(loose.at(self.value, "metadata", "source")) or "loop"

    @property
    def tasks(self) -> list[Object]:
        return loose.objects(self.value.get("tasks"))


def is_snapshot(value: Json) -> bool:
    return (
        isinstance(value, Mapping)
        and "values" in value
        and isinstance(value.get("next"), list)
        and isinstance(value.get("config"), Mapping)
    )


def snapshot(pointer: str, value: Object) -> Snapshot:
    """Of a checkpoint without an id its place is the id."""
    config = loose.mapping(loose.at(value, "config", "configurable"))
    parent = loose.at(value, "parent_config", "configurable", "checkpoint_id")
    return Snapshot(
        pointer=pointer,
        value=value,
        thread=loose.name(config.get("thread_id")),
        namespace=loose.text(config.get("checkpoint_ns")),
        id=loose.name(config.get("checkpoint_id")) or pointer or "/",
        parent=loose.name(parent),
        at=moment(value.get("created_at")) or moment(value.get("timestamp")),
    )


def by_thread(snapshots: Iterable[Snapshot]) -> dict[str, list[Snapshot]]:
    """Checkpoints of each thread, from the oldest on: files begin with the newest."""
    found: dict[str, list[Snapshot]] = {}
    for each in sorted(snapshots, key=lambda each: each.order):
        found.setdefault(each.thread, []).append(each)
    return found


def changes(before: Object, after: Object, made: dict[str, str], new: str) -> Iterator[Part]:
    """What a checkpoint changed in each value: lists that only grew show what they grew by.

    `made` says which checkpoint made the version of each value that is changed here.
    """
    for name in dict.fromkeys((*after, *before)):
        old = made.get(name, "")
        if name not in after:
            yield loose.state(name, before=old, after=new, change="removed")
        elif name not in before or before[name] != after[name]:
            value, told = grown(name, before.get(name), after[name])
            yield loose.state(name, before=old, after=new, change=loose.shown(value), **told)
        else:
            continue
        made[name] = new


def grown(name: str, before: Json, after: Json) -> tuple[Json, dict[str, int]]:
    """What to show of a value that changed. Messages are steps of their own."""
    if not isinstance(after, list):
        return after, {}
    old = before if isinstance(before, list) else []
    added = after[len(old) :] if after[: len(old)] == old else after
    told = {"added": len(added)} if old or name == "messages" else {}
    return (None if name == "messages" else added), told


def key_of(value: Json) -> str:
    """A message by its id, else by all of it."""
    given = loose.name(loose.mapping(value).get("id"))
    return given or f"content {loose.digest(value)}"


def written(result: Json, name: str) -> list[Part]:
    """What a task wrote, but for messages, which are steps."""
    if isinstance(result, dict):
        result = {key: value for key, value in result.items() if key != "messages"}
    if result in (None, {}):
        return []
    kind = PartKind.INPUT if name == "__start__" else PartKind.MESSAGE
    data: dict[str, Any] = {"writes": list(result)} if isinstance(result, dict) else {}
    return [Part(kind, loose.shown(result), data)]


def troubles(error: Json, interrupts: Sequence[Json]) -> list[Part]:
    parts = [Part(PartKind.ERROR, loose.shown(error))] if error else []
    for each in interrupts:
        value = loose.mapping(each).get("value", each)
        parts.append(Part(PartKind.MESSAGE, loose.shown(value), {"interrupt": True}))
    return parts
