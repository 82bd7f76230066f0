"""Relations between runs, followed both ways. A success never hides the attempt that failed."""

from __future__ import annotations

from datetime import timedelta

import pytest
from pytest_django import DjangoAssertNumQueries

from tests.factories import AT, make_project, make_run, make_step, make_transcript, make_user
from traces import quarantine, relations
from traces.models import Project, Run
from traces.relations import Relative, relations_of
from traces.transcript import Outcome

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def made(
    project: Project, name: str, *, days: int = 0, failed: bool = True, **given: object
) -> Run:
    outcome = Outcome.FAILED if failed else Outcome.SUCCEEDED
    given = {"external_id": name, "outcome": outcome, "task_text": name, **given}
    return make_run(project, make_transcript(make_step(0), **given), at=AT + timedelta(days=days))  # type: ignore[arg-type]


def named(relatives: tuple[Relative, ...]) -> list[str]:
    return [each.external_id for each in relatives]


@pytest.fixture
def family(db: None) -> dict[str, Run]:
    """The first attempt, two retries that came in the wrong order, and a fork of the last."""
    project = make_project()
    retry = {"parent_run": "first", "parent_relation": "retry"}
    return {
        "first": made(project, "first"),
        "third": made(project, "third", days=1, failed=False, attempt=3, **retry),
        "second": made(project, "second", days=2, attempt=2, attempt_reason="rate limit", **retry),
        "fork": made(project, "fork", days=3, parent_run="third", parent_relation="fork"),
    }


def test_a_run_alone_has_no_relations(db: None) -> None:
    found = relations_of(made(make_project(), "alone"))
    assert (found.any, found.parents, found.children, found.attempts) == (False, (), (), ())


def test_children_are_listed_by_attempt_with_reason_and_outcome(family: dict[str, Run]) -> None:
    found = relations_of(family["first"])
    assert named(found.children) == ["second", "third"]
    second = found.children[0]
    assert (second.attempt, second.reason, second.outcome) == (2, "rate limit", "failed")
    assert second.id == family["second"].pk


def test_a_successful_retry_shows_the_failed_ones(family: dict[str, Run]) -> None:
    found = relations_of(family["third"])
    assert named(found.parents) == ["first"]
    assert found.parents[0].outcome == "failed"
    assert named(found.attempts) == ["second", "third"]
    assert named(found.children) == ["fork"]
    assert found.children[0].relation == "fork"


def test_a_parent_that_is_not_here_is_named(db: None) -> None:
    lost = made(make_project(), "lost", parent_run="elsewhere", parent_relation="resume")
    found = relations_of(lost)
    assert (found.parent_name, found.relation, found.parent_is_missing) == (
        "elsewhere",
        "resume",
        True,
    )
    assert found.any


def test_runs_of_another_project_are_no_relatives(family: dict[str, Run]) -> None:
    other = made(make_project("other"), "first")
    assert relations_of(other).children == ()


def test_several_runs_of_the_parents_name_are_all_shown(family: dict[str, Run]) -> None:
    Run.objects.filter(pk=family["fork"].pk).update(external_id="first")
    assert named(relations_of(family["second"]).parents) == ["first", "first"]


def test_it_is_one_query_and_says_when_it_is_cut(
    family: dict[str, Run],
    monkeypatch: pytest.MonkeyPatch,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    run = Run.objects.select_related("project").get(pk=family["third"].pk)
    with django_assert_num_queries(1):
        assert not relations_of(run).cut
    monkeypatch.setattr(relations, "MOST", 1)
    found = relations_of(family["first"])
    assert (found.cut, named(found.children)) == (True, ["second"])


def test_what_a_closed_run_says_is_not_told_by_its_relatives() -> None:
    project = make_project()
    parent = make_run(project, make_transcript(external_id="p"))
    child = make_transcript(external_id="c", parent_run="p", attempt=2, attempt_reason="secret")
    closed = make_run(project, child)
    assert relations_of(parent).children[0].reason == "secret"
    by = make_user("lena")
    quarantine.set_aside(run=closed, reason="personal_data", note="", by=by, at=AT)
    assert relations_of(parent).children[0].reason == ""
