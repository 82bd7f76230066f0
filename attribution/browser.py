"""The trace browser's view of a run: a window of rows, ready for a template. Plain Python.

The left side is the run under review, whose text can be cited; the right side is what it is
compared with. A window is never cut in silence: it knows which rows it holds, and of how many.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from attribution.alignment.aligned import NONE
from attribution.alignment.alignment import RowKind
from attribution.drawn_steps import StepView
from attribution.rows import Rows
from attribution.sides import Side
from traces.transcript import Step

# Rows that a window holds at most, and of these those that stand before the step it is for.
WINDOW = 24
BEFORE = 2

type_of_steps = Mapping[int, Step]


@dataclass(frozen=True)
class RowView:
    """A step of either run, or of each.

    `moved` is the number of the step in the other run that one alone stands for, in another
    order, and `moved_row` the row that one stands in. `folded` steps are hidden by a filter
    before it, the first of which is `folded_from`.
    """

    index: int
    left: StepView | None
    right: StepView | None
    kind: str
    divergence: int | None
    explanation: str
    main: bool = False
    moved: int | None = None
    moved_row: int | None = None
    folded: int = 0
    folded_from: int = 0

    @property
    def folded_to(self) -> int:
        return self.folded_from + self.folded - 1


@dataclass(frozen=True)
class Span:
    """The rows from `first` to before `end` of a list."""

    first: int
    end: int

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.first, self.end))


def around(rows: Rows, row: int) -> Span:
    """The window for one row: a few before it, and what fits behind."""
    first = max(0, min(row, len(rows) - 1) - BEFORE)
    return Span(first, min(len(rows), first + WINDOW))


def onwards(rows: Rows, row: int) -> Span:
    first = max(0, min(row, len(rows)))
    return Span(first, min(len(rows), first + WINDOW))


def backwards(rows: Rows, row: int) -> Span:
    """The window that ends with a row."""
    end = max(0, min(row + 1, len(rows)))
    return Span(max(0, end - WINDOW), end)


@dataclass(frozen=True)
class Needed:
    """The numbers of the steps whose content a window shows, of either side.

    `before` holds, for each step of the left side, the one that its actor took before it.
    """

    left: frozenset[int]
    right: frozenset[int]
    before: Mapping[int, int] = field(default_factory=dict)


def needed(rows: Rows, span: Span, ours: Side) -> Needed:
    left = {int(n) for n in rows.left[span.first : span.end] if n != NONE}
    right = {int(n) for n in rows.right[span.first : span.end] if n != NONE}
    moved = {
        moved
        for row in span
        if (moved := moved_from(rows, row)) is not None and rows.left[row] == NONE
    }
    before = ours.outline.previous_of_actor(left)
    return Needed(frozenset(left | moved | set(before.values())), frozenset(right), before)


def moved_from(rows: Rows, row: int) -> int | None:
    source = int(rows.source[row])
    return None if rows.aligned is None or source == NONE else rows.aligned.moved_at(source)


class Drawing:
    """Draws rows from the content of their steps."""

    def __init__(
        self,
        rows: Rows,
        ours: Side,
        theirs: Side | None,
        *,
        left: type_of_steps,
        right: type_of_steps,
        before: Mapping[int, int],
    ) -> None:
        self.rows, self.ours, self.theirs = rows, ours, theirs
        self.left, self.right, self.before = left, right, before

    def row(self, index: int) -> RowView:
        rows = self.rows
        number, sentence = rows.divergences.get(index, (None, ""))
        return RowView(
            index=index,
            left=self._left(index),
            right=self._right(index),
            kind=self._kind(index),
            divergence=number,
            explanation=sentence,
            main=rows.main == index,
            moved=moved_from(rows, index),
            moved_row=self._moved_row(index),
            folded=int(rows.folded[index]),
            folded_from=self._after_shown(index) if rows.folded[index] else 0,
        )

    def _after_shown(self, index: int) -> int:
        """The step after the last one that is shown above a row."""
        above = self.rows.left[:index]
        shown = above[above != NONE]
        return int(shown[-1]) + 1 if len(shown) else 0

    def _kind(self, index: int) -> str:
        source = int(self.rows.source[index])
        if self.rows.aligned is None or source == NONE:
            return "alone"
        return self.rows.aligned.kind(source).value

    def _moved_row(self, index: int) -> int | None:
        source = int(self.rows.source[index])
        if self.rows.aligned is None or source == NONE:
            return None
        return self.rows.aligned.moved_row(source)

    def _left(self, index: int) -> StepView | None:
        step = self.left.get(int(self.rows.left[index]))
        if step is None:
            return None
        before = self.left.get(self.before.get(step.number, NONE))
        grey = bool(self.rows.grey[index])
        return self.ours.view(step, kind=self._kind(index), before=before, grey=grey)

    def _right(self, index: int) -> StepView | None:
        """Drawn with what differs from the left step beside it, or where that has moved."""
        step = self.right.get(int(self.rows.right[index]))
        if step is None or self.theirs is None:
            return None
        kind = self._kind(index)
        changed = kind == RowKind.CHANGED.value
        like = int(self.rows.left[index]) if changed else moved_from(self.rows, index)
        against = self.left.get(NONE if like is None else like)
        return self.theirs.view(step, kind=kind, against=against, grey=bool(self.rows.grey[index]))


@dataclass(frozen=True)
class Drawn:
    """Rows as HTML, as many as a page can bear; `first` to `last` of the list."""

    html: str
    first: int
    last: int


def within_budget(
    span: Span, draw: Callable[[int], str], *, elements: int, size: int, held: int | None = None
) -> Drawn:
    """Draw rows one by one until the page is full: of heavy ones, at least the one it is for.

    That is `held`, the first of the span without one; then come those before it, and then those
    after it. `elements` is how many elements, and `size` how many characters of HTML they may have.
    """
    if span.first >= span.end:
        return Drawn("", span.first, span.first - 1)
    held = span.first if held is None else max(span.first, min(held, span.end - 1))
    texts = {held: draw(held)}
    elements, size = elements - _elements(texts[held]), size - len(texts[held])
    for rows in (range(held - 1, span.first - 1, -1), range(held + 1, span.end)):
        for index in rows:
            if elements <= 0 or size <= 0:
                break
            text = draw(index)
            if _elements(text) > elements or len(text) > size:
                break
            elements, size = elements - _elements(text), size - len(text)
            texts[index] = text
    shown = sorted(texts)
    return Drawn("".join(texts[index] for index in shown), shown[0], shown[-1])


def _elements(html: str) -> int:
    return html.count("<") - html.count("</")
