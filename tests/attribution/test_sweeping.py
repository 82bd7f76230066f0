from __future__ import annotations

from datetime import timedelta

import pytest

from attribution import sweeping, tasks
from attribution.execution import claim, execute
from attribution.models import Analysis
from attribution.sweeping import sweep
from tests.factories import AT, make_project, make_run
from traces.models import AuditEntry

pytestmark = [pytest.mark.django_db, pytest.mark.database]

LEASE = timedelta(minutes=6)
TOO_SOON = AT + timedelta(seconds=20)
LATE = AT + timedelta(seconds=21)


@pytest.fixture
def analysis() -> Analysis:
    run = make_run(make_project())
    run.analyses.exclude(attributor="last-error@1").delete()
    return run.analyses.get()


def test_what_was_sent_just_now_is_left_alone(analysis: Analysis):
    assert sweep(at=TOO_SOON) == []


def test_what_is_finished_is_left_alone(analysis: Analysis):
    execute(analysis_id=analysis.pk, at=AT)

    assert sweep(at=AT + 10 * LEASE) == []


def test_what_a_worker_holds_is_left_alone(analysis: Analysis):
    claim(analysis_id=analysis.pk, at=AT, lease=LEASE)

    assert sweep(at=AT + LEASE) == []


def test_a_lost_message_is_sent_again_and_not_at_once_again(analysis: Analysis):
    assert sweep(at=LATE) == [analysis.pk]
    assert sweep(at=LATE + timedelta(seconds=20)) == []
    assert sweep(at=LATE + timedelta(seconds=21)) == [analysis.pk]


def test_what_was_never_sent_is_sent(analysis: Analysis):
    Analysis.objects.update(sent_at=None)

    assert sweep(at=AT) == [analysis.pk]


def test_what_a_dead_worker_left_is_sent_again(analysis: Analysis):
    claim(analysis_id=analysis.pk, at=AT, lease=LEASE)

    assert sweep(at=AT + LEASE + timedelta(seconds=1)) == [analysis.pk]
    execute(analysis_id=analysis.pk, at=AT + 2 * LEASE)

    analysis.refresh_from_db()
    assert (analysis.status, analysis.tries) == ("done", 2)


def test_what_killed_three_workers_is_given_up_with_a_sentence(analysis: Analysis):
    for n in range(3):
        claim(analysis_id=analysis.pk, at=AT + 2 * n * LEASE, lease=LEASE)

    assert sweep(at=AT + 5 * LEASE) == []
    assert sweep(at=AT + 10 * LEASE) == []

    analysis.refresh_from_db()
    assert analysis.status == "failed"
    assert analysis.error == (
        "The worker died 3 times on this analysis, or ran out of time; it is given up."
    )
    assert AuditEntry.objects.filter(action="analysis.failed").count() == 1


def test_the_third_worker_is_not_given_up_while_it_works(analysis: Analysis):
    for n in range(3):
        claim(analysis_id=analysis.pk, at=AT + 2 * n * LEASE, lease=LEASE)

    sweep(at=AT + 4 * LEASE)

    analysis.refresh_from_db()
    assert analysis.status == "running"


def test_the_tasks_do_what_their_modules_do(analysis: Analysis):
    tasks.sweep()
    analysis.refresh_from_db()
    assert analysis.sent_at
    assert analysis.sent_at > AT

    tasks.analyse(analysis_id=analysis.pk, something_from_a_newer_version=True)
    analysis.refresh_from_db()
    assert str(analysis) == f"last-error@1 on {analysis.run_id}: done"


def test_a_sweep_sends_the_oldest_and_no_more_than_it_may(
    analysis: Analysis, monkeypatch: pytest.MonkeyPatch
):
    other = make_run(make_project("other"), at=AT - timedelta(hours=1)).analyses.first()
    assert other
    Analysis.objects.exclude(pk__in=[analysis.pk, other.pk]).delete()
    monkeypatch.setattr(sweeping, "MOST", 1)

    assert sweep(at=LATE) == [other.pk]
    assert sweep(at=LATE) == [analysis.pk]
    assert sweep(at=LATE) == []
