from __future__ import annotations

from typing import Any

import pytest
from django.http import QueryDict
from pytest_django import DjangoAssertNumQueries

from attribution import comparing, viewing, windows
from attribution.beside import Beside, Holds, nothing, of_run
from attribution.drawn_steps import Marks
from attribution.models import Comparison
from attribution.place import Place
from attribution.viewing import Viewing
from attribution.windows import window_of
from tests.attribution.scenes import decides, failed, passed, says
from tests.factories import make_project, make_run
from traces.models import Run
from traces.transcript import Gap

pytestmark = [pytest.mark.django_db, pytest.mark.database]
STEPS = 60


@pytest.fixture
def run(db: None) -> Run:
    """Sixty steps, of which the last one exposes the failure; gaps at #10 and #20."""
    gaps = (Gap("no_times", "x", 10), Gap("no_times", "x", 20))
    return make_run(
        make_project(), failed(*(says(n, f"Step {n}.") for n in range(STEPS)), gaps=gaps)
    )


@pytest.fixture
def other(run: Run) -> Run:
    """The same without the first step, and with a choice more at its end."""
    steps = [says(n, f"Step {n + 1}.") for n in range(STEPS - 1)]
    return make_run(run.project, passed(*steps, decides(STEPS - 1, "v2", "owner"), task_id="T-9"))


def looking(run: Run, address: str = "", beside: Beside | None = None) -> Viewing:
    run = Run.objects.select_related("project", "document", "stored_outline").get(pk=run.pk)
    return Viewing(run, Place.from_query(QueryDict(address)), beside or nothing())


def shown(found: Viewing) -> tuple[int, int]:
    return found.span.first, found.span.end


@pytest.mark.parametrize(
    ("address", "selected", "span"),
    [
        ("", 0, (0, 24)),
        ("step=30", 30, (28, 52)),
        ("step=99999999", 59, (57, 60)),
        ("step=x", 0, (0, 24)),
        ("row=30", 30, (28, 52)),
        ("row=99999999", 59, (57, 60)),
        ("from=30", 30, (30, 54)),
        ("from=99999999", 59, (60, 60)),
        ("until=30", 30, (7, 31)),
        ("until=0", 0, (0, 1)),
        ("until=99999999", 59, (36, 60)),
        # A step is selected wherever the window is.
        ("step=5&from=30", 5, (30, 54)),
        ("step=5&until=30", 5, (7, 31)),
        ("step=5&row=30", 5, (28, 52)),
        # A jump begins at the step, and what it finds is selected and shown.
        ("go=end", 59, (57, 60)),
        ("step=30&go=start", 0, (0, 24)),
        ("step=30&go=failure", 59, (57, 60)),
        ("step=10&go=next-gap", 20, (18, 42)),
        ("step=20&go=next-gap", 10, (8, 32)),
        ("step=99999999&go=previous-gap", 20, (18, 42)),
        # One that leads nowhere leaves the reader where they are.
        ("step=30&go=next-error", 30, (28, 52)),
        ("step=30&go=nowhere", 30, (28, 52)),
    ],
)
def test_what_is_selected_and_which_rows_are_shown(
    run: Run, address: str, selected: int, span: tuple[int, int]
) -> None:
    found = looking(run, address)
    assert (found.selected, shown(found)) == (selected, span)


def test_the_first_hit_is_selected_until_somebody_selects(run: Run) -> None:
    run.steps.filter(number=40)
    found = looking(run, "text=x&kind=decision")
    assert (found.selected, len(found.rows)) == (0, 0)


def test_candidates_are_jumped_to_best_first(run: Run) -> None:
    found = looking(run, "step=0&go=origin")
    found.marks = Marks(candidates={30: (2,), 40: (1, 3)})
    assert found.landmarks.proposed == (40, 30)
    assert found.selected == 40


def test_nothing_is_beside_it(run: Run, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    found = looking(run)
    with django_assert_num_queries(0):
        assert (found.aligned, found.waits, found.too_long) == (None, False, "")
    with django_assert_num_queries(1):
        assert len(found.rows) == STEPS
        assert found.surroundings.gaps


def test_short_runs_are_compared_at_once_and_kept(
    run: Run, other: Run, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    found = looking(run, "", of_run(other))
    assert found.aligned
    assert (found.waits, Comparison.objects.count()) == (False, 1)
    assert len(found.rows) == len(found.aligned) > STEPS - 1
    again = looking(run, "", of_run(other))
    with django_assert_num_queries(1):
        assert again.aligned


def test_long_runs_wait_until_they_were_compared(
    run: Run, other: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(viewing, "AT_ONCE", 2 * STEPS - 1)
    found = looking(run, "step=30", of_run(other))
    assert (found.aligned, found.waits, found.too_long) == (None, True, "")
    assert (len(found.rows), shown(found)) == (STEPS, (28, 52))
    assert not Comparison.objects.exists()
    comparing.compare(run, other)
    again = looking(run, "step=30", of_run(other))
    assert again.aligned
    assert not again.waits


def test_too_long_runs_say_so_and_are_never_compared(
    run: Run, other: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    comparing.compare(run, other)
    monkeypatch.setattr(comparing, "ALIGNABLE", STEPS - 1)
    found = looking(run, "", of_run(other))
    assert (found.aligned, found.waits) == (None, False)
    assert "One of these runs has 60 steps" in found.too_long


def test_branches_of_a_too_long_run_are_not_read(
    run: Run, monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    monkeypatch.setattr(comparing, "ALIGNABLE", STEPS - 1)
    found = looking(run, beside=Beside(Holds.BRANCH, steps=(5, 9)))
    with django_assert_num_queries(0):
        assert found.aligned is None
    assert found.too_long.startswith(f"One of these runs has {STEPS} steps")


def test_a_row_without_a_step_of_ours_is_shown_and_the_one_before_it_selected(
    run: Run, other: Run
) -> None:
    found = looking(run, "row=99999999", of_run(other))
    assert (found.rows.left[-1], found.rows.right[-1]) == (-1, STEPS - 1)
    assert found.span.end == len(found.rows)
    assert found.selected == STEPS - 1


def window(run: Run, address: str, **budget: Any) -> Any:
    found = looking(run, address)
    return window_of(found, {"viewing": found, "list_side": "s"})


def test_a_window_says_which_steps_of_how_many_it_shows(run: Run) -> None:
    told = [
        (each.first, each.last, each.steps, each.earlier, each.later)
        for each in (window(run, a) for a in ("", "step=30", "until=29", "from=50"))
    ]
    assert told == [
        (0, 23, 60, None, 24),
        (28, 51, 60, 27, 52),
        (6, 29, 60, 5, 30),
        (50, 59, 60, 49, None),
    ]


def test_a_window_costs_one_query(
    run: Run, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    found = looking(run)
    assert found.surroundings
    with django_assert_num_queries(1):
        assert window_of(found, {"viewing": found, "list_side": "s"}).last == 23


def test_heavy_windows_are_cut_and_say_where_they_go_on(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(windows, "SIZE", 1)
    onwards, back = window(run, "step=30"), window(run, "until=30")
    assert (onwards.first, onwards.last, onwards.later, onwards.earlier) == (30, 30, 31, 29)
    assert (back.first, back.last, back.later, back.earlier) == (30, 30, 31, 29)
