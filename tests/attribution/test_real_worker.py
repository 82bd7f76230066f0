"""A real worker on the real broker, killed in the middle: each analysis still ends once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from urllib.parse import quote

import pytest
from django.db import connection
from django.utils import timezone

from attribution.models import Analysis
from attribution.sweeping import sweep
from tests.attribution.conftest import type_of_plug_in
from tests.attribution.scenes import ROOT, calls, failed, says
from tests.factories import make_project, make_run
from traces import audit
from traces.models import AuditEntry

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]

RUNS = 25
# Seconds for what takes two or three on an idle machine.
PATIENCE = 90

SLOW = """
import time


class Slow(Attributor):
    name, version = "slow", 1

    def propose(self, reading):
        time.sleep(0.15)
        quotes = (excerpt(reading.transcript, 0),)
        return [Proposal(0, "planner", Role.PRODUCED, 0.5, "It took its time.", quotes)]
"""


@contextmanager
def worker(path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A worker of two processes in a group of its own, on the database of the tests."""
    arguments = "worker --pool prefork --concurrency 2 --loglevel ERROR --without-gossip"
    process = subprocess.Popen(
        [sys.executable, "-m", "celery", "-A", "config", *arguments.split()],
        cwd=ROOT,
        env={**os.environ, "DATABASE_URL": database_url(), "PYTHONPATH": str(path)},
        start_new_session=True,
    )
    try:
        yield process
    finally:
        kill(process)


def kill(process: subprocess.Popen[bytes]) -> None:
    """End the worker and its children at once, as a lost machine would."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def database_url() -> str:
    keys = connection.settings_dict
    signed_in = quote(keys["USER"], safe="")
    if keys["PASSWORD"]:
        signed_in += f":{quote(keys['PASSWORD'], safe='')}"
    host = quote(keys["HOST"] or "", safe="")
    return f"postgres://{signed_in}@{host}:{keys['PORT'] or 5432}/{keys['NAME']}"


def wait_for(condition: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        errors = Analysis.objects.exclude(error="").values_list("error", flat=True)
        assert not errors, errors[0]
        assert time.monotonic() < end, f"No {what} within {PATIENCE} s: {statuses()}"
        time.sleep(0.1)


def statuses() -> Counter[str]:
    return Counter(Analysis.objects.values_list("status", flat=True))


def test_a_killed_worker_loses_and_doubles_nothing(plug_in: type_of_plug_in, tmp_path: Path):
    plug_in(SLOW, slow="Slow")
    project = make_project()
    for n in range(RUNS):
        broken = calls(1, "run", answer="no such file", status="error", path=f"{n}")
        make_run(project, failed(says(0, "Go."), broken, external_id=f"run {n}"))
    assert statuses() == {"queued": 3 * RUNS}

    with worker(tmp_path) as first:
        wait_for(lambda: statuses()["done"] > RUNS and statuses()["running"] > 0, "work")
        kill(first)
    left = statuses()
    assert left["running"], "the worker was killed between two analyses, not in the middle"
    assert left["queued"], "the worker was killed too late"
    held = Analysis.objects.filter(status=Analysis.Status.RUNNING)
    # Six minutes later.
    held.update(lease_expires_at=timezone.now() - timedelta(seconds=1))

    def swept_and_done() -> bool:
        sweep(at=timezone.now(), patience=timedelta(seconds=1))
        return statuses() == {"done": 3 * RUNS}

    with worker(tmp_path):
        wait_for(swept_and_done, "end")
        # What came twice must find nothing to do.
        time.sleep(2)

    assert_each_ended_once()


def assert_each_ended_once() -> None:
    analyses = Analysis.objects.order_by("pk").prefetch_related("candidates")
    proposed = {
        analysis.pk: (analysis.attributor, len(analysis.candidates.all())) for analysis in analyses
    }
    assert Counter(proposed.values()) == {
        ("slow@1", 1): RUNS,
        ("last-error@1", 1): RUNS,
        ("first-divergence@1", 0): RUNS,
    }
    entries = AuditEntry.objects.filter(action__startswith="analysis.")
    ended = Counter(entries.values_list("action", "subject"))
    assert ended == {("analysis.done", f"analysis:{pk}"): 1 for pk in proposed}
    assert set(analyses.values_list("status", "error")) == {("done", "")}
    assert set(analyses.values_list("tries", flat=True)) == {1, 2}
    assert list(audit.faults()) == []
