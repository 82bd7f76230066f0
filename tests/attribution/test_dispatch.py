from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries, DjangoCaptureOnCommitCallbacks

from attribution import dispatch, execution, registry
from attribution.execution import execute
from attribution.models import Analysis, Candidate
from tests.attribution.conftest import type_of_plug_in
from tests.attribution.scenes import decides, failed, passed, says
from tests.factories import AT, make_project, make_run
from traces import ingest, reading
from traces.counterparts import Counterparts
from traces.models import AuditEntry, Project, RawDocument, Run
from traces.transcript import Outcome

pytestmark = [pytest.mark.django_db, pytest.mark.database]

LABELS = ["first-divergence@1", "last-error@1"]
LATER = AT + timedelta(hours=1)


@pytest.fixture
def project() -> Project:
    return make_project()


def failure(project: Project, name: str = "failed", **fields: Any) -> Run:
    steps = says(0, "Go."), decides(1, "mail now")
    return make_run(project, failed(*steps, external_id=name, **fields))


def success(project: Project, name: str = "passed", **fields: Any) -> Run:
    steps = says(0, "Go."), decides(1, "ask owner")
    return make_run(project, passed(*steps, external_id=name, **fields), at=LATER)


def statuses(run: Run) -> dict[str, str]:
    return dict(run.analyses.values_list("attributor", "status"))


@pytest.mark.parametrize("outcome", [Outcome.SUCCEEDED, Outcome.UNKNOWN])
def test_only_failed_runs_are_analysed(project: Project, outcome: Outcome):
    run = make_run(project, failed(says(0, "x"), outcome=outcome, failures=()))

    assert not run.analyses.exists()


def test_a_failed_run_gets_one_analysis_per_attributor_with_its_run(project: Project):
    run = failure(project)

    assert statuses(run) == dict.fromkeys(LABELS, "queued")
    assert set(run.analyses.values_list("queued_at", "sent_at", "tries")) == {(AT, AT, 0)}


def test_what_other_packages_bring_is_queued_too(project: Project, crashing: str):
    assert set(statuses(failure(project))) == {*LABELS, crashing}


def test_messages_wait_for_the_commit(
    project: Project, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
):
    with django_capture_on_commit_callbacks() as waiting:
        run = failure(project)

    # Beside ours, other floors may have something to say.
    sent = [call.args[0] for call in waiting if getattr(call, "args", None)]
    assert sorted(run.analyses.values_list("pk", flat=True)) in [sorted(ids) for ids in sent]


def test_queueing_again_adds_nothing(project: Project):
    run = failure(project)
    first = list(run.analyses.order_by("pk").values_list("pk", flat=True))

    again = dispatch.queue(runs=[run], labels=LABELS, at=LATER)

    assert again == first
    assert run.analyses.count() == 2


def test_finished_analyses_are_not_queued_again(project: Project):
    run = failure(project)
    for analysis_id in dispatch.queue(runs=[run], labels=LABELS, at=AT):
        execute(analysis_id=analysis_id, at=AT)

    assert dispatch.queue(runs=[run], labels=LABELS, at=LATER) == []


def test_a_later_attributor_can_be_added_to_an_old_run(project: Project, plug_in: type_of_plug_in):
    run = failure(project)

    added = dispatch.queue(runs=[run], labels=["first-divergence@1", "guess@1"], at=LATER)

    assert len(added) == 2
    assert statuses(run)["guess@1"] == "queued"


def test_an_analysis_without_a_reference_gets_a_new_chance(project: Project):
    run = failure(project)
    waiting = run.analyses.get(attributor="first-divergence@1")
    execute(analysis_id=waiting.pk, at=AT)
    waiting.refresh_from_db()
    assert (waiting.status, waiting.note) == ("done", Analysis.NO_REFERENCE)

    success(project)

    waiting.refresh_from_db()
    assert (waiting.status, waiting.note, waiting.tries) == ("queued", "", 0)
    assert (waiting.queued_at, waiting.sent_at, waiting.finished_at) == (LATER, LATER, None)
    execute(analysis_id=waiting.pk, at=LATER)
    assert [found.step for found in waiting.candidates.all()] == [1]


def test_other_tasks_projects_and_attributors_get_none(project: Project):
    run = failure(project)
    for analysis in run.analyses.all():
        execute(analysis_id=analysis.pk, at=AT)

    success(project, task_id="T-2")
    success(make_project("elsewhere"))
    assert statuses(run) == dict.fromkeys(LABELS, "done")

    success(project, "same task")
    assert statuses(run) == {"first-divergence@1": "queued", "last-error@1": "done"}


def test_an_analysis_that_had_a_reference_is_left_as_it_is(project: Project):
    success(project, "first")
    run = failure(project)
    analysis = run.analyses.get(attributor="first-divergence@1")
    execute(analysis_id=analysis.pk, at=AT)

    success(project, "second")

    assert statuses(run)["first-divergence@1"] == "done"
    assert analysis.candidates.count() == 1


@pytest.mark.parametrize("failures", [1, 3])
def test_a_successful_run_costs_the_same_whatever_waits(
    project: Project, failures: int, django_assert_num_queries: DjangoAssertNumQueries
):
    for n in range(failures):
        run = failure(project, f"failed {n}")
        execute(analysis_id=run.analyses.get(attributor="first-divergence@1").pk, at=AT)
    reference = success(project)
    Analysis.objects.filter(attributor="first-divergence@1").update(
        status="done", note=Analysis.NO_REFERENCE, finished_at=AT
    )

    with django_assert_num_queries(2):
        assert len(dispatch.queue_again(references=[reference], at=LATER)) == failures


def test_a_failed_run_costs_two_queries(
    project: Project, django_assert_num_queries: DjangoAssertNumQueries
):
    run = failure(project)
    run.analyses.all().delete()
    registry.registered()

    with django_assert_num_queries(2):
        dispatch.queue_for_runs(runs=[run], at=AT)


def test_the_same_bytes_twice_are_analysed_once(project: Project):
    run, again = failure(project), failure(project)

    assert run == again
    assert run.analyses.count() == 2


def renewed(project: Project) -> Run:
    """The run of `failure` again, with one step more."""
    steps = says(0, "Go."), decides(1, "mail now"), says(2, "No.")
    new = failed(*steps)
    document = RawDocument.objects.create(
        project=project, sha256="2", content=b"", size=0, received_at=LATER
    )
    return ingest.write_run(
        project=project,
        document=document,
        pointer="",
        transcript=new,
        format="tests",
        rule="made by a test",
        at=LATER,
    )


def test_a_renewed_run_is_analysed_anew(
    project: Project, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
):
    before = failure(project)
    analysis = before.analyses.get(attributor="last-error@1")
    execute(analysis_id=analysis.pk, at=AT)
    found = analysis.candidates.count()
    with django_capture_on_commit_callbacks() as callbacks:
        run = renewed(project)

    assert (run.pk, run.revision) == (before.pk, 1)
    assert statuses(run) == dict.fromkeys(LABELS, "queued")
    assert not Candidate.objects.exists()
    assert set(run.analyses.values_list("tries", "queued_at", "finished_at")) == {(0, LATER, None)}
    assert len(callbacks) >= 1
    entry = AuditEntry.objects.get(action="analyses.voided")
    assert entry.data["candidates"] == found
    assert entry.data["revision"] == 1


def test_a_worker_that_read_the_run_before_it_was_renewed_writes_nothing(project: Project):
    run = failure(project)
    analysis = run.analyses.get(attributor="last-error@1")
    held = execution.claim(analysis_id=analysis.pk, at=AT, lease=execution.LEASE)
    assert held
    answer = execution.ask(held)
    renewed(project)
    execution.settle(analysis=held, answer=answer, at=LATER)

    analysis.refresh_from_db()
    assert (analysis.status, analysis.candidates.count()) == ("queued", 0)


def test_a_run_that_is_read_anew_as_it_was_keeps_its_analyses(project: Project):
    run = failure(project)
    execute(analysis_id=run.analyses.get(attributor="last-error@1").pk, at=AT)
    same = reading.transcript_of(run)
    dispatch.begin_again(run=run, readings=Counterparts(same, same), at=LATER)

    assert statuses(run)["last-error@1"] == "done"


def test_a_run_that_succeeds_by_what_came_later_is_a_reference(project: Project):
    run = failure(project)
    analysis = run.analyses.get(attributor="first-divergence@1")
    execute(analysis_id=analysis.pk, at=AT)
    unknown = failed(says(0, "Go."), external_id="x", outcome=Outcome.UNKNOWN, failures=())
    other = make_run(project, unknown)
    before = reading.transcript_of(other)
    other.outcome = Outcome.SUCCEEDED
    dispatch.begin_again(run=other, readings=Counterparts(before, before), at=LATER)

    analysis.refresh_from_db()
    assert analysis.status == "queued"
