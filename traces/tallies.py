"""Counts over the rows of one run, made in the database: a run of any length costs a page the same.

Each function is one query. What is listed is bounded; what is counted is not.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models import F, Window
from django.db.models.functions import RowNumber

from traces.models import Gap, Run
from traces.ranges import Ranges, ranges

# Of each kind of gap, how many are told in their own words; of other lists, how many rows.
EXAMPLES = 5
MOST = 100


@dataclass(frozen=True, slots=True)
class GapTally:
    """The gaps of one kind: how many, at which steps, and of the run as a whole."""

    kind: str
    count: int
    of_run: int
    steps: Ranges


@dataclass(frozen=True, slots=True)
class CaptureTally:
    """How often a field of the run, its actors, steps or parts is in a capture state."""

    where: str
    field: str
    state: str
    count: int
    steps: Ranges


@dataclass(frozen=True, slots=True)
class Instance:
    """One execution of a role: what it was, and what it did in numbers.

    `of_role` is how many instances of its role the run has; `first` and `last` are None if it did
    nothing. `why` is why a field is empty, by its own word or else by the run's for all actors.
    """

    key: str
    role: str
    kind: str
    instance: str | None
    model: str | None
    configuration: str | None
    authority: list[str]
    parent: str | None
    replaces: str | None
    capture: dict[str, str]
    of_role: int
    steps: int
    first: int | None
    last: int | None
    why: dict[str, str]

    @property
    def may(self) -> str:
        """The authority set in words."""
        return ", ".join(self.authority)


@dataclass(frozen=True, slots=True)
class PayloadTally:
    sha256: str
    size: int
    media_type: str
    steps: Ranges


GAPS = """
    SELECT kind, count(*), count(*) - count(step), coalesce(array_agg(DISTINCT step)
        FILTER (WHERE step IS NOT NULL), '{}')
    FROM traces_gap WHERE run_id = %(run)s GROUP BY kind ORDER BY count(*) DESC, kind LIMIT %(most)s
"""


def gaps_by_kind(run: Run) -> tuple[GapTally, ...]:
    """Commonest kind first."""
    rows = _rows(GAPS, {"run": run.pk, "most": MOST})
    return tuple(GapTally(kind, n, of_run, ranges(steps)) for kind, n, of_run, steps in rows)


def gap_examples(run: Run) -> dict[str, list[Gap]]:
    """The first gaps of each kind, those of the run as a whole before those of its steps."""
    place = Window(
        RowNumber(), partition_by="kind", order_by=(F("step").asc(nulls_first=True), "pk")
    )
    found: dict[str, list[Gap]] = {}
    for gap in Gap.objects.filter(run=run).annotate(place=place).filter(place__lte=EXAMPLES):
        found.setdefault(gap.kind, []).append(gap)
    return {kind: sorted(gaps, key=_place) for kind, gaps in found.items()}


def _place(gap: Gap) -> tuple[int, int]:
    return (-1 if gap.step is None else gap.step, gap.pk)


CAPTURES = """
    SELECT * FROM (
        SELECT 'actors' AS place, field, state, count(*) AS count, '{}'::integer[] AS steps
        FROM traces_actor, jsonb_each_text(capture) AS why(field, state)
        WHERE run_id = %(run)s GROUP BY field, state
        UNION ALL
        SELECT 'steps', field, state, count(*), array_agg(number)
        FROM traces_step, jsonb_each_text(capture) AS why(field, state)
        WHERE run_id = %(run)s GROUP BY field, state
        UNION ALL
        SELECT 'parts', field, state, count(*), array_agg(DISTINCT step)
        FROM traces_part, jsonb_each_text(capture) AS why(field, state)
        WHERE run_id = %(run)s GROUP BY field, state
        UNION ALL
        SELECT 'all parts', '', '', count(*), '{}' FROM traces_part WHERE run_id = %(run)s
    ) AS found ORDER BY place <> 'all parts', count DESC, place, field, state LIMIT %(most)s
"""


def captures(run: Run) -> tuple[tuple[CaptureTally, ...], int]:
    """Fields of actors, steps and parts in each capture state, and how many parts there are."""
    (_, _, _, parts, _), *rows = _rows(CAPTURES, {"run": run.pk, "most": MOST + 1})
    found = (CaptureTally(*(*row[:-1], ranges(row[-1]))) for row in rows)
    return tuple(found), parts


INSTANCES = """
    SELECT key, role, kind, instance, model, configuration, authority, parent, replaces, capture,
        count(*) OVER same, coalesce(did.steps, 0), did.first, did.last
    FROM traces_actor LEFT JOIN (
        SELECT actor, count(*) AS steps, min(number) AS first, max(number) AS last
        FROM traces_step WHERE run_id = %(run)s GROUP BY actor
    ) AS did ON did.actor = key
    WHERE run_id = %(run)s WINDOW same AS (PARTITION BY role)
    ORDER BY min(position) OVER same, position LIMIT %(most)s
"""


def instances(run: Run) -> tuple[Instance, ...]:
    """The actors of a run by role, each role's instances in the order of the record."""
    rows = _rows(INSTANCES, {"run": run.pk, "most": MOST})
    for_all = states_below(run, "actors")
    return tuple(
        Instance(*(*row[:9], own, *row[10:], for_all | own))
        for row in rows
        for own in [as_mapping(row[9])]
    )


def states_below(run: Run, place: str) -> dict[str, str]:
    """What the run says of a field of all its actors or steps: its schema may have had none."""
    return {
        name.removeprefix(f"{place}/"): state
        for name, state in run.capture.items()
        if name.startswith(f"{place}/")
    }


def as_mapping(value: Any) -> dict[str, str]:
    """A JSON column as a raw cursor gives it: Django leaves its text to the field."""
    mapping: dict[str, str] = json.loads(value) if isinstance(value, str) else value
    return mapping


PAYLOADS = """
    SELECT payload.sha256, payload.size, payload.media_type, coalesce(used.steps, '{}')
    FROM traces_payloaduse AS use JOIN traces_payload AS payload ON payload.id = use.payload_id
    LEFT JOIN (
        SELECT reference->>'sha256' AS sha256, array_agg(DISTINCT step) AS steps
        FROM traces_part, jsonb_array_elements(jsonb_build_array(data->'payload') || CASE
            WHEN jsonb_typeof(data->'payloads') = 'array' THEN data->'payloads' ELSE '[]' END
        ) AS reference
        WHERE run_id = %(run)s AND data ?| array['payload', 'payloads'] GROUP BY 1
    ) AS used ON used.sha256 = payload.sha256
    WHERE use.run_id = %(run)s ORDER BY used.steps, payload.sha256 LIMIT %(most)s
"""


def payloads(run: Run) -> tuple[PayloadTally, ...]:
    """The payloads a run refers to, in the order in which its steps do."""
    rows = _rows(PAYLOADS, {"run": run.pk, "most": MOST})
    return tuple(PayloadTally(*(*row[:-1], ranges(row[-1]))) for row in rows)


def _rows(statement: str, values: dict[str, Any]) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        rows: list[Any] = cursor.fetchall()
        return rows
