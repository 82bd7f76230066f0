"""Many workers take the next case at once: is any given twice, and does anybody get none?

Real threads with connections of their own. Python runs one of them at a time, but the database
serves all: they hold their locks while others ask.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event

from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone

from reviews import assignment
from reviews.adjudication import open_cases
from reviews.bench.runs import written
from reviews.models import Slot
from traces.bench.figures import Figure
from traces.models import Failure, Membership, Project, Role

WORKERS = 20
CLAIMS = 10_000
# Slot and seconds of each claim that a worker made.
Made = list[tuple[int, float]]


def bench(*, quick: bool) -> Iterator[Figure]:
    claims = 200 if quick else CLAIMS
    project = Project.objects.create(slug="bench-claims", name="Claims", created_at=timezone.now())
    open_many(project, claims)
    reviewers = [reviewer(project, f"bench-{number}") for number in range(WORKERS)]
    begun = time.perf_counter()
    made = taken_by_all(project, reviewers)
    wall = time.perf_counter() - begun
    slots = Counter(slot for each in made for slot, _ in each)
    held = Slot.objects.filter(case__project=project).exclude(reviewer=None).count()
    fair = claims / WORKERS
    yield Figure("cases taken", len(slots), f"of {claims:,}", least=claims)
    yield Figure("cases held in the database", held, f"of {claims:,}", least=claims)
    yield Figure("given twice", slots.total() - len(slots), "claims", most=0)
    fewest = min(map(len, made)) / fair
    name, unit = "fewest of one worker", "of a fair share"
    yield Figure(name, fewest, unit, least=0.5, of_full_size=not quick)
    longest = max(seconds for each in made for _, seconds in each)
    yield Figure("longest wait for one", 1000 * longest, "ms")
    yield Figure("by the clock", slots.total() / wall, "claims per second")


def open_many(project: Project, count: int) -> None:
    """So many open cases: the failures of one run."""
    run = written(project, "claims", steps=10, failed=False)
    Failure.objects.bulk_create(
        Failure(run=run, key=f"f{number}", statement=f"Check {number} failed.")
        for number in range(count)
    )
    open_cases(runs=[run], at=timezone.now())


def reviewer(project: Project, name: str) -> User:
    user = User.objects.create(username=name)
    Membership.objects.create(project=project, user=user, role=Role.REVIEWER)
    return user


def taken_by_all(project: Project, reviewers: list[User]) -> list[Made]:
    """What each worker took, until there is nothing left for any of them."""
    stop = Event()
    with ThreadPoolExecutor(max_workers=len(reviewers)) as pool:
        try:
            working = [pool.submit(takes, project, user, stop) for user in reviewers]
            return [each.result() for each in working]
        finally:
            # After Ctrl-C the pool waits for its threads: let them end.
            stop.set()


def takes(project: Project, user: User, stop: Event) -> Made:
    made: Made = []
    try:
        while not stop.is_set():
            begun = time.perf_counter()
            slot = assignment.take_next(project=project, reviewer=user, at=timezone.now())
            if slot is None:
                break
            made.append((slot.pk, time.perf_counter() - begun))
    finally:
        connection.close()
    return made
