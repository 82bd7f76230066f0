"""The trace browser's view of a run: aligned rows, ready for a template. Plain Python.

The left side is the run under review, whose text can be cited; the right side is what it is
compared with. A page shows a window of rows, and says which.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from attribution.alignment import Alignment, Divergence, align
from attribution.sides import Marks, Side, StepView
from traces.transcript import Transcript

WINDOW = 120
# Beyond this many steps a side, aligning would keep a person waiting.
ALIGNABLE = 5_000
# Of the heaviest divergence's score: what weighs less is drawn, but neither named nor stopped at.
TELLING = 0.5


@dataclass(frozen=True)
class RowView:
    left: StepView | None
    right: StepView | None
    kind: str
    divergence: int | None
    explanation: str
    main: bool = False


@dataclass(frozen=True)
class Browser:
    """A window of rows over a run, side by side with another if there is one."""

    rows: tuple[RowView, ...]
    first: int
    last: int
    total: int
    aligned: int
    divergences: tuple[tuple[int, str], ...]
    comparable: bool

    @property
    def previous_window(self) -> int | None:
        return max(0, self.first - WINDOW) if self.first else None

    @property
    def next_window(self) -> int | None:
        return self.last + 1 if self.last + 1 < self.total else None


def browse(
    left: Transcript,
    right: Transcript | None,
    *,
    marks: Marks,
    around: int = 0,
) -> Browser:
    """Build the window that holds step `around` of the run under review."""
    sizes = [len(side.steps) for side in (left, right) if side]
    alignment = align(left, right) if right and max(sizes) <= ALIGNABLE else None
    first = max(0, min(around, len(left.steps) - 1)) // WINDOW * WINDOW
    last = min(first + WINDOW, len(left.steps)) - 1
    rows = tuple(_rows(left, right, alignment, marks=marks, first=first, last=last))
    return Browser(
        rows=rows,
        first=first,
        last=last,
        total=len(left.steps),
        aligned=_aligned(alignment),
        divergences=_divergences(alignment),
        comparable=alignment is not None,
    )


def _rows(
    left: Transcript,
    right: Transcript | None,
    alignment: Alignment | None,
    *,
    marks: Marks,
    first: int,
    last: int,
) -> Iterable[RowView]:
    ours = Side(left, marks)
    if alignment is None or right is None:
        for step in left.steps[first : last + 1]:
            yield RowView(ours.view(step), None, "alone", None, "")
        return
    theirs = Side(right, Marks())
    told = {d.row: (n, d.sentence) for n, d in enumerate(_telling(alignment))}
    for index in _window(alignment, first, last):
        row = alignment.rows[index]
        mine = None if row.left is None else left.steps[row.left]
        other = None if row.right is None else right.steps[row.right]
        changed = mine if row.kind == "changed" else None
        number, sentence = told.get(index, (None, ""))
        yield RowView(
            left=ours.view(mine) if mine else None,
            right=theirs.view(other, against=changed) if other else None,
            kind=row.kind.value,
            divergence=number,
            explanation=sentence,
            main=alignment.first_divergence is not None and alignment.first_divergence.row == index,
        )


def _window(alignment: Alignment, first: int, last: int) -> range:
    """Rows from the one that holds step `first` to the one before step `last + 1`."""
    at = {row.left: index for index, row in enumerate(alignment.rows) if row.left is not None}
    begin = 0 if first == 0 else at[first]
    return range(begin, at.get(last + 1, len(alignment.rows)))


def _aligned(alignment: Alignment | None) -> int:
    rows = alignment.rows if alignment else ()
    return sum(row.left is not None and row.right is not None for row in rows)


def _divergences(alignment: Alignment | None) -> tuple[tuple[int, str], ...]:
    """Where each divergence is (a step of the run under review) and what it is."""
    if alignment is None:
        return ()
    return tuple(
        (_step_at(alignment, divergence.row), divergence.sentence)
        for divergence in _telling(alignment)
    )


def _telling(alignment: Alignment) -> list[Divergence]:
    best = alignment.first_divergence
    return [d for d in alignment.divergences if best and d.score >= TELLING * best.score]


def _step_at(alignment: Alignment, row: int) -> int:
    """The step of the left side at a row, or the nearest one before it."""
    lefts = (r.left for r in reversed(alignment.rows[: row + 1]))
    return next((left for left in lefts if left is not None), 0)
