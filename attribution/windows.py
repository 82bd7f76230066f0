"""A window of a run's rows as HTML: as many as a page can bear."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.template.loader import get_template

from attribution.browser import Drawing, Drawn, needed, within_budget
from attribution.viewing import Viewing
from traces import content

# What a window may put on a page: elements, and characters of HTML.
ELEMENTS, SIZE = 400, 150_000


@dataclass(frozen=True)
class Window:
    """Rows as they stand on a page, and which steps of how many they show."""

    drawn: Drawn
    rows: int
    first: int | None
    last: int | None
    steps: int
    hidden_after: int = 0

    @property
    def after(self) -> int:
        """Steps that a filter hides behind the last row, where that is shown."""
        return self.hidden_after if self.later is None else 0

    @property
    def earlier(self) -> int | None:
        """The last row before the window, if there is one."""
        return self.drawn.first - 1 if self.drawn.first > 0 else None

    @property
    def later(self) -> int | None:
        return self.drawn.last + 1 if self.drawn.last + 1 < self.rows else None


def window_of(viewing: Viewing, context: Mapping[str, Any]) -> Window:
    """The rows of the place, as HTML, with what the templates of steps need."""
    ours, theirs = viewing.sides()
    wanted = needed(viewing.rows, viewing.span, ours)
    steps = content.steps_of(_keys(viewing, wanted.left, wanted.right))
    drawing = Drawing(
        viewing.rows,
        ours,
        theirs,
        left={n: step for (run, n), step in steps.items() if run == viewing.run.pk},
        right={n: step for (run, n), step in steps.items() if run == viewing.right.pk},
        before=wanted.before,
    )
    template = get_template("attribution/_row.html")
    base = {**context, "run": viewing.run, "place": viewing.place, "selected": viewing.selected}
    drawn = within_budget(
        viewing.span,
        lambda row: template.render({**base, "row": drawing.row(row)}),
        elements=ELEMENTS,
        size=SIZE,
        held=viewing.held,
    )
    shown = viewing.rows.left[drawn.first : drawn.last + 1]
    numbers = shown[shown >= 0]
    return Window(
        drawn,
        rows=len(viewing.rows),
        first=int(numbers[0]) if len(numbers) else None,
        last=int(numbers[-1]) if len(numbers) else None,
        steps=len(viewing.outline),
        hidden_after=viewing.rows.after,
    )


def _keys(
    viewing: Viewing, left: frozenset[int], right: frozenset[int]
) -> dict[UUID, frozenset[int]]:
    if viewing.right.pk == viewing.run.pk:
        return {viewing.run.pk: left | right}
    return {viewing.run.pk: left, viewing.right.pk: right}
