"""The events of CrewAI's bus, in the order they were emitted, and what each is part of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from traces.formats.base import Json
from traces.formats.records import loose
from traces.formats.records.loose import Object
from traces.formats.records.times import moment
from traces.formats.steps.ordering import seconds

# Beyond any sequence: what has none comes last.
LAST = 2**62
EXECUTIONS = frozenset({"agent_execution_started", "lite_agent_execution_started"})
TOOL = frozenset({"tool_usage_started"})
KICKOFFS = frozenset({"crew_kickoff_started"})


@dataclass(frozen=True, slots=True)
class Event:
    """One event with its place in the file."""

    pointer: str
    value: Object
    id: str
    type: str
    at: datetime | None

    @property
    def order(self) -> tuple[Any, ...]:
        sequence = loose.number(self.value.get("emission_sequence"))
        return (LAST if sequence is None else sequence, seconds(self.at), self.id)

    def named(self, key: str) -> str:
        return loose.name(self.value.get(key))


def is_event(value: Json) -> bool:
    return (
        isinstance(value, Mapping)
        and isinstance(value.get("event_id"), str)
        and isinstance(value.get("type"), str)
        and ("previous_event_id" in value or "emission_sequence" in value)
    )


def event(pointer: str, value: Object) -> Event:
    at = moment(value.get("timestamp"))
    return Event(pointer, value, loose.text(value["event_id"]), loose.text(value["type"]), at)


@dataclass(slots=True)
class Tree:
    """Which event is inside which. Ends are inside what their starts are inside."""

    by_id: dict[str, Event]
    found: dict[tuple[str, frozenset[str]], str] = field(default_factory=dict)

    def up(self, one: Event) -> str:
        """What an event is inside: its start if it is an end, else its parent."""
        return one.named("started_event_id") or one.named("parent_event_id")

    def nearest(self, one: Event, types: frozenset[str]) -> Event | None:
        """The event itself or the nearest above it that is of one of these types."""
        path: list[str] = []
        at, answer = one.id, ""
        while at in self.by_id and (at, types) not in self.found:
            self.found[at, types] = ""
            path.append(at)
            if self.by_id[at].type in types:
                answer = at
                break
            at = self.up(self.by_id[at])
        answer = answer or self.found.get((at, types), "")
        self.found.update(dict.fromkeys(((each, types) for each in path), answer))
        return self.by_id.get(answer)

    def above(self, one: Event, types: frozenset[str]) -> Event | None:
        """The nearest of these types that the event is inside, not itself."""
        outer = self.by_id.get(self.up(one))
        return self.nearest(outer, types) if outer and outer.id != one.id else None


def crews(events: list[Event]) -> Iterator[list[Event]]:
    """The events of each kickoff that is inside no other; what is in none goes with the first."""
    tree = Tree({each.id: each for each in events})
    outermost: dict[str, str] = {}
    groups: dict[str, list[Event]] = {}
    for each in events:
        kickoff = tree.nearest(each, KICKOFFS)
        while kickoff and (outer := tree.above(kickoff, KICKOFFS)) and outer.id not in outermost:
            outermost[kickoff.id] = outer.id
            kickoff = outer
        key = kickoff.id if kickoff else ""
        groups.setdefault(outermost.get(key, key), []).append(each)
    alone = groups.pop("", [])
    if not groups:
        yield alone
        return
    first = next(iter(groups))
    groups[first] = sorted([*alone, *groups[first]], key=lambda each: each.order)
    yield from groups.values()
