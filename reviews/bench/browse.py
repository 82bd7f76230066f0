"""The trace browser at any length: what its pages ask of the server, the network and a browser.

The page of a run and that of its case, each alone and beside another run of the task. Server
and database are in this process; the browser, where there is one, asks the web server of
production.
"""

from __future__ import annotations

import importlib.util
import json
import secrets
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from attribution import comparing
from reviews.bench.serving import served
from reviews.models import Case
from traces import ingest
from traces.bench.figures import Figure
from traces.bench.stories import story
from traces.models import Membership, Project, Receipt, Role, Run
from traces.transcript import Transcript

LENGTHS, QUICK = (100, 1_000, 10_000, 50_000), (100, 1_000)
TRIES = 7
KIB, MIB = 1024, 2**20
USER = "bench-browse"


class Measure(NamedTuple):
    """What the browser tells by this key, in words, with what it is divided by and its target."""

    key: str
    words: str
    unit: str
    divisor: float = 1
    most: float | None = None


IN_BROWSER = (
    Measure("bytes", "all that is sent", "KiB", KIB, 500),
    Measure("answered", "first byte", "ms"),
    Measure("usable", "usable", "s", 1000, 0.6),
    Measure("key", "a press of j", "ms"),
    Measure("elements", "elements at open", "elements", 1, 3_000),
    Measure("elements after keys", "after 50 presses of j", "elements", 1, 3_000),
    Measure("elements middle", "in the middle", "elements", 1, 3_000),
    Measure("elements end", "at the end", "elements", 1, 3_000),
    Measure("most elements", "most at any moment", "elements", 1, 3_000),
    Measure("drawn middle", "drawn in the middle after", "ms"),
    Measure("drawn end", "drawn at the end after", "ms"),
    Measure("slow frames", "frames over 50 ms, 3 s of wheel", "frames"),
    Measure("slowest frame", "slowest frame", "ms"),
    Measure("blank frames", "frames without a step", "of all"),
    Measure("heap", "JS heap at open", "MiB", MIB),
    Measure("heap after", "JS heap after all this", "MiB", MIB),
)


class NotShown(Exception):
    """A page did not answer, or the browser did not: what was measured is not what was meant."""


@dataclass(frozen=True)
class Opened:
    """A page to measure: of what kind it is, of a run of how many steps, and where."""

    kind: str
    steps: int
    path: str


def bench(*, quick: bool) -> Iterator[Figure]:
    password = secrets.token_urlsafe(16)
    user = User.objects.create_user(username=USER, password=password)
    client = Client(SERVER_NAME=settings.ALLOWED_HOSTS[0])
    client.force_login(user)
    pages: list[Opened] = []
    for steps in QUICK if quick else LENGTHS:
        for page in pages_of(user, steps):
            pages.append(page)
            yield from of_server(client, page)
    if importlib.util.find_spec("playwright") is None:
        sys.stderr.write("Playwright is not installed: only the server's part was measured.\n")
        return
    yield from in_browser(pages, password, opened=2 if quick else 5)


def pages_of(user: User, steps: int) -> Iterator[Opened]:
    """A project with a failed and a successful run of one task, laid side by side beforehand."""
    slug = f"bench-{steps}"
    project = Project.objects.create(slug=slug, name=f"{steps:,}", created_at=timezone.now())
    Membership.objects.create(project=project, user=user, role=Role.REVIEWER)
    passed = written(project, story("browse", steps=steps, failed=False))
    failed = written(project, story("browse", steps=steps, failed=True))
    case = Case.objects.get(run=failed)
    addresses = {
        "run page": reverse("attribution:run", args=[slug, failed.pk]),
        "case page": reverse("reviews:case", args=[slug, case.number]),
    }
    comparable = not comparing.too_long(failed, passed)
    if comparable:
        comparing.compare(failed, passed)
    for kind, address in addresses.items():
        yield Opened(kind, steps, f"{address}?with=none")
        if comparable:
            yield Opened(f"{kind}, two runs", steps, f"{address}?with={passed.pk}")


def written(project: Project, transcript: Transcript) -> Run:
    """Write a run as the reader of documents does; its document holds no more than its name."""
    at = timezone.now()
    receipt = ingest.receive(
        project=project,
        content=json.dumps({"id": transcript.external_id}).encode(),
        filename="bench.json",
        via=Receipt.Via.COMMAND,
        by=None,
        at=at,
    )
    assert receipt.document  # noqa: S101 - a few bytes are never refused
    return ingest.write_run(
        project=project,
        document=receipt.document,
        pointer="",
        transcript=transcript,
        format="bench",
        rule="made up",
        at=at,
    )


def of_server(client: Client, page: Opened) -> Iterator[Figure]:
    """The first answer, then several in a row: their median. Times are on the clock."""
    taken = []
    for _ in range(TRIES + 1):
        begun = time.perf_counter()
        answer = client.get(page.path)
        taken.append(1000 * (time.perf_counter() - begun))
    if answer.status_code != 200:
        raise NotShown(f"{page.path} answered {answer.status_code}")
    with CaptureQueriesContext(connection) as asked:
        client.get(page.path)
    yield figure(page, "server, first", taken[0], "ms")
    yield figure(page, "server", statistics.median(taken[1:]), "ms")
    yield figure(page, "queries", len(asked), "queries", most=12)
    yield figure(page, "HTML", len(answer.content) / KIB, "KiB", most=300)


def figure(page: Opened, name: str, value: float, unit: str, most: float | None = None) -> Figure:
    return Figure(f"{page.kind}: {name}", value, unit, most=most, of=f"{page.steps:,} steps")


def in_browser(pages: list[Opened], password: str, *, opened: int) -> Iterator[Figure]:
    """Each page in Chromium, with nothing in its cache: `opened` times, and once more to use it."""
    with served() as address:
        asked = {"address": address, "user": USER, "password": password, "opened": opened}
        asked["pages"] = [page.path for page in pages]
        with visitor() as browser:
            assert browser.stdin  # noqa: S101 - both are pipes
            assert browser.stdout  # noqa: S101
            try:
                browser.stdin.write(json.dumps(asked))
                browser.stdin.close()
                for page in pages:
                    line = browser.stdout.readline()
                    if not line:
                        raise NotShown(f"The browser came to no end with {page.path}: see above.")
                    yield from of_visit(page, json.loads(line))
            finally:
                browser.terminate()


def visitor() -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "reviews.bench.visits"],
        cwd=settings.BASE_DIR,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def of_visit(page: Opened, told: dict[str, Any]) -> Iterator[Figure]:
    for key, words, unit, divisor, most in IN_BROWSER:
        yield replace(figure(page, words, told[key] / divisor, unit), most=most)
