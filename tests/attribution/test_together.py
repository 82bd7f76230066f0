from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from pytest_django import DjangoAssertNumQueries

from attribution import comparing, pairings, together
from attribution.models import Comparison
from attribution.pairings import Pairs
from tests.attribution.scenes import calls, failed, passed, says
from tests.factories import AT, make_project, make_run, make_user
from traces import models, reading
from traces.models import Run, RunOutline
from traces.outlines import outlines_of
from traces.transcript import Gap, Opinion

pytestmark = [pytest.mark.django_db, pytest.mark.database]
SAID = Opinion(source="labels", native_step="1", base=0, step=1, actor="", reason="Wrong.", data={})


@pytest.fixture
def left(db: None) -> Run:
    steps = (says(0, "Go."), calls(1, "read", path="a"), says(2, "Done."))
    given = failed(*steps, gaps=(Gap("no_times", "x", 1),), opinions=(SAID,))
    return fresh(make_run(make_project(), given))


@pytest.fixture
def right(left: Run) -> Run:
    given = passed(says(0, "Go."), calls(1, "read", path="b"), says(2, "Done."))
    return fresh(make_run(left.project, given))


@pytest.fixture
def ada() -> User:
    return make_user("ada")


def fresh(run: Run) -> Run:
    return Run.objects.get(pk=run.pk)


def pair(user: User, left: Run, right: Run) -> None:
    for step, minute in ((2, 1), (0, 0)):
        at = AT.replace(minute=minute)
        pairings.pair(user=user, left=left, right=right, left_step=step, right_step=step, at=at)


def test_opinions_are_not_read_unless_asked_for(left: Run) -> None:
    assert together.read(left, None, None).surroundings.opinions == ()
    found = together.read(left, None, None, opinions=True)
    assert found.surroundings.opinions == reading.opinions_of(left) == (SAID,)


def test_pairs_of_somebody_else_are_not_read(ada: User, left: Run, right: Run) -> None:
    pair(make_user("ben"), left, right)
    for reader in (ada, None):
        assert together.read(left, right, reader).pairs == Pairs()


def test_a_run_alone_has_nothing_to_compare(ada: User, left: Run, right: Run) -> None:
    comparing.compare(left, right)
    found = together.read(left, None, ada)
    assert (len(found.outlines), found.aligned, found.pairs) == (1, None, Pairs())


@pytest.mark.parametrize("field", ["left_revision", "right_revision", "version"])
def test_what_was_computed_otherwise_is_not_believed(left: Run, right: Run, field: str) -> None:
    comparing.compare(left, right)
    assert together.read(left, right, None).aligned
    Comparison.objects.update(**{field: 99})
    assert together.read(left, right, None).aligned is None


def test_pairs_of_another_reading_are_counted_and_ignored(ada: User, left: Run, right: Run) -> None:
    pair(ada, left, right)
    models.Run.objects.filter(pk=right.pk).update(revision=5)
    right.refresh_from_db()
    assert together.read(left, right, ada).pairs == Pairs((), outdated=2)


def test_it_is_what_each_would_read_alone_but_in_one_query(
    ada: User, left: Run, right: Run, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    comparing.compare(left, right)
    pair(ada, left, right)
    with django_assert_num_queries(1):
        found = together.read(left, right, ada, opinions=True)
    assert [one.lanes for one in found.outlines] == [o.lanes for o in outlines_of([left, right])]
    assert found.pairs == pairings.of(ada, left, right) == Pairs(((0, 0), (2, 2)))
    assert found.surroundings == reading.surroundings_of(left, opinions=True)
    stored = comparing.stored(left, right)
    assert stored
    assert found.aligned
    assert found.aligned.pack() == stored.pack()


def test_an_outline_that_came_along_is_not_read_again(left: Run, right: Run) -> None:
    joined = Run.objects.select_related("stored_outline").get(pk=left.pk)
    RunOutline.objects.filter(run=left).update(content=b"")
    assert [len(one) for one in together.read(joined, right, None).outlines] == [3, 3]


def test_outlines_that_are_not_stored_are_made(left: Run, right: Run) -> None:
    RunOutline.objects.all().delete()
    assert [len(one) for one in together.read(left, right, None).outlines] == [3, 3]
