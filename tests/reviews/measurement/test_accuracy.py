from __future__ import annotations

import pytest

from reviews.measurement.accuracy import Accuracy, accuracy_by_attributor
from reviews.models import Case
from tests.factories import AT
from tests.reviews.scenes import (
    case_of,
    make_candidate,
    make_failed_run,
    make_scene,
    settle,
    sign,
    user,
)
from traces import quarantine


@pytest.mark.parametrize(
    ("right", "n", "low", "high"),
    [
        # Newcombe 1998, Statistics in Medicine 17:857, table I, method 3 (Wilson score).
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_the_interval_is_the_published_one(right: int, n: int, low: float, high: float) -> None:
    accuracy = Accuracy.of(right=right, n=n)
    assert round(accuracy.low, 4) == low
    assert round(accuracy.high, 4) == high


def test_sentences() -> None:
    assert Accuracy.of(right=0, n=0).sentence() == "not measured yet: 0 signed cases"
    # By hand: 37/120 = 30.8 %, Wilson 23.3 to 39.6 %.
    assert Accuracy.of(right=37, n=120).sentence() == (
        "step right in 31 % of 120 signed cases (23–40 %)"
    )
    # One of two, by scipy: 9 to 91 %.
    assert Accuracy.of(right=1, n=2, left_out=3).sentence() == (
        "step right in 50 % of 2 signed cases (9–91 %); 3 of runs set aside not counted"
    )
    assert Accuracy.of(right=0, n=0, left_out=1).sentence() == (
        "not measured yet: 0 signed cases; 1 of runs set aside not counted"
    )


def settled(case: Case) -> None:
    settle(case, sign(case, "ada"))


@pytest.mark.django_db
@pytest.mark.database
def test_nothing_is_counted_before_a_verdict() -> None:
    case = make_scene()
    make_candidate(case.run)
    sign(case, "ada")
    assert accuracy_by_attributor(case.project) == {}


@pytest.mark.django_db
@pytest.mark.database
def test_only_the_first_candidate_counts(django_assert_num_queries) -> None:
    case = make_scene()
    make_candidate(case.run, attributor="right@1")
    make_candidate(case.run, attributor="late@1", step=2)
    make_candidate(case.run, attributor="late@1")
    settled(case)
    with django_assert_num_queries(1):
        accuracy = accuracy_by_attributor(case.project)
    assert accuracy == {
        "late@1": Accuracy.of(right=0, n=1),
        "right@1": Accuracy.of(right=1, n=1),
    }


@pytest.mark.django_db
@pytest.mark.database
def test_runs_that_are_set_aside_are_left_out_and_said(django_assert_num_queries) -> None:
    case = make_scene()
    other = case_of(make_failed_run(case.project, "run-2"))
    for each, step in ((case, 1), (other, 2)):
        make_candidate(each.run, step=step)
        settled(each)
    lena = user("lena")
    row = quarantine.set_aside(run=other.run, reason="duplicate", note="", by=lena, at=AT)
    with django_assert_num_queries(1):
        accuracy = accuracy_by_attributor(case.project)
    assert accuracy == {"first@1": Accuracy.of(right=1, n=1, left_out=1)}
    quarantine.lift(quarantine=row, why="It is none.", by=lena, at=AT)
    assert accuracy_by_attributor(case.project) == {"first@1": Accuracy.of(right=1, n=2)}


@pytest.mark.django_db
@pytest.mark.database
def test_no_candidate_is_wrong_and_a_failed_analysis_is_not_counted() -> None:
    case = make_scene()
    silent = make_candidate(case.run, attributor="silent@1").analysis
    silent.candidates.all().delete()
    broken = make_candidate(case.run, attributor="broken@1").analysis
    broken.status = "failed"
    broken.save()
    settled(case)
    assert accuracy_by_attributor(case.project) == {"silent@1": Accuracy.of(right=0, n=1)}


@pytest.mark.django_db
@pytest.mark.database
def test_unresolved_superseded_and_foreign_verdicts_are_not_counted() -> None:
    case = make_scene()
    unclear = case_of(make_failed_run(case.project, "run-2"))
    elsewhere = make_scene("other")
    for each in (case, unclear, elsewhere):
        make_candidate(each.run)
    claim = sign(case, "ada")
    first = settle(case, claim)
    settle(unclear, sign(unclear, "ada", "unresolved"))
    settled(elsewhere)
    one = {"first@1": Accuracy.of(right=1, n=1)}
    assert accuracy_by_attributor(case.project) == one
    settle(case, claim, supersedes=first, reason="Said better.")
    assert accuracy_by_attributor(case.project) == one
    assert accuracy_by_attributor(case.project, leaving_out=case) == {}
    assert case.verdicts.count() == 2
