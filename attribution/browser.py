"""The trace browser's view of a run: aligned rows, ready for a template. Plain Python.

The left side is the run under review, whose text can be cited; the right side is what it is
compared with. A page shows a window of rows, and says which.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from attribution.alignment import Alignment, Divergence, Row, RowKind, align
from attribution.sides import Marks, Side, StepView
from traces.transcript import Transcript

WINDOW = 120
# Beyond this many steps a side, aligning would keep a person waiting.
ALIGNABLE = 5_000
# Of the heaviest divergence's score: what weighs less is drawn, but neither named nor stopped at.
TELLING = 0.5


@dataclass(frozen=True)
class RowView:
    """A step of either run, or of each. `moved` is the number of the step in the other run that
    one alone stands for, in another order; `within` says whether this window shows that one.
    """

    left: StepView | None
    right: StepView | None
    kind: str
    divergence: int | None
    explanation: str
    main: bool = False
    moved: int | None = None
    within: bool = False


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
    beside = _Beside(ours, Side(right, Marks()), alignment)
    window = _window(alignment, first, last)
    for index in window:
        yield beside.row(index, window)


class _Beside:
    """Draws rows of two runs side by side."""

    def __init__(self, ours: Side, theirs: Side, alignment: Alignment) -> None:
        self.ours, self.theirs, self.alignment = ours, theirs, alignment
        self.told = {d.row: (n, d.sentence) for n, d in enumerate(_telling(alignment))}
        best = alignment.first_divergence
        self.main = None if best is None else best.row

    def row(self, index: int, window: range) -> RowView:
        row = self.alignment.rows[index]
        number, sentence = self.told.get(index, (None, ""))
        return RowView(
            left=self._left(row),
            right=self._right(row),
            kind=row.kind.value,
            divergence=number,
            explanation=sentence,
            main=self.main == index,
            moved=row.moved,
            within=self.alignment.moved_row(row) in window,
        )

    def _left(self, row: Row) -> StepView | None:
        if row.left is None:
            return None
        return self.ours.view(self.ours.transcript.steps[row.left], kind=row.kind)

    def _right(self, row: Row) -> StepView | None:
        """Drawn with what differs from the left step beside it, or where that has moved."""
        if row.right is None:
            return None
        like = row.left if row.kind is RowKind.CHANGED else row.moved
        against = None if like is None else self.ours.transcript.steps[like]
        return self.theirs.view(
            self.theirs.transcript.steps[row.right], kind=row.kind, against=against
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
