"""What identifies a run, as facts in a fixed order. A fact that is missing says why.

Plain Python over a run's row: nothing is read from the database.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from traces.models import Run

# Of a structure that came with the file, how many lines are shown.
MOST = 60
# What the native format calls a field of a run that has another name here.
PATHS = {"task_id": ("task/id", "task"), "attempt_reason": ("attempt/reason", "attempt")}


@dataclass(frozen=True, slots=True)
class Fact:
    """A label and a value. Without a value, `state` is its capture state, or "" if none is told."""

    label: str
    value: Any = None
    state: str = ""

    @property
    def missing(self) -> bool:
        return self.value in (None, "", (), [], {})

    @property
    def moment(self) -> bool:
        return isinstance(self.value, datetime)


def states_within(run: Run) -> Iterator[Fact]:
    """What a run's structures say of their own fields that are empty."""
    for label, held in _structures(run):
        yield from (fact for fact in _flat(label, held) if fact.state)


def facts_of(run: Run) -> tuple[Fact, ...]:
    """Who this run is, by every name the record has for it."""
    named = (
        ("External id", "external_id", run.external_id),
        ("Source", "source", run.source),
        ("Format", "format", run.format),
        ("Recognised by", "rule", run.rule),
        ("Schema", "schema", run.schema),
        ("Place in the document", "pointer", run.pointer or "the whole of it"),
        ("Task", "task_id", run.task_id),
        ("Attempt", "attempt", run.attempt),
        ("Reason for the attempt", "attempt_reason", run.attempt_reason),
        ("Started", "started_at", run.started_at),
        ("Ended", "ended_at", run.ended_at),
        ("Record closed", "closed_at", run.closed_at),
        ("Received", "received_at", run.received_at),
    )
    plain = (Fact(label, value, _state_of(run, name)) for label, name, value in named)
    return (*plain, *(fact for each in _structures(run) for fact in _structure(run, *each)))


def _state_of(run: Run, name: str) -> str:
    """What the run says of a field, by its own name or by the path of the native format."""
    names = (name, *PATHS.get(name, ()))
    return next((run.capture[each] for each in names if each in run.capture), "")


def _structures(run: Run) -> tuple[tuple[str, Mapping[str, Any]], ...]:
    return (
        ("Recorder", run.recorder),
        ("System", run.system),
        ("Initial state", run.initial_state),
    )


def _structure(run: Run, label: str, held: Mapping[str, Any]) -> Iterator[Fact]:
    lines = [fact for fact in _flat(label, held) if fact.state or not fact.missing]
    name = label.lower().replace(" ", "_")
    yield from lines[:MOST] or [Fact(label, None, run.capture.get(name, ""))]
    if len(lines) > MOST:
        yield Fact(label, f"and {len(lines) - MOST} more lines: see the raw document")


def _flat(label: str, held: Mapping[str, Any]) -> Iterator[Fact]:
    """A structure as one line per leaf; what it says of its own gaps becomes their state."""
    for key, value in held.items():
        if key == "capture" and isinstance(value, Mapping):
            yield from (
                Fact(f"{label} {field}", None, str(state)) for field, state in value.items()
            )
        elif isinstance(value, Mapping):
            yield from _flat(f"{label} {key}", value)
        else:
            yield Fact(f"{label} {key}", value)
