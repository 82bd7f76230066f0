"""The same run renewed by several at once, and while somebody signs a claim on it."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from django.db import connection

from reviews import adjudication, assignment
from reviews.models import Claim, Slot
from tests.factories import AT, make_project
from tests.reviews.scenes import case_of, finding, make_policy, user
from tests.traces.formats.native_runs import native_run, native_step
from tests.traces.test_renewing import take
from traces import audit
from traces.models import Receipt, Run, Step

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]

TEXT = "The v1 interface is simpler. Use POST /v1/invoices."
FAILURE = {"id": "ci", "statement": "The export answers 410.", "exposed_by": "s3"}
STEPS = (
    native_step(0),
    native_step(1, {"type": "message", "text": TEXT}),
    native_step(2),
    native_step(3),
)
EARLY = native_step(9, id="early", sequence=-1)
LATE = native_step(9, id="late")


def failed(*steps: dict[str, Any]) -> bytes:
    return json.dumps(native_run(*steps, outcome="failed", failures=[FAILURE])).encode()


def at_once(*works: Callable[[], object]) -> list[object]:
    barrier = Barrier(len(works))

    def do(work: Callable[[], object]) -> object:
        try:
            barrier.wait(timeout=10)
            return work()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(works)) as pool:
        return list(pool.map(do, works))


def test_the_same_more_at_once_is_read_once() -> None:
    project = make_project()
    take(project, failed(*STEPS))
    more = failed(*STEPS, LATE)
    receipts = at_once(*[lambda: take(project, more)] * 3)
    assert sum(len(each.renewed) for each in receipts if isinstance(each, Receipt)) == 1
    assert sum(len(each.known) for each in receipts if isinstance(each, Receipt)) == 2
    run = Run.objects.get()
    assert (run.revision, run.step_count, Step.objects.count()) == (1, 5, 5)
    assert list(audit.faults()) == []


def test_more_and_less_at_once_end_with_all_of_it() -> None:
    project = make_project()
    take(project, failed(*STEPS[:2], STEPS[3]))
    whole = failed(*STEPS, LATE)
    at_once(lambda: take(project, whole), lambda: take(project, failed(*STEPS)))
    assert Run.objects.get().step_count == Step.objects.count() == 5


@pytest.mark.parametrize("more", [(EARLY, *STEPS), (*STEPS, LATE)], ids=["before", "behind"])
def test_a_claim_that_is_signed_meanwhile_is_about_what_its_reviewer_saw(
    more: tuple[dict[str, Any], ...],
) -> None:
    """Either it is signed first and the run stays, or its page is closed, or nothing moved."""
    for attempt in range(4):
        project = make_project(f"race-{attempt}")
        make_policy(project)
        take(project, failed(*STEPS))
        case = case_of(Run.objects.get(project=project))
        slot: Slot = assignment.take(case=case, reviewer=user("ada"), at=AT)

        def sign(case: Any = case, slot: Slot = slot) -> object:
            try:
                return adjudication.sign_claim(
                    case=case,
                    reviewer=user("ada"),
                    token=str(slot.token),
                    finding=finding(),
                    outcome="attributed",
                    at=AT,
                )
            except assignment.NotYourLease as error:
                return error

        signed, receipt = at_once(sign, lambda project=project: take(project, failed(*more)))
        run = Run.objects.get(project=project)
        assert isinstance(receipt, Receipt)
        quoted = run.steps.get(source_id="s1").number
        if isinstance(signed, Claim):
            assert signed.decisive_step == quoted
            assert signed.evidence.get().step == quoted
            assert run.revision == 0 or more[0] == STEPS[0]
        else:
            assert (run.revision, quoted) == (1, 2)
        assert run.gaps.filter(kind="late_records").exists() == (run.revision == 0)
    assert list(audit.faults()) == []
