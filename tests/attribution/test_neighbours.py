from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from attribution.neighbours import comparison_for
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


def test_a_task_that_never_succeeded_has_nothing_to_compare_with(project: Project, run: Run):
    make_run(project, failed(says(0, "Also broken."), external_id="other"))

    assert comparison_for(run) is None


def test_another_task_and_another_project_are_no_comparison(project: Project, run: Run):
    success(project, "other task", task_id="T-2")
    success(make_project("elsewhere"), "other project")

    assert comparison_for(run) is None


def test_a_run_without_a_task_is_compared_with_nothing(project: Project):
    success(project, "passed", task_id="")
    nameless = make_run(project, failed(says(0, "x"), external_id="nameless", task_id=""))

    assert comparison_for(nameless) is None


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
