from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from reviews import adjudication
from reviews.models import Case, Policy, Slot
from tests.factories import AT, make_project, make_run, make_step, make_transcript
from tests.reviews.scenes import make_failed_run, make_policy
from traces import audit
from traces.models import AuditEntry
from traces.transcript import Failure, Outcome


@pytest.mark.django_db
@pytest.mark.database
def test_a_run_that_did_not_fail_has_no_case() -> None:
    project = make_project()
    make_run(project, make_transcript(make_step(0), outcome=Outcome.SUCCEEDED))
    assert not Case.objects.exists()
    assert not Policy.objects.exists()


@pytest.mark.django_db
@pytest.mark.database
def test_opening_again_changes_nothing() -> None:
    run = make_failed_run(make_project())
    before = AuditEntry.objects.count()
    adjudication.open_cases(runs=[run], at=AT)
    assert Case.objects.count() == 1
    assert Slot.objects.count() == 1
    assert AuditEntry.objects.count() == before


@pytest.mark.django_db
@pytest.mark.database
def test_each_failure_gets_its_case_with_a_number_of_its_project() -> None:
    make_failed_run(make_project("other"))
    project = make_project()
    make_policy(project, signatures_needed=2)
    failures = (
        Failure(key="a", statement="It broke."),
        Failure(key="b", statement="It leaked.", consequence="accountability"),
        Failure(key="c", statement="It was late.", consequence="The release went without it."),
    )
    run = make_failed_run(project, failures=failures)
    cases = Case.objects.of_project(project).order_by("number")
    assert [(case.number, case.failure.key, case.consequence) for case in cases] == [
        (1, "a", "remediation"),
        (2, "b", "accountability"),
        (3, "c", "remediation"),
    ]
    assert {case.run for case in cases} == {run}
    assert {case.status for case in cases} == {"open"}
    assert [case.slots.count() for case in cases] == [2, 2, 2]
    opened = AuditEntry.objects.filter(action="case.opened", project=project)
    assert [entry.subject for entry in opened.order_by("number")] == [
        f"case:{case.pk}" for case in cases
    ]


@pytest.mark.django_db
@pytest.mark.database
def test_a_project_without_a_policy_gets_the_default_one() -> None:
    project = make_project()
    make_failed_run(project)
    policy = Policy.objects.get()
    assert (policy.project, policy.version, policy.signatures_needed) == (project, 1, 1)
    assert policy.two_person_rule


@pytest.mark.django_db
@pytest.mark.database
def test_a_case_keeps_the_policy_it_was_opened_under() -> None:
    project = make_project()
    make_policy(project, signatures_needed=1)
    make_failed_run(project, "run-1")
    newer = make_policy(project, signatures_needed=3)
    make_failed_run(project, "run-2")
    first, second = Case.objects.order_by("number")
    assert first.policy.version == 1
    assert second.policy == newer
    assert [first.slots.count(), second.slots.count()] == [1, 3]


@pytest.mark.django_db(transaction=True)
@pytest.mark.database
def test_numbers_have_no_holes_and_no_doubles_under_parallel_ingest() -> None:
    project = make_project()

    def arrive(number: int) -> None:
        try:
            make_failed_run(project, f"run-{number}")
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(arrive, range(24)))
    numbers = Case.objects.order_by("number").values_list("number", flat=True)
    assert list(numbers) == list(range(1, 25))
    assert Policy.objects.count() == 1
    assert list(audit.faults()) == []
