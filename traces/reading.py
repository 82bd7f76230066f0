"""The record read back: rows into the frozen transcript that attributors and pages work on."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime
from typing import Any

from traces.models import Run
from traces.transcript import (
    Actor,
    ActorKind,
    Failure,
    Gap,
    Link,
    LinkKind,
    Opinion,
    Outcome,
    Part,
    PartKind,
    Report,
    Step,
    StepKind,
    StepStatus,
    Transcript,
)


def transcript_of(run: Run) -> Transcript:
    """The whole run in six queries. Neither opinions nor what is withheld are in it."""
    return Transcript(
        external_id=run.external_id,
        source=run.source,
        actors=actors_of(run),
        steps=steps_of(run),
        links=links_of(run),
        gaps=gaps_of(run),
        failures=failures_of(run),
        reports=tuple(map(report, run.reports)),
        outcome=Outcome(run.outcome),
        task_id=run.task_id,
        task_text=run.task_text,
        system=run.system,
        initial_state=run.initial_state,
        started_at=run.started_at,
        ended_at=run.ended_at,
        parent_run=run.parent_run,
        parent_relation=run.parent_relation,
        attempt=run.attempt,
        attempt_reason=run.attempt_reason,
        schema=run.schema,
        capture=run.capture,
    )


def actors_of(run: Run) -> tuple[Actor, ...]:
    return tuple(
        Actor(
            key=row.key,
            role=row.role,
            kind=ActorKind(row.kind),
            instance=row.instance,
            model=row.model,
            configuration=row.configuration,
            authority=tuple(row.authority),
            parent=row.parent,
            capture=row.capture,
        )
        for row in run.actors.order_by("position")
    )


def steps_of(run: Run) -> tuple[Step, ...]:
    """Structure and content, in two queries."""
    parts: defaultdict[int, list[Part]] = defaultdict(list)
    for row in run.parts.order_by("step", "position").iterator(chunk_size=5000):
        parts[row.step].append(Part(PartKind(row.kind), row.text, row.data, row.capture))
    return tuple(
        Step(
            number=row.number,
            source_id=row.source_id,
            actor=row.actor,
            kind=StepKind(row.kind),
            parts=tuple(parts[row.number]),
            status=StepStatus(row.status),
            tool=row.tool or None,
            started_at=row.started_at,
            ended_at=row.ended_at,
            attempt=row.attempt,
            attempt_reason=row.attempt_reason or None,
            pointer=row.pointer,
            capture=row.capture,
        )
        for row in run.steps.order_by("number").iterator(chunk_size=5000)
    )


def links_of(run: Run) -> tuple[Link, ...]:
    rows = run.links.order_by("target", "source", "kind").iterator(chunk_size=5000)
    return tuple(Link(row.source, row.target, LinkKind(row.kind), row.rule) for row in rows)


def gaps_of(run: Run) -> tuple[Gap, ...]:
    return tuple(Gap(row.kind, row.detail, row.step) for row in run.gaps.order_by("pk"))


def failures_of(run: Run) -> tuple[Failure, ...]:
    return tuple(
        Failure(
            key=row.key,
            statement=row.statement,
            expected=row.expected,
            observed=row.observed,
            check=row.check_name,
            exposed_by=row.exposed_by,
            consequence=row.consequence,
        )
        for row in run.failures.order_by("pk")
    )


def opinions_of(run: Run) -> tuple[Opinion, ...]:
    """Labels that came with the file. Whoever shows them must ask first whether the reader may."""
    return tuple(
        Opinion(
            source=row.source,
            native_step=row.native_step,
            base=row.base,
            step=row.step,
            actor=row.actor,
            reason=row.reason,
            data=row.data,
        )
        for row in run.opinions.order_by("pk")
    )


def report(stored: dict[str, Any]) -> Report:
    at = stored.get("at")
    return Report(**{**stored, "at": datetime.fromisoformat(at) if at else None})
