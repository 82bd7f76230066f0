"""Steps per second through the one door, and how that compares with what Postgres allows.

Runs come one a file, as recorders send them, or fifty lines a file, as exports do. Every second
one failed, so that cases are opened and analyses queued for it. Processor time is ours and that
of the database's process that serves us: a ratio of two is one per core, and what else the machine
does disturbs it little.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import psutil
from django.utils import timezone

from traces import ingest
from traces.bench import database, documents, limit
from traces.bench.figures import Figure
from traces.bench.watch import Watch
from traces.formats import intake
from traces.models import Project, Receipt

# Runs, steps of each, and runs in a file.
SHAPES = ((1_000, 50, 1), (1_000, 50, 50), (10, 10_000, 1))
QUICK = ((50, 50, 1), (50, 50, 50), (1, 10_000, 1))
# A fifth of the bare COPY is what the design asks for.
PART_OF_LIMIT = 0.2
PER_CORE = "steps per CPU second"


class NotWritten(Exception):
    """A run was refused: what was measured is not what was meant."""


def bench(*, quick: bool) -> Iterator[Figure]:
    server = database.server()
    for shape in QUICK if quick else SHAPES:
        for figure in of_shape(*shape, server):
            yield replace(figure, of_full_size=not quick)


def of_shape(
    runs: int, steps: int, together: int, server: psutil.Process | None
) -> Iterator[Figure]:
    """Figures of so many runs of so many steps, so many in a file."""
    name, total = f"{runs:,} x {steps:,}", runs * steps
    name += f", {together} a file" if together > 1 else ""
    slug = f"bench-{steps}-{together}"
    project = Project.objects.create(slug=slug, name=name, created_at=timezone.now())
    parse, receive, whole = Watch(server), Watch(server), Watch(server)
    for first in range(0, runs, together):
        content = file_of(range(first, first + together), steps=steps)
        with parse:
            intake.take(content, limits=ingest.limits())
        with whole:
            with receive:
                receipt = received(project, content)
            receipt = ingest.read(receipt_id=receipt.pk, at=timezone.now())
        if len(receipt.made) != together:
            raise NotWritten(receipt.reason)
    bare = limit.bare_copy(project, server)
    yield Figure(f"{name}: only parsed", total / parse.cpu, PER_CORE)
    yield Figure(f"{name}: only written", total / (whole.cpu - parse.cpu), PER_CORE)
    yield Figure(f"{name}: storing the bytes", receive.cpu / whole.cpu, "of the CPU time")
    yield Figure(f"{name}: the database server", whole.server / whole.cpu, "of the CPU time")
    yield Figure(f"{name}: whole, by the clock", total / whole.wall, "steps per second")
    yield Figure(f"{name}: bare COPY, by the clock", total / bare.wall, "steps per second")
    yield Figure(f"{name}: by the clock", bare.wall / whole.wall, "of the bare COPY")
    yield Figure(f"{name}: whole", total / whole.cpu, PER_CORE)
    yield Figure(f"{name}: bare COPY", total / bare.cpu, PER_CORE)
    yield Figure(f"{name}: per core", bare.cpu / whole.cpu, "of the bare COPY", least=PART_OF_LIMIT)


def file_of(numbers: range, *, steps: int) -> bytes:
    """These runs, one a line."""
    return b"\n".join(
        documents.content(f"{steps} {number}", steps=steps, failed=number % 2 == 1)
        for number in numbers
    )


def received(project: Project, content: bytes) -> Receipt:
    return ingest.receive(
        project=project,
        content=content,
        filename="bench.json",
        via=Receipt.Via.COMMAND,
        by=None,
        at=timezone.now(),
    )
