"""A run without a database: the frozen record that parsers write and attributors read.

Everything here is plain data. Steps are numbered from 0 in causal order, the way most traces
count; a number means the same step everywhere in Inquest. Text that a reviewer can cite is
always `Part.text`; a quote is a character range in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any

from traces.remarks import Failure, Gap, Opinion, RawRecord, Report, Suspicion
from traces.vocabulary import (
    OBSERVATIONS,
    ActorKind,
    Capture,
    Fate,
    LinkKind,
    Outcome,
    PartKind,
    StepKind,
    StepStatus,
)

__all__ = [
    "OBSERVATIONS",
    "Actor",
    "ActorKind",
    "Capture",
    "Failure",
    "Fate",
    "Gap",
    "Link",
    "LinkKind",
    "Opinion",
    "Outcome",
    "Part",
    "PartKind",
    "RawRecord",
    "Report",
    "Step",
    "StepKind",
    "StepStatus",
    "Suspicion",
    "Transcript",
]


@dataclass(frozen=True, slots=True)
class Part:
    """One typed piece of a step. `text` is what people read and cite; `data` its structure."""

    kind: PartKind
    text: str
    data: Mapping[str, Any] = field(default_factory=dict)
    capture: Mapping[str, str] = field(default_factory=dict)

    def is_observation(self, actor: Actor) -> bool:
        """Whether the part was seen rather than said: see the word list of the design."""
        return self.kind in OBSERVATIONS or (
            self.kind is PartKind.INPUT and actor.kind is ActorKind.ENVIRONMENT
        )


@dataclass(frozen=True, slots=True)
class Actor:
    """A logical role bound to one execution instance.

    `replaces` is the key of the instance of the same role that this one was started instead of.
    """

    key: str
    role: str
    kind: ActorKind
    instance: str | None = None
    model: str | None = None
    configuration: str | None = None
    authority: tuple[str, ...] = ()
    parent: str | None = None
    replaces: str | None = None
    capture: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Step:
    """One actor receives a defined input and produces an action that something consumes.

    `recorded_at` is when the recorder wrote the step down; `attempt_by` who ordered the attempt.
    `pointer` is the raw record the step was read from, `also_from` further ones it stands on.
    """

    number: int
    source_id: str
    actor: str
    kind: StepKind
    parts: tuple[Part, ...]
    status: StepStatus = StepStatus.NOT_CAPTURED
    tool: str | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None
    attempt: int | None = None
    attempt_reason: str | None = None
    attempt_by: str | None = None
    recorded_at: datetime | None = None
    pointer: str = ""
    also_from: tuple[str, ...] = ()
    capture: Mapping[str, str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        return "\n".join(part.text for part in self.parts)


@dataclass(frozen=True, slots=True)
class Link:
    """An edge from an earlier step to a later one. Inferred links name their rule."""

    source: int
    target: int
    kind: LinkKind
    rule: str = ""

    @property
    def recorded(self) -> bool:
        return not self.rule


@dataclass(frozen=True)
class Transcript:
    """A whole run. `withheld` holds ground truth and the like: attributors never receive it.

    `closed_at` is when the recorder closed the record: what was written later came late.
    `folded` counts by rule what the source said again, `unread` the fields that no step holds.
    """

    external_id: str
    source: str
    actors: tuple[Actor, ...]
    steps: tuple[Step, ...]
    links: tuple[Link, ...] = ()
    gaps: tuple[Gap, ...] = ()
    suspicions: tuple[Suspicion, ...] = ()
    failures: tuple[Failure, ...] = ()
    opinions: tuple[Opinion, ...] = ()
    reports: tuple[Report, ...] = ()
    outcome: Outcome = Outcome.UNKNOWN
    task_id: str = ""
    task_text: str = ""
    system: Mapping[str, Any] = field(default_factory=dict)
    initial_state: Mapping[str, Any] = field(default_factory=dict)
    started_at: datetime | None = None
    ended_at: datetime | None = None
    closed_at: datetime | None = None
    recorder: Mapping[str, Any] = field(default_factory=dict)
    parent_run: str = ""
    parent_relation: str = ""
    attempt: int | None = None
    attempt_reason: str = ""
    schema: str = ""
    withheld: Mapping[str, Any] = field(default_factory=dict)
    capture: Mapping[str, str] = field(default_factory=dict)
    records: tuple[RawRecord, ...] = ()
    folded: Mapping[str, int] = field(default_factory=dict)
    unread: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def actor_by_key(self) -> dict[str, Actor]:
        return {actor.key: actor for actor in self.actors}

    def actor_of(self, step: Step) -> Actor:
        return self.actor_by_key[step.actor]

    @cached_property
    def _by_kind(self) -> dict[PartKind, list[tuple[Step, Part]]]:
        found: dict[PartKind, list[tuple[Step, Part]]] = {}
        for step, _, part in self.citable():
            found.setdefault(part.kind, []).append((step, part))
        return found

    def parts_of(self, kind: PartKind) -> Sequence[tuple[Step, Part]]:
        """Every part of this kind in order, with its step."""
        return self._by_kind.get(kind, ())

    def steps_with(self, kind: PartKind) -> list[Step]:
        """Every step that has a part of this kind, in order."""
        return list({step.number: step for step, _ in self.parts_of(kind)}.values())

    def citable(self) -> Iterator[tuple[Step, int, Part]]:
        """Every part in order, with its step and its index in that step."""
        for step in self.steps:
            for index, part in enumerate(step.parts):
                yield step, index, part
