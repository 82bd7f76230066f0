"""A run's structure with little or none of its content: enough for questions about cause, however
long the run is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection

from traces import models
from traces.models import Run
from traces.transcript import (
    Actor,
    ActorKind,
    Link,
    LinkKind,
    Part,
    PartKind,
    Step,
    StepKind,
    StepStatus,
    Transcript,
)

ACTOR = ("key", "role", "instance", "model", "configuration", "parent", "replaces", "capture")
STEP = ("number", "source_id", "actor", "attempt", "pointer")


def structure_of(run: Run, *, content: Collection[PartKind] = ()) -> Transcript:
    """Actors, steps and links in three queries; of the steps' parts those of these kinds alone.

    Times and capture states of steps are not in it.
    """
    actors = models.Actor.objects.filter(run=run).order_by("position")
    links = models.Link.objects.filter(run=run).order_by("target", "source", "kind")
    return Transcript(
        external_id=run.external_id,
        source=run.source,
        actors=tuple(
            Actor(kind=ActorKind(row.pop("kind")), authority=tuple(row.pop("authority")), **row)
            for row in actors.values("kind", "authority", *ACTOR)
        ),
        steps=_steps(run, _parts(run, content) if content else {}),
        links=tuple(
            Link(source, target, LinkKind(kind), rule)
            for source, target, kind, rule in links.values_list("source", "target", "kind", "rule")
        ),
    )


def _parts(run: Run, kinds: Collection[PartKind]) -> dict[int, tuple[Part, ...]]:
    found: defaultdict[int, list[Part]] = defaultdict(list)
    rows = models.Part.objects.filter(run=run, kind__in=kinds).order_by("step", "position")
    for row in rows.iterator(chunk_size=5000):
        found[row.step].append(Part(PartKind(row.kind), row.text, row.data, row.capture))
    return {step: tuple(parts) for step, parts in found.items()}


def _steps(run: Run, parts: dict[int, tuple[Part, ...]]) -> tuple[Step, ...]:
    rows = models.Step.objects.filter(run=run).order_by("number")
    rows = rows.values(*STEP, "kind", "status", "attempt_reason", "attempt_by")
    return tuple(
        Step(
            kind=StepKind(row.pop("kind")),
            status=StepStatus(row.pop("status")),
            attempt_reason=row.pop("attempt_reason") or None,
            attempt_by=row.pop("attempt_by") or None,
            parts=parts.get(row["number"], ()),
            **row,
        )
        for row in rows
    )
