"""Outlines of runs: written with them, read with one look, made from the rows of older ones."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from django.db import transaction

from traces import models
from traces.models import Run, RunOutline
from traces.outline import Lane, Outline, Outlined, bits, outline, packed, seconds, unpacked, worst
from traces.transcript import ActorKind, PartKind, StepKind, StepStatus

# Runs that get theirs in one pass.
IN_ONE_PASS = 20


def outlines_of(runs: Sequence[Run]) -> list[Outline]:
    """The outlines of these runs in one query, or none if they came with theirs by
    `select_related("stored_outline")`; in four more for each that has none."""
    joined = (run._state.fields_cache.get("stored_outline") for run in runs)
    stored = {row.run_id: row.content for row in joined if row is not None}
    keys = [run.pk for run in runs if run.pk not in stored]
    if keys:
        rows = RunOutline.objects.filter(run__in=keys)
        stored |= {row.run_id: row.content for row in rows}
    found = [unpacked(bytes(stored[run.pk])) if run.pk in stored else None for run in runs]
    return [from_rows(run) if one is None else one for one, run in zip(found, runs, strict=True)]


def outline_of_run(run: Run) -> Outline:
    return outlines_of([run])[0]


def from_rows(run: Run) -> Outline:
    """The outline in four queries."""
    names = ("key", "role", "kind", "instance", "replaces")
    actors = models.Actor.objects.filter(run=run).order_by("position").values_list(*names)
    lanes = (
        Lane(key, role, ActorKind(kind), instance or "", replaces or "")
        for key, role, kind, instance, replaces in actors
    )
    links = models.Link.objects.filter(run=run).values_list("source", "target", "kind", "rule")
    return outline(lanes, _steps(run), links.iterator())


def _steps(run: Run) -> Iterable[Outlined]:
    kinds: defaultdict[int, list[str]] = defaultdict(list)
    verdicts: defaultdict[int, list[object]] = defaultdict(list)
    parts = models.Part.objects.filter(run=run).order_by("step", "position")
    for step, kind, verdict in parts.values_list("step", "kind", "data__verdict").iterator():
        kinds[step].append(kind)
        if kind == PartKind.VERIFICATION:
            verdicts[step].append(verdict)
    names = ("actor", "kind", "status", "tool", "attempt", "size", "started_at", "ended_at")
    rows = models.Step.objects.filter(run=run).order_by("number").values_list("number", *names)
    for number, actor, kind, status, tool, attempt, size, began, ended in rows.iterator():
        yield Outlined(
            actor=actor,
            kind=StepKind(kind),
            status=StepStatus(status),
            tool=tool,
            attempt=attempt or 0,
            parts=bits(kinds[number]),
            verdict=worst(verdicts[number]),
            size=size,
            began=seconds(began),
            ended=seconds(ended),
        )


def complete(*, at_most: int = IN_ONE_PASS) -> int:
    """Store outlines of runs that came before there were any; says of how many. Longest first."""
    lacking = Run.objects.filter(stored_outline=None).order_by("-step_count")[:at_most]
    done = 0
    for run in lacking:
        with transaction.atomic():
            # Nobody may read it anew between our look at its rows and our writing.
            if Run.objects.select_for_update().filter(pk=run.pk, revision=run.revision).exists():
                content = packed(from_rows(run))
                RunOutline.objects.get_or_create(run=run, defaults={"content": content})
                done += 1
    return done
