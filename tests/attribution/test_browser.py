from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attribution import browser
from attribution.alignment import align
from attribution.alignment.aligned import Aligned
from attribution.browser import (
    BEFORE,
    WINDOW,
    Drawing,
    Drawn,
    RowView,
    Span,
    around,
    backwards,
    needed,
    onwards,
    within_budget,
)
from attribution.drawn_steps import Marks
from attribution.filters import Filter, listing
from attribution.rows import Rows, alone, beside
from attribution.sides import Side
from tests.attribution.scenes import calls, changes, consumes, decides, failed, passed, says
from traces.outline import outline_of
from traces.transcript import Step, StepKind, Transcript


def run_of(number: int, **fields: Any) -> Transcript:
    return failed(*(says(n, f"Step {n}.") for n in range(number)), **fields)


def drawn(
    ours: Transcript,
    theirs: Transcript | None = None,
    *,
    marks: Marks | None = None,
    rows: Rows | None = None,
    span: Span | None = None,
) -> list[RowView]:
    """The rows of a span, all without one, drawn from no more content than they need."""
    if rows is None:
        aligned = Aligned.of(align(ours, theirs)) if theirs else None
        rows = beside(aligned) if aligned else alone(len(ours.steps))
    span = span or Span(0, len(rows))
    side = Side(outline_of(ours), marks or Marks())
    other = Side(outline_of(theirs), Marks()) if theirs else None
    wanted = needed(rows, span, side)
    drawing = Drawing(
        rows,
        side,
        other,
        left={n: ours.steps[n] for n in wanted.left},
        right={n: theirs.steps[n] for n in wanted.right} if theirs else {},
        before=wanted.before,
    )
    return [drawing.row(index) for index in span]


def numbers(rows: list[RowView]) -> list[tuple[int | None, int | None]]:
    return [(r.left.number if r.left else None, r.right.number if r.right else None) for r in rows]


# Windows


@pytest.mark.parametrize("window", [around, onwards, backwards])
@pytest.mark.parametrize("row", [0, 5, 10**8])
def test_an_empty_list_has_an_empty_window(window: Any, row: int) -> None:
    assert list(window(alone(0), row)) == []


@pytest.mark.parametrize(
    ("window", "row", "first", "end"),
    [
        (around, 0, 0, WINDOW),
        (around, BEFORE, 0, WINDOW),
        (around, 50, 50 - BEFORE, 50 - BEFORE + WINDOW),
        (around, 99, 99 - BEFORE, 100),
        (around, 10**8, 99 - BEFORE, 100),
        (onwards, 0, 0, WINDOW),
        (onwards, 50, 50, 50 + WINDOW),
        (onwards, 99, 99, 100),
        (onwards, 100, 100, 100),
        (onwards, 10**8, 100, 100),
        (backwards, 99, 100 - WINDOW, 100),
        (backwards, 50, 51 - WINDOW, 51),
        (backwards, 3, 0, 4),
        (backwards, 0, 0, 1),
        (backwards, 10**8, 100 - WINDOW, 100),
    ],
)
def test_windows_of_a_hundred_rows(window: Any, row: int, first: int, end: int) -> None:
    assert window(alone(100), row) == Span(first, end)


@given(st.integers(0, 200), st.integers(0, 250))
def test_a_window_holds_the_row_it_is_for_and_no_more_than_it_may(size: int, row: int) -> None:
    rows = alone(size)
    nearest = min(row, size - 1)
    for window in (around, onwards, backwards):
        shown = list(window(rows, row))
        assert len(shown) <= WINDOW
        assert set(shown) <= set(range(size))
        if size and (row < size or window is not onwards):
            assert nearest in shown


# Budgets


def article(size: int, elements: int) -> str:
    """A row of HTML with this many characters and elements."""
    inner = "<b></b>" * (elements - 1)
    return f"<p>{inner}{'x' * (size - len(inner) - 7)}</p>"


def test_nothing_is_drawn_of_nothing() -> None:
    empty = Span(4, 4)
    assert within_budget(empty, str, elements=1, size=1) == Drawn("", 4, 3)
    assert within_budget(empty, str, elements=1, size=1, held=9) == Drawn("", 4, 3)


def test_of_a_row_heavier_than_a_page_that_row_is_shown() -> None:
    row = article(10_000, 900)
    for held, shown in ((None, 2), (2, 2), (4, 4), (5, 5), (0, 2), (99, 5)):
        found = within_budget(Span(2, 6), lambda _: row, elements=10, size=10, held=held)
        assert found == Drawn(row, shown, shown)


def test_a_page_is_full_when_either_its_elements_or_its_size_are_spent() -> None:
    def draw(index: int) -> str:
        return article(100, 5)

    assert within_budget(Span(0, 9), draw, elements=15, size=10**6).last == 2
    assert within_budget(Span(0, 9), draw, elements=14, size=10**6).last == 1
    assert within_budget(Span(0, 9), draw, elements=900, size=300).last == 2
    assert within_budget(Span(0, 9), draw, elements=900, size=299).last == 1


def test_backwards_the_last_rows_are_kept_in_their_order() -> None:
    found = within_budget(Span(3, 9), str, elements=9, size=3, held=8)
    assert found == Drawn("678", 6, 8)


def test_a_heavy_row_before_the_one_that_is_asked_for_does_not_take_its_place() -> None:
    texts = ["<b>light</b>", article(900, 9), "<b>asked</b>", "<b>next</b>"]
    found = within_budget(Span(0, 4), texts.__getitem__, elements=900, size=100, held=2)
    assert found == Drawn("<b>asked</b><b>next</b>", 2, 3)


weights = st.lists(st.tuples(st.integers(100, 900), st.integers(1, 9)), min_size=1, max_size=12)


@given(weights, st.integers(1, 25), st.integers(50, 2_000), st.integers(0, 11))
def test_at_least_one_row_and_never_more_than_the_budget(
    rows: list[tuple[int, int]], elements: int, size: int, held: int
) -> None:
    texts = [article(*weight) for weight in rows]
    found = within_budget(
        Span(0, len(rows)), texts.__getitem__, elements=elements, size=size, held=held
    )
    shown = list(range(found.first, found.last + 1))
    assert found.html == "".join(texts[n] for n in shown)
    assert min(held, len(rows) - 1) in shown
    if len(shown) > 1:
        assert sum(rows[n][0] for n in shown) <= size
        assert sum(rows[n][1] for n in shown) <= elements


@given(weights, st.integers(1, 25), st.integers(50, 2_000), st.data())
def test_every_row_is_reached_by_going_on_and_by_going_back(
    rows: list[tuple[int, int]], elements: int, size: int, data: st.DataObject
) -> None:
    """From any row on to the end, and from it back to the beginning: each row once, in order."""
    texts, listed = [article(*weight) for weight in rows], alone(len(rows))
    spent = {"elements": elements, "size": size}
    start = data.draw(st.integers(0, len(rows) - 1))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(browser, "WINDOW", data.draw(st.integers(BEFORE + 1, 6)))
        page = within_budget(around(listed, start), texts.__getitem__, held=start, **spent)
        seen = list(range(page.first, page.last + 1))
        while seen[-1] + 1 < len(rows):
            page = within_budget(onwards(listed, seen[-1] + 1), texts.__getitem__, **spent)
            assert page.first == seen[-1] + 1
            seen += range(page.first, page.last + 1)
        while seen[0] > 0:
            span = backwards(listed, seen[0] - 1)
            page = within_budget(span, texts.__getitem__, held=seen[0] - 1, **spent)
            assert page.last == seen[0] - 1
            seen = [*range(page.first, page.last + 1), *seen]
    assert seen == list(range(len(rows)))


# Which content a window needs


def test_a_window_needs_its_steps_and_what_their_actors_did_before() -> None:
    run = failed(*(says(n, "x", ("planner", "coder")[n % 2]) for n in range(6)))
    wanted = needed(alone(6), Span(3, 5), Side(outline_of(run), Marks()))
    assert dict(wanted.before) == {3: 1, 4: 2}
    assert (wanted.left, wanted.right) == ({1, 2, 3, 4}, set())


# Rows side by side


def test_a_run_alone_is_one_column() -> None:
    rows = drawn(run_of(3))
    assert numbers(rows) == [(0, None), (1, None), (2, None)]
    assert [(row.kind, row.divergence, row.moved) for row in rows] == [("alone", None, None)] * 3


def test_a_run_without_steps_has_no_rows() -> None:
    empty = replace(run_of(1), steps=())
    assert drawn(empty) == []
    rows = drawn(empty, passed(says(0, "Done.")))
    assert [(row.left, row.kind) for row in rows] == [(None, "missing")]


words = st.lists(st.sampled_from(["plan", "use v1", "use v2", "run tests", "done"]), max_size=9)


@given(words, words)
def test_windows_side_by_side_tile_both_runs(ours: list[str], theirs: list[str]) -> None:
    """Going from window to window shows each step of either run once, in the same order."""
    left = failed(*(says(n, text) for n, text in enumerate(["begin", *ours])))
    right = passed(*(says(n, text) for n, text in enumerate(["begin", *theirs])))
    expected = [(row.left, row.right) for row in align(left, right).rows]
    spans = [Span(n, min(n + 3, len(expected))) for n in range(0, len(expected), 3)]
    shown = [pair for span in spans for pair in numbers(drawn(left, right, span=span))]
    assert shown == expected


def two_choices() -> tuple[Transcript, Transcript]:
    """The runs part at #1, where another interface is chosen; the words at #2 differ little."""
    ours = [says(0, "Build the client."), decides(1, "gateway v1"), says(2, "I start.")]
    theirs = [says(0, "Build the client."), decides(1, "gateway v2"), says(2, "I start.")]
    return failed(*ours, changes(3, "client", "v1")), passed(*theirs, changes(3, "client", "v2"))


def test_the_first_divergence_is_named_once() -> None:
    rows = drawn(*two_choices())
    assert numbers(rows) == [(n, n) for n in range(4)]
    told = [(row.divergence, row.main) for row in rows]
    assert told[0] == (None, False)
    assert told[1] == (0, True)
    assert [main for _, main in told].count(True) == 1
    assert "gateway v1" in rows[1].explanation


def test_divergences_of_little_weight_are_drawn_but_not_named() -> None:
    left, right = two_choices()
    word = says(2, "A completely different sentence about nothing in particular.")
    left = replace(left, steps=(*left.steps[:2], word, left.steps[3]))
    rows = drawn(left, right)
    assert 2 in {d.row for d in align(left, right).divergences}
    assert (rows[2].kind, rows[2].divergence, rows[2].explanation) == ("changed", None, "")


def test_a_step_of_the_other_run_alone_is_a_row_of_its_own() -> None:
    left = failed(says(0, "Begin."), says(1, "End."))
    right = passed(says(0, "Begin."), decides(1, "check the interface"), says(2, "End."))
    rows = drawn(left, right)
    assert [(row.kind, row.left and row.left.number) for row in rows] == [
        ("matched", 0),
        ("missing", None),
        ("matched", 1),
    ]
    assert [row.divergence for row in rows] == [None, 0, None]


def test_marks_stand_on_the_left_side_only() -> None:
    marks = Marks(
        decisive=1,
        exposing=3,
        carriers=frozenset({2}),
        missed=frozenset({1, 2}),
        candidates={1: (1, 3)},
        cited={(1, 0): [(0, 8)]},
    )
    rows = drawn(*two_choices(), marks=marks)
    assert [row.left and row.left.roles for row in rows] == [
        (),
        (("first", "first upstream"), ("missed", "missed here")),
        (("carrier", "carried it"), ("missed", "missed here")),
        (("exposing", "exposed it"),),
    ]
    assert rows[1].left
    assert rows[1].right
    assert rows[1].left.candidates == (1, 3)
    assert '<mark class="cite">I choose</mark>' in rows[1].left.parts[0].value.html
    assert (rows[1].right.roles, rows[1].right.candidates) == ((), ())
    assert "<mark" not in rows[1].right.parts[0].value.html


def test_words_that_differ_are_shown_on_the_right_and_the_left_stays_citable() -> None:
    row = drawn(*two_choices())[1]
    assert row.left
    assert row.right
    assert (row.left.parts[0].diff, row.left.parts[0].value.start) == ((), 0)
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
    rows = drawn(*swapped_orders())
    assert numbers(rows) == [(0, 0), (1, None), (2, 1), (None, 2), (3, 3)]
    assert [(row.moved, row.moved_row) for row in rows] == [
        (None, None), (2, 3), (None, None), (1, 1), (None, None),
    ]  # fmt: skip
    there = rows[3].right
    assert there
    assert [piece for piece in there.parts[0].diff if piece[0] != "equal"] == [
        ("delete", "the total"),
        ("insert", "each row"),
    ]


def test_what_differs_is_told_though_the_counterpart_is_in_no_row_of_the_window() -> None:
    (row,) = drawn(*swapped_orders(), span=Span(3, 4))
    assert row.right
    assert ("delete", "the total") in row.right.parts[0].diff


def test_a_step_moved_out_of_the_window_is_named_without_being_there() -> None:
    shared = [says(n, f"Word {n} of the story.", "coder") for n in range(1, 6)]
    first, last = calls(0, "read", "planner", page="v1"), calls(5, "read", "planner", page="v1")
    left = failed(first, *shared)
    right = passed(*(replace(step, number=n) for n, step in enumerate(shared)), last)
    (row,) = drawn(left, right, span=Span(0, 1))
    assert (row.left and row.left.number, row.right, row.moved, row.moved_row) == (0, None, 5, 6)


# Rows under a filter


def filtered(run: Transcript, theirs: Transcript | None = None, **wanted: Any) -> list[RowView]:
    aligned = Aligned.of(align(run, theirs)) if theirs else None
    whole = beside(aligned) if aligned else alone(len(run.steps))
    rows = listing(outline_of(run), Filter(**wanted)).over(whole)
    return drawn(run, theirs, rows=rows)


def test_hits_stand_in_place_with_grey_neighbours_and_counts_of_what_is_folded() -> None:
    """#5 is asked for; #2 is its input; #0, #1, #3, #4 and #6 are folded, the last unseen."""
    run = failed(
        *(says(n, f"Step {n}.", "coder" if n == 5 else "planner") for n in range(7)),
        links=(consumes(2, 5),),
    )
    rows = filtered(run, actors=frozenset({"coder"}))
    assert numbers(rows) == [(2, None), (5, None)]
    assert [row.left and row.left.grey for row in rows] == [True, False]
    assert [(row.folded, row.folded_from, row.folded_to) for row in rows] == [(2, 0, 1), (2, 3, 4)]
    assert rows[0].left
    assert rows[0].left.parts == ()


def test_a_filter_keeps_what_stands_beside_its_hits() -> None:
    left, right = two_choices()
    rows = filtered(left, right, kinds=frozenset({StepKind.DECISION}))
    assert (1, 1) in numbers(rows)
    told = next(row for row in rows if row.left and row.left.number == 1)
    assert (told.kind, told.main) == ("changed", True)
