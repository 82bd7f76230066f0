"""Outlines of runs: written with them, read with one look, made from the rows of older ones."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from uuid import UUID

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
    keys = [run.pk for run in without_theirs(runs)]
    rows = RunOutline.objects.filter(run__in=keys).values_list("run", "content")
    return of_contents(runs, dict(rows) if keys else {})


def without_theirs(runs: Sequence[Run]) -> list[Run]:
    """The runs that did not come with their outlines."""
    return [run for run in runs if _joined(run) is None]


def of_contents(
    runs: Sequence[Run], contents: Mapping[UUID, bytes | memoryview | None]
) -> list[Outline]:
    """The outlines of runs; `contents` has what is stored for those that came without theirs."""
    return [_outline(run, _joined(run) or contents.get(run.pk)) for run in runs]


def _joined(run: Run) -> bytes | memoryview | None:
    row = run._state.fields_cache.get("stored_outline")
    return None if row is None else row.content


def _outline(run: Run, content: bytes | memoryview | None) -> Outline:
    found = None if content is None else unpacked(bytes(content))
    return from_rows(run) if found is None else found


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
