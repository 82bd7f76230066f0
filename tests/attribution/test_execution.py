from __future__ import annotations

import threading
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, connections

from attribution import comparing, neighbours
from attribution.execution import Answer, ask, claim, execute, settle
from attribution.models import Analysis
from tests.attribution.scenes import calls, decides, failed, passed, says
from tests.factories import AT, make_project, make_run
from traces import audit
from traces.models import AuditEntry, Project, Run

pytestmark = [pytest.mark.django_db, pytest.mark.database]

LEASE = timedelta(minutes=6)
SOON = AT + timedelta(minutes=1)
LATER = AT + timedelta(minutes=7)


@pytest.fixture
def project() -> Project:
    return make_project()


def failure(project: Project, **fields: Any) -> Run:
    broken = calls(1, "run", answer="no such file", status="error", path="x")
    return make_run(project, failed(says(0, "Go."), broken, **fields))


@pytest.fixture
def analysis(project: Project) -> Analysis:
    return failure(project).analyses.get(attributor="last-error@1")


def audited(analysis: Analysis) -> list[str]:
    entries = AuditEntry.objects.filter(subject=f"analysis:{analysis.pk}").order_by("number")
    return list(entries.values_list("action", flat=True))


def test_an_analysis_that_is_not_there_is_nobodys():
    execute(analysis_id=12345, at=AT)


def test_what_is_done_is_not_done_again(analysis: Analysis):
    execute(analysis_id=analysis.pk, at=AT)
    execute(analysis_id=analysis.pk, at=LATER)

    analysis.refresh_from_db()
    assert analysis.tries == 1
    assert analysis.candidates.count() == 1
    assert audited(analysis) == ["analysis.done"]


def test_what_another_worker_holds_cannot_be_claimed(analysis: Analysis):
    assert claim(analysis_id=analysis.pk, at=AT, lease=LEASE)
    assert claim(analysis_id=analysis.pk, at=SOON, lease=LEASE) is None


def test_what_was_tried_too_often_cannot_be_claimed(analysis: Analysis):
    for n in range(Analysis.MOST_TRIES):
        assert claim(analysis_id=analysis.pk, at=AT + n * 2 * LEASE, lease=LEASE)

    assert claim(analysis_id=analysis.pk, at=AT + 9 * LEASE, lease=LEASE) is None


def test_a_claim_says_who_holds_it_until_when(analysis: Analysis):
    held = claim(analysis_id=analysis.pk, at=AT, lease=LEASE)

    assert held
    assert (held.status, held.tries) == ("running", 1)
    assert (held.started_at, held.lease_expires_at) == (AT, AT + LEASE)


def test_a_worker_that_was_taken_over_cannot_write(analysis: Analysis):
    slow = claim(analysis_id=analysis.pk, at=AT, lease=LEASE)
    assert slow
    answer = ask(slow)
    quick = claim(analysis_id=analysis.pk, at=LATER, lease=LEASE)
    assert quick

    settle(analysis=slow, answer=answer, at=LATER)

    analysis.refresh_from_db()
    assert (analysis.status, analysis.candidates.count()) == ("running", 0)
    settle(analysis=quick, answer=ask(quick), at=LATER)
    settle(analysis=slow, answer=answer, at=LATER)
    analysis.refresh_from_db()
    assert (analysis.status, analysis.candidates.count()) == ("done", 1)
    assert audited(analysis) == ["analysis.done"]


def test_nor_can_it_fail_what_another_holds(analysis: Analysis):
    slow = claim(analysis_id=analysis.pk, at=AT, lease=LEASE)
    assert slow
    assert claim(analysis_id=analysis.pk, at=LATER, lease=LEASE)

    settle(analysis=slow, answer=Answer(error="it broke"), at=LATER)

    analysis.refresh_from_db()
    assert (analysis.status, analysis.error) == ("running", "")


def test_candidates_are_written_with_their_quotes(analysis: Analysis):
    execute(analysis_id=analysis.pk, at=AT)

    (found,) = analysis.candidates.all()
    assert (found.rank, found.step, found.actor, found.part) == (1, 1, "coder", "produced")
    assert found.score == 0.4
    assert [(quote["step"], quote["part"], quote["text"]) for quote in found.quotes] == [
        (1, 0, '{"path": "x"}'),
        (1, 1, "no such file"),
    ]
    assert {len(quote["sha256"]) for quote in found.quotes} == {64}


def test_the_end_of_an_analysis_is_on_the_audit_chain(analysis: Analysis, project: Project):
    execute(analysis_id=analysis.pk, at=AT)

    entry = AuditEntry.objects.get(action="analysis.done")
    assert entry.project == project
    assert entry.data == {
        "run": str(analysis.run_id),
        "attributor": "last-error@1",
        "candidates": 1,
    }
    assert list(audit.faults()) == []


@pytest.mark.parametrize("task", ["T-1", "T-2"])
def test_the_page_finds_the_run_beside_its_neighbour(project: Project, task: str):
    other = make_run(project, passed(says(0, "Go."), task_id=task))
    run = failure(project)
    analysis = run.analyses.get(attributor="first-divergence@1")
    execute(analysis_id=analysis.pk, at=AT)

    beside = neighbours.comparison_for(run)
    assert beside
    assert beside.run == other
    assert comparing.stored(run, other)


def test_what_is_too_long_for_the_page_is_not_compared_for_it(
    project: Project, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(comparing, "ALIGNABLE", 1)
    other = make_run(project, passed(says(0, "Go.")))
    run = failure(project)
    execute(analysis_id=run.analyses.get(attributor="first-divergence@1").pk, at=AT)

    assert comparing.stored(run, other) is None


def test_a_similar_task_gives_no_candidates(project: Project):
    make_run(project, passed(says(0, "Go."), decides(1, "wait"), task_id="T-2"))
    analysis = failure(project).analyses.get(attributor="first-divergence@1")
    execute(analysis_id=analysis.pk, at=AT)

    analysis.refresh_from_db()
    assert (analysis.note, analysis.candidates.count()) == (Analysis.NO_REFERENCE, 0)


def test_without_a_reference_an_analysis_ends_with_a_note(project: Project):
    analysis = failure(project).analyses.get(attributor="first-divergence@1")

    execute(analysis_id=analysis.pk, at=AT)

    analysis.refresh_from_db()
    assert analysis.status == "done"
    assert analysis.note == "no successful run of this task to compare with"
    assert not analysis.candidates.exists()


def test_a_reference_that_arrives_meanwhile_is_not_missed(project: Project):
    analysis = failure(project).analyses.get(attributor="first-divergence@1")
    held = claim(analysis_id=analysis.pk, at=AT, lease=LEASE)
    assert held
    answer = ask(held)
    make_run(project, passed(says(0, "Go."), calls(1, "run", path="y")), at=SOON)

    settle(analysis=held, answer=answer, at=SOON)

    analysis.refresh_from_db()
    assert (analysis.status, analysis.tries, analysis.finished_at) == ("queued", 0, None)
    execute(analysis_id=analysis.pk, at=LATER)
    assert analysis.candidates.count() == 1


@pytest.mark.django_db(transaction=True)
def test_of_many_workers_one_runs_each_analysis():
    project = make_project()
    runs = [
        make_run(project, failed(says(0, "Go."), decides(1, f"plan {n}"), external_id=str(n)))
        for n in range(5)
    ]
    ids = list(Analysis.objects.filter(run__in=runs).values_list("pk", flat=True))

    def work() -> None:
        for analysis_id in ids:
            execute(analysis_id=analysis_id, at=AT)
        connections.close_all()

    workers = [threading.Thread(target=work) for _ in range(6)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()

    assert set(Analysis.objects.values_list("status", "tries")) == {("done", 1)}
    assert AuditEntry.objects.filter(action="analysis.done").count() == len(ids)
    assert list(audit.faults()) == []
    assert not connection.in_atomic_block
