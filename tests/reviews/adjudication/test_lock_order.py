"""Ingest and signing at once: nobody deadlocks, and ingest does not hold up other projects."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event

import psycopg.errors
import pytest
from django.db import OperationalError, connection, transaction

from reviews import adjudication, assignment
from reviews.adjudication.retrying import once_more_on_deadlock
from reviews.models import Case, Claim, Slot
from tests.factories import AT, make_project
from tests.reviews.scenes import finding, make_failed_run, make_policy, make_scene, user
from traces import audit
from traces.models import AuditEntry, Project
from traces.transcript import Failure

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]
ROUNDS = 6
RUNS = 12
WAIT = 10


def sign_without_retry(slot: Slot) -> Claim:
    """The verb as it is inside, so that a deadlock would show."""
    return adjudication.sign_claim.__wrapped__(  # type: ignore[attr-defined,no-any-return]
        case=slot.case,
        reviewer=slot.reviewer,
        token=slot.token,
        finding=finding(),
        outcome="attributed",
        at=AT,
    )


@transaction.atomic
@audit.together()
def ingest_many(project: Project, name: str) -> None:
    """Failed runs of one task in one transaction, as those of one document are."""
    for number in range(RUNS):
        make_failed_run(project, f"{name}-{number}")


def test_signing_a_case_while_runs_of_its_task_arrive_does_not_deadlock() -> None:
    for turn in range(ROUNDS):
        case = make_scene(f"demo-{turn}")
        slot = assignment.take(case=case, reviewer=user("ada"), at=AT)
        barrier = Barrier(2)

        def arrive(case: Case = case, barrier: Barrier = barrier) -> None:
            try:
                barrier.wait(timeout=WAIT)
                ingest_many(case.project, "more")
            finally:
                connection.close()

        def sign(slot: Slot = slot, barrier: Barrier = barrier) -> Claim:
            try:
                barrier.wait(timeout=WAIT)
                return sign_without_retry(slot)
            finally:
                connection.close()

        with ThreadPoolExecutor(2) as pool:
            arriving, signing = pool.submit(arrive), pool.submit(sign)
            arriving.result()
            assert signing.result().case_id == case.pk
        assert case.project.cases.count() == RUNS + 1
    assert list(audit.faults()) == []


def test_while_a_document_is_written_others_may_sign() -> None:
    case, other = make_scene(), make_project("other")
    slot = assignment.take(case=case, reviewer=user("ada"), at=AT)
    written, signed = Event(), Event()

    def arrive() -> None:
        try:
            with transaction.atomic(), audit.together():
                make_failed_run(other)
                written.set()
                assert signed.wait(WAIT), "Signing waited for a document of another project."
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        arriving = pool.submit(arrive)
        assert written.wait(WAIT)
        sign_without_retry(slot)
        signed.set()
        arriving.result()
    actions = list(AuditEntry.objects.order_by("number").values_list("action", flat=True))
    assert actions[-3:] == ["claim.signed", "run.ingested", "case.opened"]
    assert list(audit.faults()) == []


def test_many_failures_cost_no_more_questions_than_few() -> None:
    counts = []
    for name, number in (("few", 3), ("many", 300)):
        project = make_project(name)
        make_policy(project)
        failures = tuple(Failure(key=f"f{n}", statement="It broke.") for n in range(number))
        before = len(connection.queries_log)
        connection.force_debug_cursor = True
        run = make_failed_run(project, failures=failures)
        counts.append(len(connection.queries_log) - before)
        connection.force_debug_cursor = False
        assert run.cases.count() == number
    assert counts[0] == counts[1]
    assert list(audit.faults()) == []


def test_a_deadlock_is_tried_once_more() -> None:
    tries = []

    @once_more_on_deadlock
    def verb(*, deadlocks: int) -> str:
        tries.append(deadlocks)
        if len(tries) <= deadlocks:
            raise OperationalError from psycopg.errors.DeadlockDetected()
        return "signed"

    assert verb(deadlocks=1) == "signed"
    assert len(tries) == 2
    tries.clear()
    with pytest.raises(OperationalError):
        verb(deadlocks=2)


def test_another_error_is_not_tried_again() -> None:
    tries = []

    @once_more_on_deadlock
    def verb() -> None:
        tries.append(1)
        raise OperationalError from psycopg.errors.AdminShutdown()

    with pytest.raises(OperationalError):
        verb()
    assert tries == [1]
