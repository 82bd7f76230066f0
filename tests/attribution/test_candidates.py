from __future__ import annotations

import pytest
from django.db import IntegrityError
from pytest_django import DjangoAssertNumQueries

from attribution import candidates
from attribution.candidates import Progress, ranked_for
from attribution.models import Analysis, Candidate
from tests.factories import AT, make_project, make_run
from traces.models import Run

pytestmark = [pytest.mark.django_db, pytest.mark.database]

Status = Analysis.Status


@pytest.fixture
def run() -> Run:
    run = make_run(make_project())
    run.analyses.all().delete()
    return run


def analysed(run: Run, label: str, *scores: tuple[int, float], status: str = Status.DONE) -> None:
    """An analysis with a candidate per (step, score), ranked as given."""
    ended = AT if status in (Status.DONE, Status.FAILED) else None
    analysis = Analysis.objects.create(
        run=run, attributor=label, status=status, queued_at=AT, finished_at=ended
    )
    for rank, (step, score) in enumerate(scores, start=1):
        proposed(analysis, rank=rank, step=step, score=score)


def proposed(analysis: Analysis, **fields: object) -> Candidate:
    quote = {"step": 0, "part": 0, "start": 0, "end": 4, "text": "Step", "sha256": "0" * 64}
    given = {"actor": "planner", "part": "produced", "rationale": "So.", "quotes": [quote]}
    return Candidate.objects.create(analysis=analysis, **given, **fields)


def shown(run: Run) -> list[tuple[str, int]]:
    return [(found.analysis.attributor, found.step) for found in ranked_for(run)]


def test_the_database_refuses_a_candidate_without_a_quote(run: Run):
    analysed(run, "a@1")

    with pytest.raises(IntegrityError, match="candidates_carry_an_anchored_quote"):
        Candidate.objects.create(
            analysis=run.analyses.get(),
            rank=1,
            step=0,
            actor="planner",
            part="produced",
            score=0.5,
            rationale="So.",
            quotes=[],
        )


def test_what_is_not_finished_is_not_shown(run: Run):
    analysed(run, "a@1", (0, 0.9), status=Status.RUNNING)
    analysed(run, "b@1", (0, 0.9), status=Status.FAILED)

    assert shown(run) == []


def test_a_candidate_names_itself_by_step_actor_and_part(run: Run):
    analysed(run, "a@1", (2, 0.9))

    assert str(ranked_for(run)[0]) == "#2 planner produced it"


def test_the_best_score_comes_first_then_the_rank(run: Run):
    analysed(run, "a@1", (0, 0.5), (1, 0.5), (2, 0.9))

    assert shown(run) == [("a@1", 2), ("a@1", 0), ("a@1", 1)]


def test_the_same_step_from_two_attributors_stays_two_and_together(run: Run):
    analysed(run, "a@1", (0, 0.9), (1, 0.6))
    analysed(run, "b@1", (2, 0.8), (0, 0.2))

    assert shown(run) == [("a@1", 0), ("b@1", 0), ("b@1", 2), ("a@1", 1)]


def test_the_same_step_in_another_part_is_another_suspicion(run: Run):
    analysed(run, "a@1", (0, 0.9), (1, 0.6))
    analysed(run, "b@1")
    proposed(run.analyses.get(attributor="b@1"), rank=1, step=0, score=0.2, **{})
    Candidate.objects.filter(analysis__attributor="b@1").update(part="missed")

    assert shown(run) == [("a@1", 0), ("a@1", 1), ("b@1", 0)]


def test_candidates_of_other_runs_stay_there(run: Run):
    analysed(run, "a@1", (0, 0.9))

    assert shown(make_run(make_project("other"))) == []


@pytest.mark.parametrize("attributors", [1, 3])
def test_candidates_and_progress_in_one_query(
    run: Run, attributors: int, django_assert_num_queries: DjangoAssertNumQueries
):
    for n in range(attributors):
        analysed(run, f"a@{n}", (0, 0.5), (1, 0.4))
        analysed(run, f"b@{n}", status=Status.RUNNING)

    with django_assert_num_queries(1):
        found = candidates.of(run)
        assert [row.analysis.run_id for row in found.ranked] == [run.pk] * 2 * attributors
    assert (found.progress.done, found.progress.running) == (attributors, attributors)


def test_candidates_are_those_of_the_rows_whatever_else_is_going_on(run: Run):
    """Against a query of its own for each of the two, as they would be asked for alone."""
    analysed(run, "a@1", (0, 0.5), (1, 0.4))
    analysed(run, "b@1", (2, 0.9), status=Status.RUNNING)
    analysed(run, "c@1")
    analysed(make_run(make_project("other")), "d@1", (0, 0.9))

    found = candidates.of(run)

    rows = Candidate.objects.filter(analysis__run=run, analysis__status=Status.DONE)
    assert list(found.ranked) == list(rows.order_by("-score"))
    assert [row.analysis for row in found.ranked] == [run.analyses.get(attributor="a@1")] * 2
    assert found.progress.total == run.analyses.count() == 3


def test_progress_counts_each_status_and_gathers_notes(run: Run):
    analysed(run, "a@1", status=Status.QUEUED)
    analysed(run, "b@1", status=Status.RUNNING)
    analysed(run, "c@1", status=Status.FAILED)
    analysed(run, "d@1")
    run.analyses.filter(attributor="d@1").update(note="nothing to compare with")

    found = candidates.of(run).progress

    assert found == Progress(1, 1, 1, 1, ("d@1: nothing to compare with",))
    assert (found.unfinished, found.total) == (2, 4)
