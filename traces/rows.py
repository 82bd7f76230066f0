"""Transcripts as rows, each of which begins with its run's key. The way back: `traces.reading`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from datetime import datetime
from operator import attrgetter
from typing import NamedTuple

from django.db import models

from traces import copying, trajectory
from traces import models as tables
from traces.fingerprint import plain
from traces.models import Project, RawDocument, Run
from traces.outline import outline_of, packed
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
    "also_from",
)
PART = ("kind", "text", "data", "capture")
LINK = ("source", "target", "kind", "rule")
GAP = ("step", "kind", "detail")
FAILURE = ("key", "statement", "expected", "observed", "exposed_by", "consequence")
RECORD = ("pointer", "fate", "label", "step")
OPINION = ("source", "native_step", "base", "step", "actor", "reason", "data")

Row = tuple[object, ...]


class Content(NamedTuple):
    """A run's row, and what is below it."""

    run: Run
    transcript: Transcript


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
        folded=dict(transcript.folded),
        unread=dict(transcript.unread),
    )


def copy_contents(contents: Sequence[Content]) -> None:
    """Write everything below these runs' rows."""
    copy_below(contents)
    _copy(tables.Failure, contents, ("origin", "check_name", *FAILURE), failure_rows)


def copy_below(contents: Sequence[Content]) -> None:
    """Write everything below these runs' rows but failures, which other rows may hang on."""
    _copy(tables.Actor, contents, ("position", *ACTOR), actor_rows)
    _copy(tables.Step, contents, ("tool", "attempt_reason", "attempt_by", "size", *STEP), step_rows)
    _copy(tables.Part, contents, ("step", "position", *PART), part_rows)
    _copy(tables.Link, contents, LINK, link_rows)
    _copy(tables.Gap, contents, GAP, gap_rows)
    _copy(tables.Opinion, contents, OPINION, opinion_rows)
    _copy(tables.RawRecord, contents, ("position", *RECORD), record_rows)
    _copy(tables.RunOutline, contents, ("content",), outline_rows)


def _copy(
    table: type[models.Model],
    contents: Sequence[Content],
    columns: tuple[str, ...],
    rows: Callable[[str, Transcript], Iterable[Row]],
) -> None:
    below = (row for run, transcript in contents for row in rows(str(run.pk), transcript))
    copying.copy(table, ("run_id", *columns), below)


def actor_rows(run: str, transcript: Transcript) -> Iterable[Row]:
    values = attrgetter(*ACTOR)
    return ((run, position, *values(actor)) for position, actor in enumerate(transcript.actors))


def step_rows(run: str, transcript: Transcript) -> Iterable[Row]:
    values = attrgetter(*STEP)
    return (
        (
            run,
            step.tool or "",
            step.attempt_reason or "",
            step.attempt_by or "",
            size(step),
            *values(step),
        )
        for step in transcript.steps
    )


def size(step: Step) -> int:
    return sum([len(part.text) for part in step.parts])


def part_rows(run: str, transcript: Transcript) -> Iterable[Row]:
    values = attrgetter(*PART)
    return (
        (run, step.number, position, *values(part))
        for step in transcript.steps
        for position, part in enumerate(step.parts)
    )


def link_rows(run: str, transcript: Transcript) -> Iterable[Row]:
    values = attrgetter(*LINK)
    return ((run, *values(link)) for link in transcript.links)


def gap_rows(run: str, transcript: Transcript) -> Iterable[Row]:
    values = attrgetter(*GAP)
    return ((run, *values(gap)) for gap in transcript.gaps)


def failure_rows(run: str, transcript: Transcript) -> Iterable[Row]:
    values = attrgetter("check", *FAILURE)
    origin = tables.Failure.Origin.RECORD.value
    return ((run, origin, *values(failure)) for failure in transcript.failures)


def opinion_rows(run: str, transcript: Transcript) -> Iterable[Row]:
    values = attrgetter(*OPINION)
    return ((run, *values(opinion)) for opinion in transcript.opinions)


def record_rows(run: str, transcript: Transcript) -> Iterable[Row]:
    values = attrgetter(*RECORD)
    return ((run, position, *values(each)) for position, each in enumerate(transcript.records))


def outline_rows(run: str, transcript: Transcript) -> Iterable[Row]:
    yield run, packed(outline_of(transcript))
