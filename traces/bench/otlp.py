"""Spans over OTLP: from a request's body to steps that can be asked for.

Requests go through the whole web application in this process, one after the other, as protobuf
without compression, 512 spans each. Then what waits is assembled as a worker does. Processor
time is ours and that of the database's process that serves us.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from functools import cache
from io import BytesIO
from typing import Any

import psutil
from django.conf import settings
from django.contrib.auth.models import User
from django.core.wsgi import get_wsgi_application
from django.db import connection
from django.utils import timezone

from traces import keys
from traces.bench import database, memory, spans
from traces.bench.figures import Figure
from traces.bench.watch import Watch
from traces.formats import registry
from traces.models import Membership, Project, RawSpan, Role, Run, Step
from traces.otlp import assembling

SPANS, QUICK = 51_200, 10_240
# Milliseconds of processor time of a span, all in all; and of the door's share we aim at this.
MOST, DOOR = 0.25, 0.06
# Spans per second of a web worker's core; seconds of a request.
LEAST, SLOWEST = 10_000, 1.0
MIB = 2**20


class NotWritten(Exception):
    """A request was refused, or spans are missing: what was measured is not what was meant."""


def bench(*, quick: bool) -> Iterator[Figure]:
    count = QUICK if quick else SPANS
    for figure in measured(count, database.server()):
        yield replace(figure, of_full_size=not quick)


def measured(count: int, server: psutil.Process | None) -> Iterator[Figure]:
    # The process that serves us is measured: it must not be replaced by another, as it is after
    # a minute.
    connection.close_at = None
    project, key = sender()
    size = 0
    door, whole = Watch(server), Watch(server)
    batches: list[float] = []
    post_one(next(spans.bodies(1, name="warm")), key)
    before = resident()
    for body in spans.bodies(count):
        size += len(body)
        with door:
            batches.append(post_one(body, key))
    after = resident()
    stored = RawSpan.objects.filter(project=project).count()
    if stored != count + 1:
        raise NotWritten(f"{stored:,} spans are stored, not {count + 1:,}.")
    yield Figure("a span in protobuf", size / count, "bytes")
    yield from of_door(door, batches, count)
    yield Figure("door: memory before and after", before / MIB, "MiB")
    yield Figure("door: memory it took more", (after - before) / MIB, "MiB")
    if "otlp" not in registry.formats():
        return
    with whole:
        assembling.assemble(at=timezone.now() + timedelta(seconds=settings.TRACE_TIMEOUT_SECONDS))
    yield from of_assembly(door, whole, project, count)


def of_door(door: Watch, batches: list[float], count: int) -> Iterator[Figure]:
    yield Figure("door: web worker", 1000 * door.own / count, "CPU ms per span", most=DOOR)
    yield Figure("door: database server", 1000 * door.server / count, "CPU ms per span")
    yield Figure("door: per core of the web worker", count / door.own, "spans/s", least=LEAST)
    yield Figure("door: one at a time, by the clock", count / door.wall, "spans/s")
    yield Figure("door: half of the requests", statistics.median(batches), "s at most")
    slow = statistics.quantiles(batches, n=20)[-1]
    yield Figure("door: 95 in 100 requests", slow, "s at most", most=SLOWEST)


def of_assembly(door: Watch, rest: Watch, project: Project, count: int) -> Iterator[Figure]:
    left = RawSpan.objects.filter(project=project).count()
    runs = Run.objects.filter(project=project).count()
    if left or runs != -(-count // spans.TRACE) + 1:
        raise NotWritten(f"{left:,} spans are left, and there are {runs:,} runs.")
    steps = Step.objects.filter(run__project=project).count()
    yield Figure("steps of it", steps / count, "per span")
    yield Figure("assembly: worker", 1000 * rest.own / count, "CPU ms per span")
    yield Figure("assembly: database server", 1000 * rest.server / count, "CPU ms per span")
    yield Figure("assembly: memory at its peak", memory.peak() / MIB, "MiB")
    total = 1000 * (door.cpu + rest.cpu) / count
    yield Figure("body to step, all processes", total, "CPU ms per span", most=MOST)


def sender() -> tuple[Project, str]:
    """A project, and the text of a key that may send to it."""
    at = timezone.now()
    project = Project.objects.create(slug="bench-otlp", name="OTLP", created_at=at)
    user = User.objects.create(username="bench-otlp")
    Membership.objects.create(project=project, user=user, role=Role.LEAD)
    return project, keys.create(project=project, name="bench", scopes=["ingest"], by=user, at=at)[1]


def post_one(body: bytes, key: str) -> float:
    """Send one request through the application; the seconds that its answer took."""
    environ: dict[str, Any] = {
        "REQUEST_METHOD": "POST",
        "PATH_INFO": "/v1/traces",
        "SERVER_NAME": "127.0.0.1",
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "CONTENT_TYPE": "application/x-protobuf",
        "CONTENT_LENGTH": str(len(body)),
        "HTTP_HOST": "127.0.0.1",
        "HTTP_AUTHORIZATION": f"Bearer {key}",
        "wsgi.input": BytesIO(body),
        "wsgi.url_scheme": "http",
    }
    statuses: list[str] = []
    begun = time.perf_counter()
    answer = application()(environ, lambda status, headers: statuses.append(status))
    content = b"".join(answer)
    taken = time.perf_counter() - begun
    if statuses != ["200 OK"] or content:
        raise NotWritten(f"{statuses}: {content!r}")
    return taken


@cache
def application() -> Any:
    return get_wsgi_application()


def resident() -> int:
    """Bytes of memory that this process has now."""
    return int(psutil.Process().memory_info().rss)
