from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attribution import browser
from attribution.alignment import align
from attribution.browser import Browser, browse
from attribution.sides import Marks
from tests.attribution.scenes import calls, changes, decides, failed, passed, says
from traces.transcript import Step, StepKind, Transcript


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> int:
    """Windows of three steps, so that short runs have several."""
    monkeypatch.setattr(browser, "WINDOW", 3)
    return 3


def run_of(number: int, **fields: Any) -> Transcript:
    return failed(*(says(n, f"Step {n}.") for n in range(number)), **fields)


def lefts(page: Browser) -> list[int]:
    return [row.left.number for row in page.rows if row.left]


def test_a_run_alone_is_one_column() -> None:
    page = browse(run_of(3), None, marks=Marks())
    assert (page.comparable, page.aligned, page.divergences) == (False, 0, ())
    assert (page.first, page.last, page.total) == (0, 2, 3)
    assert (page.previous_window, page.next_window) == (None, None)
    assert [(row.kind, row.right, row.divergence) for row in page.rows] == [
        ("alone", None, None)
    ] * 3


def test_a_run_without_steps_is_an_empty_page() -> None:
    empty = replace(run_of(1), steps=())
    assert browse(empty, None, marks=Marks(), around=5).rows == ()
    beside = browse(empty, passed(says(0, "Done.")), marks=Marks())
    assert [(row.left, row.kind) for row in beside.rows] == [(None, "missing")]
    assert (beside.total, beside.next_window) == (0, None)


@pytest.mark.parametrize(
    ("around", "first", "last", "previous", "following"),
    [
        (0, 0, 2, None, 3),
        (2, 0, 2, None, 3),
        (3, 3, 5, 0, 6),
        (7, 6, 7, 3, None),
        (10**8, 6, 7, 3, None),
    ],
)
def test_the_window_holds_the_step_that_was_asked_for(
    narrow: int, around: int, first: int, last: int, previous: int | None, following: int | None
) -> None:
    page = browse(run_of(8), None, marks=Marks(), around=around)
    assert (page.first, page.last) == (first, last)
    assert (page.previous_window, page.next_window) == (previous, following)
    assert lefts(page) == list(range(first, last + 1))


words = st.lists(st.sampled_from(["plan", "use v1", "use v2", "run tests", "done"]), max_size=9)


@given(words, words)
def test_windows_side_by_side_tile_both_runs(ours: list[str], theirs: list[str]) -> None:
    """Going from window to window shows each step of either run once, in the same order."""
    left = failed(*(says(n, text) for n, text in enumerate(["begin", *ours])))
    right = passed(*(says(n, text) for n, text in enumerate(["begin", *theirs])))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(browser, "WINDOW", 3)
        pages = [browse(left, right, marks=Marks(), around=n) for n in range(0, len(left.steps), 3)]
    shown = [
        (row.left.number if row.left else None, row.right.number if row.right else None)
        for page in pages
        for row in page.rows
    ]
    assert shown == [(row.left, row.right) for row in align(left, right).rows]


def two_choices() -> tuple[Transcript, Transcript]:
    """The runs part at #1, where another interface is chosen; the words at #2 differ little."""
    ours = [says(0, "Build the client."), decides(1, "gateway v1"), says(2, "I start.")]
    theirs = [says(0, "Build the client."), decides(1, "gateway v2"), says(2, "I start.")]
    return failed(*ours, changes(3, "client", "v1")), passed(*theirs, changes(3, "client", "v2"))


def test_the_first_divergence_is_named_once() -> None:
    page = browse(*two_choices(), marks=Marks())
    assert page.comparable
    assert page.aligned == 4
    told = [(row.divergence, row.main) for row in page.rows]
    assert told[0] == (None, False)
    assert told[1] == (0, True)
    assert [main for _, main in told].count(True) == 1
    assert page.divergences[0] == (1, page.rows[1].explanation)
    assert "gateway v1" in page.rows[1].explanation


def test_divergences_of_little_weight_are_drawn_but_not_named() -> None:
    left, right = two_choices()
    word = says(2, "A completely different sentence about nothing in particular.")
    left = replace(left, steps=(*left.steps[:2], word, left.steps[3]))
    page = browse(left, right, marks=Marks())
    weights = {d.row: d.score for d in align(left, right).divergences}
    assert 2 in weights
    assert page.rows[2].kind == "changed"
    assert (page.rows[2].divergence, page.rows[2].explanation) == (None, "")


def test_a_divergence_of_the_other_run_is_at_the_step_before_it() -> None:
    left = failed(says(0, "Begin."), says(1, "End."))
    right = passed(says(0, "Begin."), decides(1, "check the interface"), says(2, "End."))
    page = browse(left, right, marks=Marks())
    kinds = [(row.kind, row.left and row.left.number) for row in page.rows]
    assert kinds == [("matched", 0), ("missing", None), ("matched", 1)]
    assert [step for step, _ in page.divergences] == [0]


def test_runs_too_long_to_align_stand_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(browser, "ALIGNABLE", 3)
    assert browse(run_of(3), passed(says(0, "x")), marks=Marks()).comparable
    for left, right in ((run_of(4), passed(says(0, "x"))), (run_of(1), run_of(4))):
        page = browse(left, right, marks=Marks())
        assert (page.comparable, page.rows[0].kind, page.rows[0].right) == (False, "alone", None)


def test_marks_stand_on_the_left_side_only() -> None:
    left, right = two_choices()
    marks = Marks(
        decisive=1,
        exposing=3,
        carriers=frozenset({2}),
        missed=frozenset({1, 2}),
        candidates={1: (1, 3)},
        cited={(1, 0): [(0, 8)]},
    )
    rows = browse(left, right, marks=marks).rows
    assert [row.left and row.left.roles for row in rows] == [
        (),
        (("first", "first upstream"), ("missed", "missed here")),
        (("carrier", "carried it"), ("missed", "missed here")),
        (("exposing", "exposed it"),),
    ]
    assert rows[1].left
    assert rows[1].right
    assert rows[1].left.candidates == (1, 3)
    assert [piece.cited for piece in rows[1].left.parts[0].shown.open] == [True, False]
    assert (rows[1].right.roles, rows[1].right.candidates) == ((), ())
    assert [piece.cited for piece in rows[1].right.parts[0].shown.open] == [False]


def test_words_that_differ_are_shown_on_the_right_and_the_left_stays_citable() -> None:
    row = browse(*two_choices(), marks=Marks()).rows[1]
    assert row.left
    assert row.right
    assert row.left.parts[0].diff == ()
    diff = row.right.parts[0].diff
    assert [text for op, text in diff if op == "delete"] == ["v1", "v1"]
    shown = "".join(text for op, text in diff if op != "delete")
    assert shown == "I choose gateway v2.\n\nchosen: gateway v2"


ORDER_A = "Work order A, branch calc: add the rows, round the total to cents, then open a request."
ORDER_B = "Work order B, branch pdf: draw one page for each customer with the date in the footer."


def swapped_orders() -> tuple[Transcript, Transcript]:
    """Both runs hand over A and B; this one A first, the other B first and A with another rule."""
    other_a = ORDER_A.replace("the total", "each row")
    ours = (says(0, "Begin."), orders(1, ORDER_A), orders(2, ORDER_B), says(3, "End."))
    theirs = (says(0, "Begin."), orders(1, ORDER_B), orders(2, other_a), says(3, "End."))
    return failed(*ours), passed(*theirs)


def orders(number: int, text: str) -> Step:
    return says(number, text, kind=StepKind.HANDOFF)


def test_a_step_in_another_order_says_where_it_went_and_what_differs_there() -> None:
    rows = browse(*swapped_orders(), marks=Marks()).rows
    numbers = [(row.left and row.left.number, row.right and row.right.number) for row in rows]
    assert numbers == [(0, 0), (1, None), (2, 1), (None, 2), (3, 3)]
    assert [(row.moved, row.within) for row in rows] == [
        (None, False), (2, True), (None, False), (1, True), (None, False),
    ]  # fmt: skip
    there = rows[3].right
    assert there
    assert [piece for piece in there.parts[0].diff if piece[0] != "equal"] == [
        ("delete", "the total"),
        ("insert", "each row"),
    ]


def test_a_step_moved_out_of_the_window_is_named_without_being_there(narrow: int) -> None:
    shared = [says(n, f"Word {n} of the story.", "coder") for n in range(1, 6)]
    first, last = calls(0, "read", "planner", page="v1"), calls(5, "read", "planner", page="v1")
    left = failed(first, *shared)
    right = passed(*(replace(step, number=n) for n, step in enumerate(shared)), last)
    row = browse(left, right, marks=Marks()).rows[0]
    assert (row.left and row.left.number, row.moved, row.within) == (0, 5, False)
