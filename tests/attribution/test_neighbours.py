from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from attribution.neighbours import Neighbour, choices_for, comparison_for, reference_for
from tests.attribution.scenes import failed, passed, says
from tests.factories import AT, make_project, make_run, make_user
from traces import failing, models, quarantine
from traces.models import Project, Run
from traces.transcript import Failure

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def project() -> Project:
    return make_project()


def success(project: Project, name: str, *, steps: int = 2, days: int = 0, **fields: Any) -> Run:
    actor = fields.pop("actor", "planner")
    run = passed(*(says(n, f"Step {n}.", actor) for n in range(steps)), external_id=name, **fields)
    return make_run(project, run, at=AT + timedelta(days=days))


@pytest.fixture
def run(project: Project) -> Run:
    return make_run(project, failed(says(0, "Step 0."), says(1, "Broken.")))


def test_a_task_that_never_succeeded_has_no_reference(project: Project, run: Run):
    make_run(project, failed(says(0, "Also broken."), external_id="other"))

    assert reference_for(run) is None
    assert comparison_for(run) is None


def test_another_task_and_another_project_are_no_reference(project: Project, run: Run):
    success(project, "other task", task_id="T-2")
    success(make_project("elsewhere"), "other project")

    assert reference_for(run) is None


def test_a_run_without_a_task_has_no_reference(project: Project):
    success(project, "passed", task_id="")
    nameless = make_run(project, failed(says(0, "x"), external_id="nameless", task_id=""))

    assert reference_for(nameless) is None


def test_another_project_and_another_matter_are_no_comparison(project: Project, run: Run):
    success(project, "other matter", task_id="T-2", task_text="Book a flight to Lisbon.")
    success(make_project("elsewhere"), "other project", task_id="T-2")

    assert comparison_for(run) is None
    assert choices_for(run) == []


def test_without_a_reference_it_is_the_run_of_the_most_similar_task(project: Project, run: Run):
    success(project, "longer", task_id="T-2", steps=40)
    alike = success(project, "alike", task_id="T-3")
    success(project, "other words", task_id="T-4", task_text="Do the other thing.", days=1)

    found = comparison_for(run)

    assert found
    assert (found.run, found.title) == (alike, "Similar run")
    assert found.reason == ("most similar task, 100 % of its words; same role; 2 steps against 2")


def test_a_run_without_a_name_for_its_task_is_compared_by_its_words(project: Project):
    other = success(project, "passed")
    nameless = make_run(project, failed(says(0, "x"), external_id="nameless", task_id=""))

    assert comparison_for(nameless).run == other


def test_a_successful_run_is_not_compared_with_itself(project: Project):
    assert comparison_for(success(project, "passed")) is None


def test_the_reason_is_a_sentence(project: Project, run: Run):
    other = success(project, "passed", system={"name": "agents", "version": "2026.11.1"})

    found = comparison_for(run)

    assert found
    assert found.run == other
    assert found.title == "Successful run"
    assert found.reason == "same task T-1, system 2026.11.1, succeeded"


def test_a_version_that_is_not_known_is_not_named(project: Project, run: Run):
    success(project, "passed")

    assert comparison_for(run).reason == "same task T-1, succeeded"


def test_the_most_similar_shape_comes_before_the_newest(project: Project, run: Run):
    alike = success(project, "alike", steps=2)
    success(project, "longer", steps=40, days=1)
    success(project, "other role", steps=2, days=2, actor="somebody else")

    assert comparison_for(run).run == alike


def test_of_equally_similar_ones_the_newest(project: Project, run: Run):
    success(project, "older", days=1)
    newer = success(project, "newer", days=2)
    success(project, "oldest")

    assert comparison_for(run).run == newer


def test_a_run_that_is_set_aside_is_not_offered_until_it_is_back(project: Project, run: Run):
    older = success(project, "older")
    newer = success(project, "newer", days=2)
    lena = make_user("lena")
    row = quarantine.set_aside(run=newer, reason="duplicate", note="", by=lena, at=AT)
    assert comparison_for(run).run == older

    quarantine.lift(quarantine=row, why="It is none.", by=lena, at=AT)
    assert comparison_for(run).run == newer


def test_a_success_in_which_people_found_a_failure_is_not_offered(project: Project, run: Run):
    faulty = success(project, "faulty")
    failing.add_failure(
        run=faulty,
        failure=Failure(key="", statement="It lied."),
        by=make_user("ada"),
        origin=models.Failure.Origin.PERSON,
        at=AT,
    )
    assert comparison_for(run) is None


@pytest.mark.parametrize("others", [1, 3, 14])
def test_one_query_finds_it(
    project: Project,
    run: Run,
    others: int,
    django_assert_num_queries: DjangoAssertNumQueries,
):
    for n in range(others):
        success(project, f"passed {n}")

    with django_assert_num_queries(1):
        assert comparison_for(run)


@pytest.mark.parametrize("others", [1, 160])
def test_one_query_finds_one_of_another_task_too(
    project: Project,
    run: Run,
    others: int,
    django_assert_num_queries: DjangoAssertNumQueries,
):
    for n in range(others):
        success(project, f"passed {n}", task_id=f"other-{n}")

    with django_assert_num_queries(1):
        assert comparison_for(run)


def told(choices: list[Neighbour]) -> list[tuple[str, str, str]]:
    return [(each.run.external_id, each.title, each.reason) for each in choices]


def test_a_menu_offers_the_reference_relatives_the_task_and_similar_tasks(project: Project):
    def other(name: str, days: int, **fields: Any) -> None:
        make_run(
            project, failed(says(0, name), external_id=name, **fields), at=AT + timedelta(days)
        )

    other("first", 1, task_id="T-9")
    other("retried", 2, parent_run="first", parent_relation="retry", attempt=2, task_id="T-9")
    other("again", 3, parent_run="run", parent_relation="replay", task_id="T-9")
    other("fourth", 4, attempt=4)
    other("plain", 5)
    success(project, "passed", days=6)
    success(project, "similar", days=7, task_id="T-2")
    fields = {"parent_run": "first", "parent_relation": "retry", "attempt": 3}
    run = make_run(project, failed(says(0, "x"), external_id="run", **fields))

    assert told(choices_for(run)) == [
        ("passed", "Successful run", "same task T-1, succeeded"),
        ("fourth", "Another attempt", "same task T-1, attempt 4, failed"),
        ("again", "Later run", "a replay of this run, failed"),
        ("retried", "Another attempt", "retry of first, as this run, attempt 2, failed"),
        ("first", "Earlier run", "this run is a retry of it, failed"),
        ("plain", "Same task", "same task T-1, failed"),
        (
            "similar",
            "Similar run",
            "most similar task, 100 % of its words; same role; 2 steps against 1",
        ),
    ]


def test_what_is_set_aside_is_on_no_menu(project: Project, run: Run):
    lena = make_user("lena")
    aside = [success(project, "one"), success(project, "two", task_id="T-2")]
    aside.append(make_run(project, failed(says(0, "x"), external_id="three")))
    for each in aside:
        quarantine.set_aside(run=each, reason="duplicate", note="", by=lena, at=AT)

    assert choices_for(run) == []


def test_a_success_in_which_people_found_a_failure_is_called_none(project: Project, run: Run):
    faulty = success(project, "faulty")
    failing.add_failure(
        run=faulty,
        failure=Failure(key="", statement="It lied."),
        by=make_user("ada"),
        origin=models.Failure.Origin.PERSON,
        at=AT,
    )
    assert "Successful run" not in {each.title for each in choices_for(run)}


@pytest.mark.parametrize("others", [1, 40])
def test_a_menu_is_short_and_takes_two_queries(
    project: Project,
    run: Run,
    others: int,
    django_assert_num_queries: DjangoAssertNumQueries,
):
    for n in range(others):
        success(project, f"passed {n}")
        success(project, f"elsewhere {n}", task_id=f"other-{n}")
        make_run(project, failed(says(0, f"{n}"), external_id=f"failed {n}"))

    with django_assert_num_queries(2):
        assert 3 <= len(choices_for(run)) <= 27
