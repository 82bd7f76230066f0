from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from reviews.adjudication.frequency import rounded
from reviews.models import Case
from tests.factories import AT, make_project
from tests.reviews.scenes import case_of, make_failed_run, user
from tests.traces.formats.native_runs import native_run
from traces import audit, ingest, quarantine
from traces.models import Project, Quarantine, Receipt, Run

FAILURE = {"id": "f1", "statement": "It broke."}


def put_aside(run: Run) -> Quarantine:
    lena = user("lena")
    return quarantine.set_aside(run=run, reason="duplicate", note="", by=lena, at=AT)


def lift(row: Quarantine) -> None:
    quarantine.lift(quarantine=row, why="It is none.", by=user("lena"), at=AT)


def failed(project: Project, number: int, **fields: object) -> list[Run]:
    return [make_failed_run(project, f"run-{n}", **fields) for n in range(number)]


def frequencies() -> list[int]:
    return list(Case.objects.order_by("number").values_list("frequency", flat=True))


@pytest.mark.parametrize(
    ("count", "expected"), [(1, 1), (5, 5), (6, 5), (9, 5), (10, 10), (19, 10), (20, 20), (49, 20)]
)
def test_counts_are_rounded_down(count: int, expected: int) -> None:
    assert rounded(count) == expected


@pytest.mark.django_db
@pytest.mark.database
def test_a_run_that_is_set_aside_does_not_count_until_it_is_back() -> None:
    runs = failed(make_project(), 3)
    assert frequencies() == [3, 3, 3]
    first, second = put_aside(runs[0]), put_aside(runs[1])
    assert frequencies() == [1, 1, 1]
    lift(first)
    assert frequencies() == [2, 2, 2]
    lift(second)
    assert frequencies() == [3, 3, 3]


@pytest.mark.django_db
@pytest.mark.database
def test_a_new_run_is_not_counted_together_with_one_that_is_set_aside() -> None:
    project = make_project()
    put_aside(make_failed_run(project, "bad"))
    assert case_of(make_failed_run(project, "good")).frequency == 1
    assert case_of(make_failed_run(project, "better")).frequency == 2


@pytest.mark.django_db
@pytest.mark.database
def test_cases_of_other_tasks_and_settled_ones_stay_as_they_are() -> None:
    project = make_project()
    runs = failed(project, 2)
    failed(make_project("other"), 2)
    make_failed_run(project, "elsewhere", task_id="T-2")
    Case.objects.filter(run=runs[1]).update(status="settled")
    put_aside(runs[0])
    assert Case.objects.get(run=runs[1]).frequency == 2
    assert Case.objects.get(run__task_id="T-2").frequency == 1
    others = Case.objects.filter(project__slug="other")
    assert list(others.values_list("frequency", flat=True)) == [2, 2]


@pytest.mark.django_db
@pytest.mark.database
def test_a_run_without_a_task_counts_for_itself() -> None:
    project = make_project()
    run = failed(project, 2, task_id="")[0]
    lift(put_aside(run))
    assert frequencies() == [1, 1]


@pytest.mark.django_db(transaction=True)
@pytest.mark.database
def test_ingest_and_the_quarantine_at_once_agree_on_the_count() -> None:
    project = make_project()
    runs = failed(project, 4)

    def work(number: int) -> None:
        try:
            if number % 2:
                make_failed_run(project, f"new-{number}")
            else:
                put_aside(runs[number // 2])
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    # Four before, four more, four set aside.
    assert set(Case.objects.counted().values_list("frequency", flat=True)) == {4}
    assert list(audit.faults()) == []


@pytest.mark.django_db
@pytest.mark.database
def test_runs_of_one_file_are_counted_together_and_cases_before_them_follow() -> None:
    project = make_project()
    make_failed_run(project, "before", task_id="T-1")
    runs = [
        native_run(id=f"run-{n}", task={"id": task}, outcome="failed", failures=[FAILURE])
        for n, task in enumerate(("T-1", "T-2", "T-1", "", "T-1"))
    ]
    receipt = ingest.ingest(
        project=project,
        content="\n".join(map(json.dumps, runs)).encode(),
        filename="runs.jsonl",
        via=Receipt.Via.COMMAND,
        by=None,
        at=AT,
    )
    assert len(receipt.made) == 5
    cases = Case.objects.order_by("number").values_list("number", "run__external_id", "frequency")
    assert list(cases) == [
        (1, "before", 4),
        (2, "run-0", 4),
        (3, "run-1", 1),
        (4, "run-2", 4),
        (5, "run-3", 1),
        (6, "run-4", 4),
    ]
