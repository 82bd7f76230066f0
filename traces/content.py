"""The content of some steps of some runs: what a window of a page shows, and nothing else."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from uuid import UUID

from django.db.models import Q

from traces import models
from traces.reading import part_of, step_of
from traces.transcript import Part, Step

type_of_steps = dict[tuple[UUID, int], Step]


def steps_of(wanted: Mapping[UUID, Collection[int]]) -> type_of_steps:
    """These steps by run and number, in two queries however many runs they are of."""
    wanted = {run: numbers for run, numbers in wanted.items() if numbers}
    if not wanted:
        return {}
    parts: defaultdict[tuple[UUID, int], list[Part]] = defaultdict(list)
    of_these = _any(wanted, "step__in")
    for row in models.Part.objects.filter(of_these).order_by("run", "step", "position"):
        parts[row.run_id, row.step].append(part_of(row))
    rows = models.Step.objects.filter(_any(wanted, "number__in"))
    return {
        (row.run_id, row.number): step_of(row, parts.get((row.run_id, row.number), []))
        for row in rows
    }


def _any(wanted: Mapping[UUID, Collection[int]], field: str) -> Q:
    found = Q()
    for run, numbers in wanted.items():
        found |= Q(run=run, **{field: sorted(numbers)})
    return found
