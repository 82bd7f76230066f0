"""The content of some steps of some runs: what a window of a page shows, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from itertools import groupby
from typing import Any
from uuid import UUID

from django.db import connection

from traces import models
from traces.reading import step_of
from traces.transcript import Part, PartKind, Step

type_of_steps = dict[tuple[UUID, int], Step]

# Steps with their parts. Joined, since arrays of long texts take several times as long, and in
# SQL, since parts have no foreign key to their steps.
STATEMENT = """
SELECT step.*, part.kind AS part_kind, part.text AS part_text, part.data AS part_data,
    part.capture AS part_capture
FROM unnest(%s::uuid[], %s::integer[]) AS wanted (run_id, number)
JOIN traces_step AS step USING (run_id, number)
LEFT JOIN traces_part AS part ON part.run_id = step.run_id AND part.step = step.number
ORDER BY step.run_id, step.number, part.position
"""
# The last number a step can have in the database, which refuses to look for greater ones.
LAST = 2**31 - 1
PART = ("part_kind", "part_text", "part_data", "part_capture")


def steps_of(wanted: Mapping[UUID, Collection[int]]) -> type_of_steps:
    """These steps by run and number, in one query however many runs they are of."""
    keys = [(run, n) for run, numbers in wanted.items() for n in set(numbers) if n <= LAST]
    if not keys:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(STATEMENT, [list(column) for column in zip(*keys, strict=True)])
        names = [column.name for column in cursor.description]
        rows = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    found = groupby(rows, key=lambda row: (row["run_id"], row["number"]))
    return {key: _step(list(of_step)) for key, of_step in found}


def _step(rows: list[dict[str, Any]]) -> Step:
    """A step from as many rows as it has parts; from one if it has none."""
    parts = [_part(row) for row in rows if row["part_kind"] is not None]
    fields = {name: value for name, value in rows[0].items() if name not in PART}
    return step_of(models.Step(**fields | {"capture": json.loads(fields["capture"])}), parts)


def _part(row: dict[str, Any]) -> Part:
    kind, text, data, capture = (row[name] for name in PART)
    return Part(PartKind(kind), text, json.loads(data), json.loads(capture))
