"""The threads of a managed session, and what its events say of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from traces.formats.records.event_log import Entry, earliest, latest
from traces.formats.records.loose import Object, digest, mapping, text
from traces.formats.records.times import moment
from traces.formats.steps.building import SENT_AGAIN, Builder, Draft
from traces.formats.steps.conversation import Place
from traces.formats.steps.turns import Turns
from traces.transcript import (
    Fate,
)

NAME = "managed_agents"
AGENT, HUMAN = "agent", "user"
AGAIN = "sent by the client, and told again by the session"


@dataclass(slots=True)
class Threads:
    """A session while its events are read. The first thread is that of its own agent."""

    builder: Builder = field(default_factory=Builder)
    session: Object = field(default_factory=dict)
    turns: dict[str, Turns] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    callers: dict[str, str] = field(default_factory=dict)
    primary: str = ""
    first: Object = field(default_factory=dict)
    seen: dict[tuple[str, str], Draft | None] = field(default_factory=dict)
    # What the session tells, by content: the same without an id is what a client sent.
    told: Counter[str] = field(default_factory=Counter)
    calls: dict[str, tuple[Turns, Draft]] = field(default_factory=dict)
    spans: dict[str, Turns] = field(default_factory=dict)
    times: list[datetime | None] = field(default_factory=list)
    whole: bool = True

    @property
    def earliest(self) -> datetime | None:
        return earliest(self.times)

    @property
    def latest(self) -> datetime | None:
        return latest(self.times)

    def look(self, entries: Iterable[Entry]) -> None:
        """Look at all events first: a client sends before the session tells."""
        for entry in entries:
            if text(entry.value.get("id")):
                self.told[content_of(entry.value)] += 1

    def read(self, entry: Entry, readers: Readers) -> None:
        value, name = entry.value, text(entry.value.get("id"))
        at = moment(value.get("processed_at"))
        self.times.append(at)
        self.first = self.first or value
        known = (name, digest(value))
        if name and known in self.seen:
            self.builder.fold(SENT_AGAIN, entry.pointer, self.seen[known])
            return
        place = Place(name or entry.pointer, (entry.number, inner(entry)), entry.pointer, at)
        content = "" if name else content_of(value)
        if content and self.told[content] > 0:
            self.told[content] -= 1
            self.builder.fold(AGAIN, entry.pointer)
            return
        kind = text(value.get("type"))
        reader = readers.get(kind)
        draft = None
        if reader is not None:
            draft = reader(self, value, place)
        elif kind.startswith(("session.", "span.")):
            self.note_thread(value)
            self.builder.record(place.pointer, Fate.CONTEXT, kind)
        else:
            self.builder.record(place.pointer, Fate.UNMAPPED, kind)
        self.seen[known] = draft

    def thread(self, value: Object) -> Turns:
        """The thread of an event: its own, or the first one's."""
        given = text(value.get("session_thread_id"))
        if not self.primary and given:
            self.primary = given
        thread = "" if given == self.primary else given
        if thread not in self.turns:
            agent = mapping(self.session.get("agent"))
            own = text(agent.get("name")) if not thread else ""
            role = self.names.get(given) or own or text(value.get("agent_name")) or AGENT
            caller = self.turns[""].actor() if thread and "" in self.turns else ""
            key = f"{role} {thread}" if thread else role
            turns = Turns(self.builder, role, given or text(self.session.get("id")))
            turns.program, turns.key, turns.caller = NAME, key, caller
            model = mapping(agent.get("model")).get("id") if not thread else ""
            turns.model = text(model)
            self.turns[thread] = turns
        return self.turns[thread]

    def note_thread(self, value: Object) -> None:
        """Some notes tell a thread's agent, and which is the first."""
        thread, agent = text(value.get("session_thread_id")), text(value.get("agent_name"))
        if thread and agent:
            self.names.setdefault(thread, agent)
            self.primary = self.primary or thread

    def finish(self) -> None:
        for turns in self.turns.values():
            turns.whole = self.whole
            turns.finish()


def inner(entry: Entry) -> int:
    """The place of an event among those that were sent together."""
    tail = entry.pointer.rpartition("/")[2]
    return int(tail) if tail.isdigit() and "/events/" in entry.pointer and len(tail) < 9 else 0


def content_of(value: Object) -> str:
    kept = {k: v for k, v in value.items() if k not in ("id", "processed_at") and v is not None}
    return digest(kept)


Readers = Mapping[str, Callable[[Threads, Object, Place], Draft | None]]
