from __future__ import annotations

from datetime import timedelta

import pytest

from reviews import assignment, queue
from reviews.models import Case
from tests.factories import AT, make_project, make_run, make_step, make_transcript
from tests.reviews.scenes import case_of, make_failed_run, make_policy, make_scene, sign, user
from traces.transcript import Outcome

pytestmark = [pytest.mark.django_db, pytest.mark.database]
HOUR = timedelta(hours=1)


def test_consequence_goes_before_frequency_and_frequency_before_age() -> None:
    project = make_project()
    old = case_of(make_failed_run(project, "old", task_id="A", at=AT - 2 * HOUR))
    first = case_of(make_failed_run(project, "b1", task_id="B", at=AT))
    second = case_of(make_failed_run(project, "b2", task_id="B", at=AT + HOUR))
    severe = case_of(make_failed_run(project, "severe", task_id="C", at=AT + HOUR))
    mild = case_of(make_failed_run(project, "b3", task_id="B", at=AT - HOUR))
    Case.objects.filter(pk=severe.pk).update(consequence="reported_result")
    Case.objects.filter(pk=mild.pk).update(consequence="transient")
    assert list(queue.ranked(project)) == [severe, first, second, old, mild]
    assert [case.frequency for case in queue.ranked(project)] == [1, 3, 3, 1, 3]


def test_only_failed_runs_of_the_same_project_and_task_count() -> None:
    elsewhere = make_project("other")
    make_failed_run(elsewhere, "x", task_id="A")
    project = make_project()
    make_run(project, make_transcript(make_step(0), external_id="ok", outcome=Outcome.SUCCEEDED, task_id="A"))  # fmt: skip  # noqa: E501
    make_failed_run(project, "a", task_id="A")
    assert [case.frequency for case in queue.ranked(project)] == [1]


def test_runs_without_a_named_task_are_not_the_same_task() -> None:
    project = make_project()
    for name in ("a", "b"):
        make_failed_run(project, name, task_id="")
    assert [case.frequency for case in queue.ranked(project)] == [1, 1]


def test_settled_and_waiting_cases_are_not_ranked() -> None:
    case = make_scene()
    assert list(queue.ranked(case.project)) == [case]
    sign(case, "ada")
    assert list(queue.ranked(case.project)) == []


def test_the_reason_of_a_rank_is_said_in_words() -> None:
    project = make_project()
    case = case_of(make_failed_run(project, "a", task_id="BILL-204"))
    assert queue.explain(case) == (
        "remediation; 1 failed run of task BILL-204; open since 2026-11-20 09:00 UTC"
    )
    make_failed_run(project, "b", task_id="BILL-204")
    words = "remediation; 2 failed runs of task BILL-204; open since 2026-11-20 09:00 UTC"
    assert {queue.explain(ranked) for ranked in queue.ranked(project)} == {words}


def test_many_failed_runs_are_counted_in_steps() -> None:
    project = make_project()
    seen = []
    for n in range(1, 12):
        make_failed_run(project, f"run-{n}", task_id="A")
        (frequency,) = set(queue.ranked(project).values_list("frequency", flat=True))
        seen.append(frequency)
    assert seen == [1, 2, 3, 4, 5, 5, 5, 5, 5, 10, 10]
    case = queue.ranked(project).first()
    assert case
    assert "remediation; at least 10 failed runs of task A; " in queue.explain(case)


def test_a_failed_run_without_a_stated_failure_counts_too() -> None:
    project = make_project()
    case = case_of(make_failed_run(project, "a", task_id="A"))
    make_failed_run(project, "b", task_id="A", failures=())
    case.refresh_from_db()
    assert case.frequency == 2


def test_the_rank_of_a_closed_case_is_left_alone() -> None:
    case = make_scene(task_id="A")
    sign(case, "ada")
    make_failed_run(case.project, "run-2", task_id="A")
    case.refresh_from_db()
    assert case.frequency == 1


def test_a_run_without_a_task_says_so() -> None:
    case = make_scene(task_id="")
    assert queue.explain(case) == (
        "remediation; 1 failed run, its task is not named; open since 2026-11-20 09:00 UTC"
    )


@pytest.mark.parametrize("number", [1, 3])
def test_ranking_takes_one_query(number: int, django_assert_num_queries) -> None:
    project = make_project()
    for n in range(number):
        make_failed_run(project, f"run-{n}", task_id=f"T-{n % 2}")
    with django_assert_num_queries(1):
        cases = list(queue.ranked(project).with_record())
        assert len([queue.explain(case) for case in cases]) == number


def test_an_empty_project_has_no_failed_runs_yet() -> None:
    project = make_project()
    assert queue.emptiness(project, user("ada")) == "No failed runs yet."


def test_all_done_is_only_said_when_all_is_done() -> None:
    case = make_scene(signatures=2)
    sign(case, "ada")
    assert queue.emptiness(case.project, user("ada")) == (
        "You have answered or declined 1 that others still work on."
    )
    sign(case, "ben")
    words = "All done: every open case has its claims."
    assert queue.emptiness(case.project, user("ada")) == words


def test_held_by_others_says_until_when() -> None:
    case = make_scene()
    other = case_of(make_failed_run(case.project, "run-2"))
    assignment.take(case=case, reviewer=user("ada"), at=AT)
    assert queue.emptiness(case.project, user("ada")).startswith("You hold 1 case yourself.")
    assignment.take(case=other, reviewer=user("ada"), at=AT + HOUR)
    assert queue.emptiness(case.project, user("ben")) == (
        "2 cases are held by others, the first until 10:00 UTC."
    )
    assert queue.emptiness(case.project, user("ada")) == "You hold 2 cases yourself."


def test_reasons_are_told_together() -> None:
    case = make_scene()
    other = case_of(make_failed_run(case.project, "run-2"))
    assignment.take(case=other, reviewer=user("ada"), at=AT)
    slot = assignment.take(case=case, reviewer=user("ben"), at=AT)
    assignment.decline(slot_id=slot.pk, token=slot.token, reason="Mine.", at=AT)
    assert queue.emptiness(case.project, user("ben")) == (
        "1 case is held by others, the first until 10:00 UTC. "
        "You have answered or declined 1 that others still work on."
    )


def test_open_means_servable() -> None:
    """What `ranked` counts as open can be taken by somebody, or is held: nothing is stuck."""
    project = make_project()
    make_policy(project, signatures_needed=2)
    for n in range(3):
        make_failed_run(project, f"run-{n}")
    served = set()
    for name in ("ada", "ben"):
        while slot := assignment.take_next(project=project, reviewer=user(name), at=AT):
            served.add(slot.case_id)
    assert served == set(queue.ranked(project).values_list("pk", flat=True))
