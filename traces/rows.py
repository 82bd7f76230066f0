"""A transcript as rows, and rows into Postgres by COPY. The way back is in `traces.reading`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from datetime import datetime
from enum import Enum
from itertools import chain
from operator import attrgetter

from django.db import connection, models

from traces import models as tables
from traces import trajectory
from traces.compact import compact
from traces.fingerprint import plain
from traces.models import Project, RawDocument, Run
from traces.transcript import Step, Transcript

# Columns that are called as in the transcript. What is called or made otherwise stands below.
ACTOR = (
    "key",
    "role",
    "kind",
    "instance",
    "model",
    "configuration",
    "authority",
    "parent",
    "replaces",
    "capture",
)
STEP = (
    "number",
    "source_id",
    "actor",
    "kind",
    "status",
    "started_at",
    "ended_at",
    "attempt",
    "recorded_at",
    "pointer",
    "capture",
)
PART = ("kind", "text", "data", "capture")
LINK = ("source", "target", "kind", "rule")
GAP = ("step", "kind", "detail")
FAILURE = ("key", "statement", "expected", "observed", "exposed_by", "consequence")
OPINION = ("source", "native_step", "base", "step", "actor", "reason", "data")

Row = tuple[object, ...]

# What psycopg writes as it is: nothing has to be asked of such a value.
AS_IS = frozenset({str, int, datetime, type(None)})


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
        closed_at=transcript.closed_at,
        recorder=dict(transcript.recorder),
        received_at=received_at,
        step_count=len(transcript.steps),
        actor_count=len(transcript.actors),
        gap_count=len(transcript.gaps),
        tool_call_count=trajectory.tool_calls(transcript),
        retry_count=trajectory.retries(transcript),
        suspicions=[asdict(suspicion) for suspicion in transcript.suspicions],
        withheld=dict(transcript.withheld),
        capture=dict(transcript.capture),
    )


def copy_content(run: Run, transcript: Transcript) -> None:
    """Write everything below the run's row."""
    copy(run, tables.Actor, ("position", *ACTOR), actor_rows(transcript))
    copy(
        run,
        tables.Step,
        ("tool", "attempt_reason", "attempt_by", "size", *STEP),
        step_rows(transcript),
    )
    copy(run, tables.Part, ("step", "position", *PART), part_rows(transcript))
    copy(run, tables.Link, LINK, map(attrgetter(*LINK), transcript.links))
    copy(run, tables.Gap, GAP, map(attrgetter(*GAP), transcript.gaps))
    copy(
        run,
        tables.Failure,
        ("origin", "check_name", *FAILURE),
        failure_rows(transcript),
    )
    copy(run, tables.Opinion, OPINION, map(attrgetter(*OPINION), transcript.opinions))


def actor_rows(transcript: Transcript) -> Iterable[Row]:
    values = attrgetter(*ACTOR)
    return ((position, *values(actor)) for position, actor in enumerate(transcript.actors))


def step_rows(transcript: Transcript) -> Iterable[Row]:
    values = attrgetter(*STEP)
    return (
        (
            step.tool or "",
            step.attempt_reason or "",
            step.attempt_by or "",
            size(step),
            *values(step),
        )
        for step in transcript.steps
    )


def size(step: Step) -> int:
    return sum(len(part.text) for part in step.parts)


def part_rows(transcript: Transcript) -> Iterable[Row]:
    values = attrgetter(*PART)
    return ((step.number, position, *values(part)) for step, position, part in transcript.citable())


def failure_rows(transcript: Transcript) -> Iterable[Row]:
    values = attrgetter("check", *FAILURE)
    origin = tables.Failure.Origin.RECORD.value
    return ((origin, *values(failure)) for failure in transcript.failures)


def copy(
    run: Run, table: type[models.Model], columns: tuple[str, ...], rows: Iterable[Row]
) -> None:
    """Insert rows of one run by COPY: several times faster than INSERT, and as transactional."""
    waiting = iter(rows)
    first = next(waiting, None)
    if first is None:
        return
    names = ", ".join(f'"{column}"' for column in ("run_id", *columns))
    statement = f'COPY "{table._meta.db_table}" ({names}) FROM STDIN'
    key = str(run.pk)
    # COPY goes past Django, and so do its errors, unless they are caught here.
    with (
        connection.wrap_database_errors,
        connection.cursor() as cursor,
        cursor.copy(statement) as target,
    ):
        write = target.write_row
        for row in chain((first,), waiting):
            # Most values go as they are: asking here saves a call for each of them.
            write((key, *[value if type(value) in AS_IS else stored(value) for value in row]))


def stored(value: object) -> object:
    """A value of the transcript as psycopg writes it into COPY: JSON as its text."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return compact(value) if value else "{}"
    return list(value) if isinstance(value, tuple) else value
