"""What the first HTML of the two large pages weighs, and what it asks of the database."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from reviews.bench.runs import written
from reviews.models import Case
from traces.bench.figures import Figure
from traces.bench.watch import Watch
from traces.models import Membership, Project, Role

RUN_STEPS, CASE_STEPS = 50_000, 10_000
KIB = 1024


def bench(*, quick: bool) -> Iterator[Figure]:
    project = Project.objects.create(slug="bench-pages", name="Pages", created_at=timezone.now())
    user = User.objects.create(username="bench-pages")
    Membership.objects.create(project=project, user=user, role=Role.REVIEWER)
    client = Client(SERVER_NAME=settings.ALLOWED_HOSTS[0])
    client.force_login(user)
    long = written(project, "long", steps=1_000 if quick else RUN_STEPS, failed=False)
    failed = written(project, "failed", steps=1_000 if quick else CASE_STEPS, failed=True)
    case = Case.objects.get(run=failed)
    run_page = reverse("attribution:run", args=[project.slug, long.pk])
    case_page = reverse("reviews:case", args=[project.slug, case.number])
    of_run = of_page(client, run_page, f"run of {long.step_count:,}", most_bytes=300, queries=12)
    of_case = of_page(client, case_page, f"case of {failed.step_count:,}", most_bytes=500)
    for figure in chain(of_run, of_case):
        yield replace(figure, of_full_size=not quick)


def of_page(
    client: Client, address: str, name: str, *, most_bytes: int, queries: int | None = None
) -> Iterator[Figure]:
    """Asked twice: the first time templates are read and compiled."""
    client.get(address)
    watch = Watch()
    with CaptureQueriesContext(connection) as asked, watch:
        answer = client.get(address)
    if answer.status_code != 200:
        raise RuntimeError(f"{address} answered {answer.status_code}")
    yield Figure(f"{name} steps: HTML", len(answer.content) / KIB, "KiB", most=most_bytes)
    yield Figure(f"{name} steps: queries", len(asked), "queries", most=queries)
    yield Figure(f"{name} steps: server", 1000 * watch.own, "CPU ms")
