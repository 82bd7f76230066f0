"""A transcript as rows, and rows into Postgres by COPY. The way back is in `traces.reading`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from django.db import connection, models

from traces import models as tables
from traces.fingerprint import plain
from traces.models import Project, RawDocument, Run
from traces.transcript import Transcript


def run_row(
    transcript: Transcript, *, project: Project, document: RawDocument, received_at: datetime
) -> Run:
    """The run's own row, not saved: its place, format and digest are still to be set."""
    return Run(
        project=project,
        document=document,
        external_id=transcript.external_id,
        source=transcript.source,
        schema=transcript.schema,
        outcome=transcript.outcome,
        task_id=transcript.task_id,
        task_text=transcript.task_text,
        system=dict(transcript.system),
        initial_state=dict(transcript.initial_state),
        reports=json.loads(json.dumps(transcript.reports, default=plain)),
        parent_run=transcript.parent_run,
        parent_relation=transcript.parent_relation,
        attempt=transcript.attempt,
        attempt_reason=transcript.attempt_reason,
        started_at=transcript.started_at,
        ended_at=transcript.ended_at,
        received_at=received_at,
        step_count=len(transcript.steps),
        actor_count=len(transcript.actors),
        gap_count=len(transcript.gaps),
        withheld=dict(transcript.withheld),
        capture=dict(transcript.capture),
    )


def copy_content(run: Run, transcript: Transcript) -> None:
    """Write everything below the run's row."""
    copy(tables.Actor, actor_rows(run, transcript))
    copy(tables.Step, step_rows(run, transcript))
    copy(tables.Part, part_rows(run, transcript))
    copy(tables.Link, link_rows(run, transcript))
    copy(tables.Gap, gap_rows(run, transcript))
    copy(tables.Failure, failure_rows(run, transcript))
    copy(tables.Opinion, opinion_rows(run, transcript))


def actor_rows(run: Run, transcript: Transcript) -> Iterator[tables.Actor]:
    for position, actor in enumerate(transcript.actors):
        yield tables.Actor(
            run=run,
            position=position,
            key=actor.key,
            role=actor.role,
            kind=actor.kind,
            instance=actor.instance,
            model=actor.model,
            configuration=actor.configuration,
            authority=list(actor.authority),
            parent=actor.parent,
            capture=dict(actor.capture),
        )


def step_rows(run: Run, transcript: Transcript) -> Iterator[tables.Step]:
    for step in transcript.steps:
        yield tables.Step(
            run=run,
            number=step.number,
            source_id=step.source_id,
            actor=step.actor,
            kind=step.kind,
            status=step.status,
            tool=step.tool or "",
            started_at=step.started_at,
            ended_at=step.ended_at,
            attempt=step.attempt,
            attempt_reason=step.attempt_reason or "",
            size=sum(len(part.text) for part in step.parts),
            pointer=step.pointer,
            capture=dict(step.capture),
        )


def part_rows(run: Run, transcript: Transcript) -> Iterator[tables.Part]:
    for step, position, part in transcript.citable():
        yield tables.Part(
            run=run,
            step=step.number,
            position=position,
            kind=part.kind,
            text=part.text,
            data=dict(part.data),
            capture=dict(part.capture),
        )


def link_rows(run: Run, transcript: Transcript) -> Iterator[tables.Link]:
    for link in transcript.links:
        yield tables.Link(
            run=run, source=link.source, target=link.target, kind=link.kind, rule=link.rule
        )


def gap_rows(run: Run, transcript: Transcript) -> Iterator[tables.Gap]:
    for gap in transcript.gaps:
        yield tables.Gap(run=run, step=gap.step, kind=gap.kind, detail=gap.detail)


def failure_rows(run: Run, transcript: Transcript) -> Iterator[tables.Failure]:
    for failure in transcript.failures:
        yield tables.Failure(
            run=run,
            key=failure.key,
            statement=failure.statement,
            expected=failure.expected,
            observed=failure.observed,
            check_name=failure.check,
            exposed_by=failure.exposed_by,
            consequence=failure.consequence,
        )


def opinion_rows(run: Run, transcript: Transcript) -> Iterator[tables.Opinion]:
    for opinion in transcript.opinions:
        yield tables.Opinion(
            run=run,
            source=opinion.source,
            native_step=opinion.native_step,
            base=opinion.base,
            step=opinion.step,
            actor=opinion.actor,
            reason=opinion.reason,
            data=dict(opinion.data),
        )


def copy(table: type[models.Model], rows: Iterable[models.Model]) -> None:
    """Insert rows by COPY: several times faster than INSERT, and as transactional."""
    columns = [
        field
        for field in table._meta.concrete_fields
        if field.column and not isinstance(field, models.AutoField)
    ]
    names = ", ".join(f'"{field.column}"' for field in columns)
    statement = f'COPY "{table._meta.db_table}" ({names}) FROM STDIN'
    with connection.cursor() as cursor, cursor.copy(statement) as target:
        for row in rows:
            target.write_row([stored(field, row) for field in columns])


def stored(field: models.Field[Any, Any], row: models.Model) -> object:
    return field.get_db_prep_save(getattr(row, field.attname), connection)
