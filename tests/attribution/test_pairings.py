from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from pytest_django import DjangoAssertNumQueries

from attribution import comparing, pairings
from attribution.alignment.aligned import Aligned
from attribution.models import Pairing
from tests.attribution.scenes import calls, failed, passed, says
from tests.factories import AT, make_project, make_run, make_user
from traces import audit
from traces.models import AuditEntry, Project, Run
from traces.outlines import outlines_of

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def project() -> Project:
    return make_project()


@pytest.fixture
def left(project: Project) -> Run:
    return make_run(project, failed(says(0, "Go."), calls(1, "read", path="a"), says(2, "Done.")))


@pytest.fixture
def right(project: Project) -> Run:
    return make_run(project, passed(says(0, "Go."), calls(1, "read", path="b"), says(2, "Done.")))


@pytest.fixture
def ada() -> User:
    return make_user("ada")


def pair(
    user: User, left: Run, right: Run, left_step: int, right_step: int | None, *, minute: int = 0
) -> Pairing:
    at = AT + timedelta(minutes=minute)
    return pairings.pair(
        user=user, left=left, right=right, left_step=left_step, right_step=right_step, at=at
    )


def rows(aligned: Aligned) -> list[tuple[int | None, int | None]]:
    return [(aligned.left_at(n), aligned.right_at(n)) for n in range(len(aligned))]


@pytest.mark.parametrize("steps", [(3, 0), (0, 3), (-1, 0), (0, -1), (7, None)])
def test_a_step_that_is_not_there_is_refused(ada: User, left: Run, right: Run, steps):
    with pytest.raises(pairings.Refused, match="has no step"):
        pair(ada, left, right, *steps)
    assert not Pairing.objects.exists()


def test_a_run_is_not_paired_with_itself(ada: User, left: Run):
    with pytest.raises(pairings.Refused, match="itself"):
        pair(ada, left, left, 0, 1)


def test_the_database_refuses_two_pairs_of_one_step(ada: User, left: Run, right: Run):
    made = pair(ada, left, right, 0, 1)
    for ours, theirs in ((0, 2), (2, 1)):
        made.pk, made.left_step, made.right_step = None, ours, theirs
        with pytest.raises(IntegrityError), transaction.atomic():
            made.save(force_insert=True)


def test_nobody_sees_another_persons_pairs(ada: User, left: Run, right: Run):
    pair(ada, left, right, 0, 1)

    assert pairings.of(make_user("ben"), left, right) == pairings.Pairs()
    assert pairings.of(ada, right, left) == pairings.Pairs()


def test_pairs_are_remembered(ada: User, left: Run, right: Run):
    pair(ada, left, right, 2, None)
    pair(ada, left, right, 0, 1, minute=1)

    assert pairings.of(ada, left, right) == pairings.Pairs(((2, None), (0, 1)))


@pytest.mark.parametrize(
    ("before", "after"), [((0, 1), (0, 2)), ((1, 2), (0, 2)), ((0, 2), (2, 1)), ((0, 1), (0, None))]
)
def test_a_pair_takes_the_place_of_what_it_contradicts(
    ada: User, left: Run, right: Run, before, after
):
    pair(ada, left, right, *before)
    pair(ada, left, right, *after)

    assert pairings.of(ada, left, right).pairs == (after,)


@pytest.mark.parametrize("side", ["left", "right"])
def test_pairs_on_another_reading_are_ignored_and_counted(
    ada: User, left: Run, right: Run, side: str
):
    pair(ada, left, right, 0, 1)
    run = {"left": left, "right": right}[side]
    run.revision += 1
    run.save(update_fields=["revision"])
    assert pairings.of(ada, left, right) == pairings.Pairs((), outdated=1)

    pair(ada, left, right, 1, 1)
    assert pairings.of(ada, left, right) == pairings.Pairs(((1, 1),))


def test_undoing_forgets_one_or_all(ada: User, left: Run, right: Run):
    ben = make_user("ben")
    for user in (ada, ben):
        pair(user, left, right, 0, 0)
        pair(user, left, right, 1, None)
    undo = {"user": ada, "left": left, "right": right, "at": AT}

    assert pairings.undo(left_step=2, **undo) == 0
    assert pairings.undo(left_step=0, **undo) == 1
    assert pairings.of(ada, left, right).pairs == ((1, None),)
    assert pairings.undo(left_step=None, **undo) == 1
    assert len(pairings.of(ben, left, right).pairs) == 2


def test_each_change_is_on_the_audit_chain(ada: User, left: Run, right: Run):
    pair(ada, left, right, 0, 1)
    pair(ada, left, right, 0, None)
    pairings.undo(user=ada, left=left, right=right, left_step=0, at=AT)
    pairings.undo(user=ada, left=left, right=right, left_step=0, at=AT)

    entries = AuditEntry.objects.filter(action__startswith="pairing.").order_by("number")
    beside = {"with": str(right.pk)}
    assert list(entries.values_list("action", "subject", "actor", "data")) == [
        ("pairing.made", f"run:{left.pk}", ada.pk, {**beside, "pair": [0, 1], "replaced": 0}),
        ("pairing.made", f"run:{left.pk}", ada.pk, {**beside, "pair": [0, None], "replaced": 1}),
        ("pairing.undone", f"run:{left.pk}", ada.pk, {**beside, "step": 0, "pairs": 1}),
    ]
    assert list(audit.faults()) == []


def test_pairs_are_applied_to_an_alignment_that_stays_as_it_is(ada: User, left: Run, right: Run):
    aligned = comparing.compare(left, right)
    assert rows(aligned) == [(0, 0), (1, 1), (2, 2)]
    pair(ada, left, right, 2, 1)
    outlines = outlines_of([left, right])
    found = pairings.of(ada, left, right)
    shown = pairings.applied(aligned, found, left, right, outlines=outlines)

    assert rows(shown) == [(0, 0), (1, None), (2, 1), (None, 2)]
    assert [d.sentence for d in shown.divergences] == ["planner acts where the other run has coder"]
    found = comparing.stored(left, right)
    assert found
    assert rows(found) == rows(aligned)


def test_pairs_cost_one_query_and_another_where_there_are_any(
    ada: User, left: Run, right: Run, django_assert_num_queries: DjangoAssertNumQueries
):
    aligned, outlines = comparing.compare(left, right), outlines_of([left, right])
    with django_assert_num_queries(1):
        none = pairings.of(ada, left, right)
        assert pairings.applied(aligned, none, left, right, outlines=outlines) is aligned
    for step in (0, 1):
        pair(ada, left, right, step, step)
    with django_assert_num_queries(2):
        found = pairings.of(ada, left, right)
        pairings.applied(aligned, found, left, right, outlines=outlines)
