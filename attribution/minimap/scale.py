"""Where things stand on the map: a row for each actor, and steps from left to right in order.

Units are those of the SVG's view box, one being a pixel on a wide screen.
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from traces.display import visible
from traces.outline import KINDS, STATUSES, Lane, Numbers, Outline
from traces.transcript import StepStatus

WIDTH, NAMES = 1408, 128
PLOT = WIDTH - NAMES - 8
LANE, TOP = 17, 12
LANES = 40
# Columns are two wide, so that one can be told from the next.
COLUMNS = PLOT // 2
# Characters of the name at a lane, and of a name within a sentence.
NAME, TOLD = 18, 60
# Statuses that a reader need not be told of.
QUIET = frozenset({StepStatus.OK, StepStatus.NOT_CAPTURED})


class Axis:
    """Steps from left to right, each as wide as the others."""

    def __init__(self, size: int) -> None:
        self.size = size

    @property
    def slot(self) -> float:
        """How wide a step is."""
        return PLOT / max(1, self.size)

    @property
    def per_column(self) -> int:
        """Steps that a column stands for at most, of all rows together."""
        return max(1, -(-self.size // COLUMNS))

    def x(self, step: int) -> int:
        """The left edge of a step, and the right edge of the one before it."""
        return NAMES + int(min(step, self.size) * self.slot)

    def xs(self, steps: NDArray[np.int64]) -> NDArray[np.int64]:
        return NAMES + (steps * self.slot).astype(np.int64)

    def middle(self, step: int) -> int:
        return (self.x(step) + self.x(step + 1)) // 2


class Scale(Axis):
    """The busiest actors have a row each, in order of appearance; the others share the last."""

    def __init__(self, outline: Outline) -> None:
        super().__init__(len(outline))
        self.outline = outline

    @cached_property
    def _own(self) -> Numbers:
        """Lanes of the outline that have a row of their own, in order of appearance."""
        steps = np.bincount(self.outline.actor, minlength=len(self.outline.lanes))
        busiest = np.argsort(-steps, kind="stable")[:LANES]
        return np.sort(busiest).astype(np.int32)

    @property
    def others(self) -> int:
        """Actors that share the last row."""
        return len(self.outline.lanes) - len(self._own)

    @property
    def rows(self) -> int:
        return len(self._own) + bool(self.others)

    @property
    def height(self) -> int:
        return self.y(self.rows)

    @cached_property
    def row(self) -> Numbers:
        """The row of each step."""
        of_lane = np.full(len(self.outline.lanes), len(self._own), dtype=np.int32)
        of_lane[self._own] = np.arange(len(self._own), dtype=np.int32)
        return of_lane[self.outline.actor]

    def y(self, row: int) -> int:
        return TOP + row * LANE

    def y_of(self, step: int) -> int:
        return self.y(int(self.row[step]))

    def names(self) -> list[tuple[str, int]]:
        """What stands at each row, and where."""
        lanes = self.outline.lanes
        alike = Counter(lane.role for lane in lanes)
        shown = [_name(lanes[n], alone=alike[lanes[n].role] == 1) for n in self._own.tolist()]
        if self.others:
            shown.append(f"{self.others} other{'' if self.others == 1 else 's'}")
        return [(name, self.y(row)) for row, name in enumerate(shown)]

    def nearest(self, step: int, row: int) -> int:
        """The step of a row that is the nearest one; the step itself if the row has none."""
        own = np.flatnonzero(self.row == row)
        if not len(own):
            return step
        at = int(np.searchsorted(own, step))
        around = own[max(0, at - 1) : at + 1].tolist()
        return int(min(around, key=lambda n: (abs(n - step), n)))

    def beside(self, step: int) -> tuple[int | None, int | None]:
        """The steps before and after one in its row."""
        own = np.flatnonzero(self.row == self.row[step])
        at = int(np.searchsorted(own, step))
        after = int(own[at + 1]) if at + 1 < len(own) else None
        return (int(own[at - 1]) if at else None), after


def _name(lane: Lane, *, alone: bool) -> str:
    return cut(lane.role if alone or not lane.instance else lane.key, NAME)


def cut(name: str, most: int) -> str:
    """A name from a trace, of any length, fit to be shown."""
    name = visible(name[: most + 1])
    return name if len(name) <= most else f"{name[: most - 1]}…"


def label(outline: Outline, step: int) -> str:
    """A step in a few words: number, actor, kind, tool, and what went wrong."""
    tool, status = int(outline.tool[step]), STATUSES[outline.status[step]]
    attempt = int(outline.attempt[step])
    words = [f"#{step}", cut(outline.lane(step).name, TOLD), KINDS[outline.kind[step]].value]
    words += [cut(outline.tools[tool], TOLD)] if tool >= 0 else []
    words += [] if status in QUIET else [status.value.replace("_", " ")]
    words += [f"attempt {attempt}"] if attempt > 1 else []
    return " ".join(words)
