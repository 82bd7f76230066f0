"""What is lost when web server and worker are killed right after the last span was accepted.

Both are real processes on loopback, on the database of the measurement. They are killed with
SIGKILL, started again, and asked for every span that was sent.
"""

from __future__ import annotations

import http.client
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import psutil
from celery import current_app
from django.conf import settings
from django.db import connection
from django.db.models import Sum

from traces import raw
from traces.bench import otlp, spans
from traces.bench.figures import Figure
from traces.models import OpenTrace, RawDocument, Run
from traces.otlp import claiming, plain_json

SPANS, QUICK = 50_000, 5_000
# Seconds. What a dead worker had taken is free after its lease.
PATIENCE = claiming.LEASE.total_seconds() + 600
STARTED = 60
# Requests after which the web worker is warm.
FIRST = 3
# A queue of its own: other workers on the same broker look into another database.
WORKER = """
import sys
from config.celery import app
app.conf.task_default_queue = sys.argv[1]
app.worker_main(["worker", "--loglevel=WARNING", "--concurrency=1", "--beat", "--without-gossip",
    "--without-mingle", f"--schedule={sys.argv[2]}", f"--queues={sys.argv[1]}"])
"""
MIB = 2**20


class Failed(Exception):
    """The processes did not start or did not finish: nothing was measured."""


class Place(NamedTuple):
    """What the processes of one measurement have in common."""

    folder: Path
    port: int
    queue: str
    environment: Mapping[str, str]


class Pair(NamedTuple):
    web: subprocess.Popen[bytes]
    worker: subprocess.Popen[bytes]


def bench(*, quick: bool) -> Iterator[Figure]:
    count = QUICK if quick else SPANS
    _, key = otlp.sender()
    with place() as where:
        with running(where) as pair:
            begun = time.perf_counter()
            memory = sent(where, key, count, pair)
            taken = time.perf_counter() - begun
            # Leaving the block kills both: the last answer has just come.
        waiting = waiting_spans()
        with running(where):
            assembled()
    found = kept()
    yield Figure("spans accepted, by the clock", count / taken, "spans/s")
    yield Figure("web worker: memory after the first requests", memory[0] / MIB, "MiB")
    yield Figure("web worker: memory after the last", memory[1] / MIB, "MiB")
    yield Figure("spans that waited when both were killed", waiting, "spans")
    yield Figure("lost", count - len(found), "spans", most=0)
    yield Figure("doubled", sum(found.values()) - len(found), "spans", most=0)
    traces = -(-count // spans.TRACE)
    runs = Run.objects.values("external_id").distinct().count()
    yield Figure("traces without a run", traces - runs, "traces", most=0)
    yield Figure("runs that are doubled", Run.objects.count() - runs, "runs", most=0)


@contextmanager
def place() -> Iterator[Place]:
    queue = f"inquest-bench-{os.getpid()}"
    environment = {
        **os.environ,
        "DATABASE_URL": database_url(),
        "INQUEST_SECRET_KEY": settings.SECRET_KEY,
        "INQUEST_TRACE_QUIET_SECONDS": "1",
    }
    with tempfile.TemporaryDirectory(prefix="inquest-bench-") as folder:
        yield Place(Path(folder), free_port(), queue, environment)
    with current_app.connection_for_read(settings.CELERY_BROKER_URL) as broker:
        channel: Any = broker.default_channel
        channel.queue_delete(queue)


def database_url() -> str:
    keys = connection.settings_dict
    user, password = quote(keys["USER"] or "", safe=""), quote(keys["PASSWORD"] or "", safe="")
    host = quote(keys["HOST"] or "", safe="")
    return f"postgres://{user}:{password}@{host}:{keys['PORT'] or 5432}/{keys['NAME']}"


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


@contextmanager
def running(where: Place) -> Iterator[Pair]:
    """Web server and worker, each with what it starts in a group that is killed at the end."""
    address = f"--bind=127.0.0.1:{where.port}"
    web = ["-m", "gunicorn", "config.wsgi", address, "--worker-class=gthread", "--threads=4"]
    worker = ["-c", WORKER, where.queue, str(where.folder / "beat")]
    # The web server's messages would go to everybody's queue; beat finds what is due.
    quiet = {**where.environment, "CELERY_BROKER_URL": "memory://localhost/"}
    pair = Pair(started([*web, "--no-control-socket"], quiet), started(worker, where.environment))
    try:
        answers(where.port)
        yield pair
    finally:
        for process in pair:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def started(arguments: list[str], environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603 - our own programs
        [sys.executable, *arguments],
        cwd=settings.BASE_DIR,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def answers(port: int) -> None:
    """Wait until the web server answers."""
    until = time.monotonic() + STARTED
    while time.monotonic() < until:
        try:
            status, _ = post(http.client.HTTPConnection("127.0.0.1", port, timeout=5), b"", "")
        except OSError:
            time.sleep(0.1)
            continue
        if status == 401:
            return
    raise Failed("The web server did not start.")


def post(client: http.client.HTTPConnection, body: bytes, key: str) -> tuple[int, bytes]:
    headers = {"Content-Type": "application/x-protobuf", "Authorization": f"Bearer {key}"}
    client.request("POST", "/v1/traces", body, headers)
    answer = client.getresponse()
    return answer.status, answer.read()


def sent(where: Place, key: str, count: int, pair: Pair) -> tuple[int, int]:
    """Send all spans, each request until it is accepted; the web worker's memory at both ends."""
    client = http.client.HTTPConnection("127.0.0.1", where.port, timeout=60)
    memory: list[int] = []
    for body in spans.bodies(count):
        while True:
            status, content = post(client, body, key)
            if status == 200 and not content:
                break
            if status not in (429, 503):
                raise Failed(f"{status}: {content!r}")
            time.sleep(1)
        if len(memory) < FIRST:
            memory.append(resident(pair.web))
    return memory[-1], resident(pair.web)


def resident(process: subprocess.Popen[bytes]) -> int:
    """Memory of the server's worker, the largest process of it."""
    everyone = psutil.Process(process.pid).children(recursive=True)
    return max(each.memory_info().rss for each in everyone)


def waiting_spans() -> int:
    return OpenTrace.objects.aggregate(all=Sum("waiting"))["all"] or 0


def assembled() -> None:
    """Wait until nothing waits."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        if not waiting_spans():
            return
        time.sleep(1)
    raise Failed(f"{waiting_spans():,} spans still wait.")


def kept() -> Counter[bytes]:
    """How often each span is in a document that a run or a trace was made of."""
    found: Counter[bytes] = Counter()
    for key in RawDocument.objects.order_by("pk").values_list("pk", flat=True):
        batch = plain_json.batch_of(raw.content(key), "span")
        found.update(item.trace_id + item.span_id for item in batch.items)
    return found
