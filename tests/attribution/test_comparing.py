from __future__ import annotations

from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from attribution import comparing
from attribution.alignment import aligned
from attribution.models import Comparison
from tests.attribution.scenes import decides, failed, passed, says
from tests.factories import make_project, make_run
from traces.models import Project, Run

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def project() -> Project:
    return make_project()


@pytest.fixture
def left(project: Project) -> Run:
    return make_run(project, failed(says(0, "Go."), decides(1, "left")))


@pytest.fixture
def right(project: Project) -> Run:
    return make_run(project, passed(says(0, "Go."), decides(1, "right")))


def test_what_was_not_computed_is_not_stored(left: Run, right: Run):
    assert comparing.stored(left, right) is None


def test_the_other_way_round_is_another_comparison(left: Run, right: Run):
    comparing.compare(left, right)

    assert comparing.stored(right, left) is None


@pytest.mark.parametrize("side", ["left", "right"])
def test_another_reading_of_either_run_is_not_believed(left: Run, right: Run, side: str):
    comparing.compare(left, right)
    run = {"left": left, "right": right}[side]
    run.revision += 1
    run.save(update_fields=["revision"])

    assert comparing.stored(left, right) is None


def test_another_version_is_not_believed(left: Run, right: Run):
    comparing.compare(left, right)
    Comparison.objects.update(version=aligned.VERSION + 1)

    assert comparing.stored(left, right) is None


def test_what_is_computed_is_stored(left: Run, right: Run):
    computed = comparing.compare(left, right)
    found = comparing.stored(left, right)

    assert found
    assert found.divergences == computed.divergences
    assert found.first_divergence
    assert found.first_divergence.sentence == "planner chooses “left” instead of “right”"


def test_computing_again_replaces_it(left: Run, right: Run):
    comparing.compare(left, right)
    left.revision = 3
    comparing.compare(left, right)

    assert Comparison.objects.count() == 1
    assert comparing.stored(left, right)


def test_it_goes_with_either_run(left: Run, right: Run):
    comparing.compare(left, right)
    comparing.compare(right, left)
    right.delete()

    assert not Comparison.objects.exists()


@pytest.mark.parametrize("steps", [(0, 0), (1, comparing.ALIGNABLE)])
def test_what_is_short_enough_has_no_reason(left: Run, right: Run, steps: Any):
    left.step_count, right.step_count = steps

    assert comparing.too_long(left, right) == ""


def test_what_is_too_long_is_said_in_a_sentence(left: Run, right: Run):
    right.step_count = 123_456

    assert "123,456 steps" in comparing.too_long(left, right)


def test_one_query_finds_it_and_five_make_it(
    left: Run, right: Run, django_assert_num_queries: DjangoAssertNumQueries
):
    with django_assert_num_queries(5):
        comparing.compare(left, right)
    with django_assert_num_queries(1):
        assert comparing.stored(left, right)
