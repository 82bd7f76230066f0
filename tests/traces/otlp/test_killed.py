"""kill -9 at any moment, and several at once: nothing is lost and nothing is doubled."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from threading import Barrier
from urllib.parse import quote

import pytest
from django.db import connection
from django.utils import timezone

from tests.factories import make_project
from tests.traces.otlp.spans import request_of
from traces.models import OpenTrace, Project, RawDocument, RawSpan, Receipt, Run
from traces.otlp import assembling, claiming, protobuf, storing

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]
HERE = Path(__file__).parents[3]
TRACES, SPANS = 60, 10
# Assembles again and again, as if each time the leases of the dead had run out.
WORKER = """
import sys
from datetime import timedelta
import django
django.setup()
from django.utils import timezone
from traces.formats import registry
from traces.otlp import assembling, claiming
registry.formats()
print("ready", flush=True)
for turn in range(1, 10_000):
    assembling.assemble(at=timezone.now() + timedelta(hours=1) + turn * 2 * claiming.LEASE)
"""


def store(project: Project, *numbers: int) -> None:
    for number in numbers:
        names = ["root", *["chat"] * (SPANS - 1)]
        request = request_of(*names, trace_id=trace_id(number))
        batch = protobuf.batch_of(request, "span")
        storing.store(project=project, batch=batch, at=timezone.now())


def trace_id(number: int) -> bytes:
    return (number + 1).to_bytes(16)[::-1]


def environment() -> dict[str, str]:
    keys = connection.settings_dict
    user, password = quote(keys["USER"] or "", safe=""), quote(keys["PASSWORD"] or "", safe="")
    host = quote(keys["HOST"] or "", safe="")
    url = f"postgres://{user}:{password}@{host}:{keys['PORT'] or 5432}/{keys['NAME']}"
    return {**os.environ, "DATABASE_URL": url, "DJANGO_SETTINGS_MODULE": "config.settings"}


def killed_after(seconds: float) -> None:
    worker = subprocess.Popen(
        [sys.executable, "-c", WORKER],
        cwd=HERE,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert worker.stdout is not None
    said = worker.stdout.readline()
    assert said == b"ready\n", worker.stderr and worker.stderr.read()
    time.sleep(seconds)
    worker.send_signal(signal.SIGKILL)
    worker.wait()
    worker.communicate()


def spans_in_documents() -> Counter[tuple[str, str]]:
    found: Counter[tuple[str, str]] = Counter()
    for document in RawDocument.objects.all():
        value = json.loads(bytes(document.content))
        for resource in value["resourceSpans"]:
            for scope in resource["scopeSpans"]:
                found.update((span["traceId"], span["spanId"]) for span in scope["spans"])
    return found


def everything_is_there_once() -> None:
    found = spans_in_documents()
    assert len(found) == TRACES * SPANS
    assert set(found.values()) == {1}
    assert RawSpan.objects.count() == 0
    assert OpenTrace.objects.filter(waiting=0, run__isnull=False).count() == TRACES
    names = Run.objects.values_list("external_id", flat=True)
    assert sorted(names) == sorted(trace_id(number).hex() for number in range(TRACES))
    receipts = Receipt.objects.all()
    assert {(each.status, each.waiting, len(each.made)) for each in receipts} == {("read", 0, 1)}


def test_a_worker_that_is_killed_again_and_again_loses_and_doubles_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    project = make_project()
    chance = random.Random(7)
    for first in range(0, TRACES, 20):
        store(project, *range(first, first + 20))
        killed_after(chance.uniform(0.0, 0.25))
    # Counted tries of the dead must not give a trace up here: they were killed on purpose.
    OpenTrace.objects.filter(waiting__gt=0).update(tries=0)
    assembling.assemble(at=timezone.now() + timedelta(days=30))
    everything_is_there_once()


def test_several_workers_at_once_assemble_each_trace_once() -> None:
    project = make_project()
    store(project, *range(TRACES))
    at = timezone.now() + timedelta(minutes=1)
    barrier = Barrier(3)

    def work(number: int) -> None:
        try:
            barrier.wait()
            assembling.assemble(at=at + timedelta(microseconds=number))
        finally:
            connection.close()

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(work, range(3)))
    everything_is_there_once()


def test_senders_and_workers_at_once_lose_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Senders add to the traces that are being assembled; late spans join their runs."""
    monkeypatch.setattr(claiming, "MOST_TRACES", 7)
    project = make_project()
    barrier = Barrier(4)

    def send(part: int) -> None:
        try:
            barrier.wait()
            for number in range(part, TRACES, 2):
                store(project, number)
        finally:
            connection.close()

    def work(_: int) -> None:
        try:
            barrier.wait()
            for turn in range(8):
                assembling.assemble(at=timezone.now() + timedelta(minutes=1 + turn))
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        jobs = [pool.submit(send, 0), pool.submit(send, 1)]
        jobs += [pool.submit(work, number) for number in range(2)]
        for job in jobs:
            job.result()
    assembling.assemble(at=timezone.now() + timedelta(days=1))
    everything_is_there_once()
