"""The record read back: rows into the frozen transcript that attributors and pages work on."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import OuterRef, Q, QuerySet
from django.db.models.functions import JSONObject

from traces import models
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
    Suspicion,
    Transcript,
)

# A label that no judgement stands behind, but a check that gives the same answer each time.
IS_CHECK = Q(data__contains={"check": True})


def transcript_of(run: Run) -> Transcript:
    """The whole run in four queries. Neither opinions nor what is withheld are in it."""
    return transcripts_of([run])[0]


def transcripts_of(runs: Sequence[Run]) -> list[Transcript]:
    """These runs, in this order, in four queries however many they are."""
    ids = [run.pk for run in runs]
    around, steps, links = _around(ids), _steps(ids), _links(ids)
    return [
        Transcript(
            external_id=run.external_id,
            source=run.source,
            actors=tuple(map(_actor, around[run.pk]["actor_rows"])),
            steps=tuple(steps[run.pk]),
            links=tuple(links[run.pk]),
            gaps=tuple(Gap(**row) for row in around[run.pk]["gap_rows"]),
            suspicions=tuple(Suspicion(**row) for row in run.suspicions),
            failures=tuple(map(_failure, around[run.pk]["failure_rows"])),
            reports=(*map(report, run.reports), *map(check, around[run.pk]["check_rows"])),
            outcome=Outcome(run.outcome),
            task_id=run.task_id,
            task_text=run.task_text,
            system=run.system,
            initial_state=run.initial_state,
            started_at=run.started_at,
            ended_at=run.ended_at,
            closed_at=run.closed_at,
            recorder=run.recorder,
            parent_run=run.parent_run,
            parent_relation=run.parent_relation,
            attempt=run.attempt,
            attempt_reason=run.attempt_reason,
            schema=run.schema,
            capture=run.capture,
        )
        for run in runs
    ]


@dataclass(frozen=True)
class Surroundings:
    """What a run's record says beside its steps: who is in it, what failed, who says so.

    `opinions` are only there if they were asked for: see `opinions_of`.
    """

    actors: tuple[Actor, ...]
    gaps: tuple[Gap, ...]
    failures: tuple[Failure, ...]
    reports: tuple[Report, ...]
    opinions: tuple[Opinion, ...] = ()


def surroundings_of(run: Run, *, opinions: bool = False) -> Surroundings:
    """In one query, however many steps the run has."""
    return surroundings_from(run, _around([run.pk], opinions=opinions)[run.pk])


def surroundings_from(run: Run, row: dict[str, Any]) -> Surroundings:
    """From a row of runs that has what `around` asks for."""
    return Surroundings(
        actors=tuple(map(_actor, row["actor_rows"])),
        gaps=tuple(Gap(**gap) for gap in row["gap_rows"]),
        failures=tuple(map(_failure, row["failure_rows"])),
        reports=(*map(report, run.reports), *map(check, row["check_rows"])),
        opinions=tuple(Opinion(**opinion) for opinion in row.get("opinion_rows", ())),
    )


def _around(ids: list[UUID], *, opinions: bool = False) -> dict[UUID, Any]:
    """Actors, gaps and failures of each run, which are few, in one query."""
    asked = around(opinions=opinions)
    return {row["pk"]: row for row in Run.objects.filter(pk__in=ids).values("pk", **asked)}


def around(*, opinions: bool = False) -> dict[str, Any]:
    """What a query of runs has to ask for to know their surroundings."""
    asked = {
        "actor_rows": _rows_of(
            models.Actor.objects.order_by("position"),
            "key", "role", "kind", "instance", "model", "configuration", "authority", "parent",
            "replaces", "capture",
        ),
        "gap_rows": _rows_of(models.Gap.objects.order_by("pk"), "kind", "detail", "step"),
        "failure_rows": _rows_of(
            models.Failure.objects.order_by("pk"),
            "key", "statement", "expected", "observed", "exposed_by", "consequence", "added_at",
            "origin", check="check_name", added_by="added_by__username",
        ),
        "check_rows": checks(),
    }  # fmt: skip
    if opinions:
        said = models.Opinion.objects.exclude(IS_CHECK).order_by("pk")
        names = ("source", "native_step", "base", "step", "actor", "reason", "data")
        asked["opinion_rows"] = _rows_of(said, *names)
    return asked


def checks() -> ArraySubquery:
    """What checks say of each run that came apart from it: see `check`."""
    found = models.Opinion.objects.filter(IS_CHECK).order_by("pk")
    return _rows_of(found, "source", "step", "reason", "data")


def _rows_of(rows: QuerySet[Any], *names: str, **renamed: str) -> ArraySubquery:
    fields = {name: name for name in names} | renamed
    return ArraySubquery(rows.filter(run=OuterRef("pk")).values(row=JSONObject(**fields)))


def _actor(row: dict[str, Any]) -> Actor:
    kind, authority = ActorKind(row["kind"]), tuple(row["authority"])
    return Actor(**row | {"kind": kind, "authority": authority})


def _failure(row: dict[str, Any]) -> Failure:
    """What the record shows says no more than that; what was added says by whom and when."""
    recorded = row["origin"] == models.Failure.Origin.RECORD
    at = row["added_at"]
    added = {
        "origin": "" if recorded else row["origin"],
        "added_by": row["added_by"] or "",
        "added_at": datetime.fromisoformat(at) if at else None,
    }
    return Failure(**row | added)


def _steps(ids: list[UUID]) -> dict[UUID, list[Step]]:
    """Structure and content, in two queries."""
    parts: defaultdict[tuple[UUID, int], list[Part]] = defaultdict(list)
    content = models.Part.objects.filter(run__in=ids).order_by("run", "step", "position")
    for row in content.iterator(chunk_size=5000):
        parts[row.run_id, row.step].append(part_of(row))
    steps: defaultdict[UUID, list[Step]] = defaultdict(list)
    structure = models.Step.objects.filter(run__in=ids).order_by("run", "number")
    for each in structure.iterator(chunk_size=5000):
        steps[each.run_id].append(step_of(each, parts[each.run_id, each.number]))
    return steps


def part_of(row: models.Part) -> Part:
    return Part(PartKind(row.kind), row.text, row.data, row.capture)


def step_of(row: models.Step, parts: list[Part]) -> Step:
    return Step(
        number=row.number,
        source_id=row.source_id,
        actor=row.actor,
        kind=StepKind(row.kind),
        parts=tuple(parts),
        status=StepStatus(row.status),
        tool=row.tool or None,
        started_at=row.started_at,
        ended_at=row.ended_at,
        attempt=row.attempt,
        attempt_reason=row.attempt_reason or None,
        attempt_by=row.attempt_by or None,
        recorded_at=row.recorded_at,
        pointer=row.pointer,
        also_from=tuple(row.also_from),
        capture=row.capture,
    )


def _links(ids: list[UUID]) -> dict[UUID, list[Link]]:
    links: defaultdict[UUID, list[Link]] = defaultdict(list)
    rows = models.Link.objects.filter(run__in=ids).order_by("run", "target", "source", "kind")
    for row in rows.iterator(chunk_size=5000):
        links[row.run_id].append(Link(row.source, row.target, LinkKind(row.kind), row.rule))
    return links


def opinions_of(run: Run) -> tuple[Opinion, ...]:
    """Judgements of other people. Whoever shows them must ask first whether the reader may."""
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
        for row in run.opinions.exclude(IS_CHECK).order_by("pk")
    )


def expected_answer_of(run: Run) -> str:
    """The right answer that came with the file, or "". It is a label: ask first, as above."""
    held = run.withheld.get("ground_truth")
    if held is None or isinstance(held, str):
        return held or ""
    return json.dumps(held, ensure_ascii=False)


def report(stored: dict[str, Any]) -> Report:
    at = stored.get("at")
    return Report(**{**stored, "at": datetime.fromisoformat(at) if at else None})


def check(row: dict[str, Any]) -> Report:
    """What a check says that came apart from the run, as the report that it is."""
    value = row["data"].get("value")
    said = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return Report(
        "checked" if value is None else said, row["source"], row["step"], None, row["reason"]
    )
