"""Twenty people at once: nobody gets what another has, and nothing stays behind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.contrib.auth.models import User
from django.db import connection

from reviews import assignment
from reviews.models import Case, Slot
from tests.factories import AT
from tests.reviews.scenes import make_scene, user
from traces import audit
from traces.models import AuditEntry, Failure, Membership, Project, Role, Run

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]
WORKERS = 20
CASES = 500


def in_threads(work: Callable[[User], list[Slot]], people: list[User]) -> list[list[Slot]]:
    def closing(person: User) -> list[Slot]:
        try:
            return work(person)
        finally:
            connection.close()

    with ThreadPoolExecutor(len(people)) as pool:
        return list(pool.map(closing, people))


def many_cases(project: Project, run: Run, number: int) -> None:
    """Cases by the thousand, written straight to the tables: ingest is not what is measured."""
    failures = Failure.objects.bulk_create(
        Failure(run=run, key=f"more-{n}", statement="It broke.") for n in range(number)
    )
    policy = project.policies.get()
    first = Case.objects.count() + 1
    cases = Case.objects.bulk_create(
        Case(project=project, number=n, run=run, failure=failure, policy=policy, opened_at=AT)
        for n, failure in enumerate(failures, start=first)
    )
    Slot.objects.bulk_create(Slot(case=case, position=p) for case in cases for p in (1, 2))


def reviewers(project: Project) -> list[User]:
    # Without passwords, whose hashing would take longer than the race.
    people = User.objects.bulk_create(User(username=f"reviewer-{n}") for n in range(WORKERS))
    Membership.objects.bulk_create(
        Membership(project=project, user=person, role=Role.REVIEWER) for person in people
    )
    return people


def test_twenty_people_take_a_thousand_places_once_each() -> None:
    case = make_scene(signatures=2)
    many_cases(case.project, case.run, CASES - 1)

    def take_all(person: User) -> list[Slot]:
        taken = []
        while slot := assignment.take_next(project=case.project, reviewer=person, at=AT):
            taken.append(slot)
        return taken

    taken = in_threads(take_all, reviewers(case.project))
    places = Counter(slot.pk for slots in taken for slot in slots)
    assert len(places) == 2 * CASES
    assert set(places.values()) == {1}
    for slots in taken:
        assert len({slot.case_id for slot in slots}) == len(slots)
    held = Slot.objects.values_list("pk", "reviewer_id", "token")
    told = {(slot.pk, slot.reviewer_id, slot.token) for slots in taken for slot in slots}
    assert set(held) == told
    assert AuditEntry.objects.filter(action="case.taken").count() == 2 * CASES
    assert list(audit.faults()) == []


def test_twenty_people_want_the_same_case() -> None:
    case = make_scene(signatures=2)

    def take_it(person: User) -> list[Slot]:
        try:
            return [assignment.take(case=case, reviewer=person, at=AT)]
        except assignment.NothingToTake:
            return []

    taken = in_threads(take_it, reviewers(case.project))
    assert sorted(slot.position for slots in taken for slot in slots) == [1, 2]


def test_twenty_tabs_of_one_person_get_twenty_cases() -> None:
    case = make_scene(signatures=2)
    many_cases(case.project, case.run, WORKERS - 1)

    def take_one(person: User) -> list[Slot]:
        slot = assignment.take_next(project=case.project, reviewer=person, at=AT)
        return [slot] if slot else []

    taken = in_threads(take_one, [user("ada")] * WORKERS)
    assert len({slot.case_id for slots in taken for slot in slots}) == WORKERS
