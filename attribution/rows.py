"""The rows of the step list over a whole run, in columns: which step stands in each, and how.

Plain Python. A page shows a window of these rows; nothing is made for a row that is not shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from attribution.alignment.aligned import NONE, Aligned

Numbers = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Rows:
    """One entry a row: the step of either side (-1: none), its row in the alignment (-1 without
    one), whether it is there for context only, and how many steps are folded away before it.
    """

    left: Numbers
    right: Numbers
    source: Numbers
    grey: NDArray[np.bool_]
    folded: Numbers
    after: int = 0
    aligned: Aligned | None = None

    def __len__(self) -> int:
        return len(self.left)

    def row_of(self, step: int) -> int:
        """The row of a step of the run under review; if it is not shown, the nearest before it."""
        own = self._own
        at = int(np.searchsorted(self.left[own], step, side="right")) - 1
        return int(own[at]) if at >= 0 else 0

    def step_at(self, row: int) -> int | None:
        """The step of the run under review at a row, or the nearest one before it, or after."""
        own = self._own
        if not len(own):
            return None
        at = int(np.searchsorted(own, row, side="right")) - 1
        return int(self.left[own[max(at, 0)]])

    def holds(self, step: int) -> bool:
        return len(self) > 0 and int(self.left[self.row_of(step)]) == step

    @cached_property
    def _own(self) -> NDArray[np.intp]:
        return np.flatnonzero(self.left != NONE)

    @cached_property
    def divergences(self) -> Mapping[int, tuple[int, str]]:
        """By row, the number of each telling divergence and what it says."""
        if self.aligned is None:
            return {}
        shown = {int(source): row for row, source in enumerate(self.source) if source != NONE}
        told = enumerate(self.aligned.telling)
        return {shown[d.row]: (n, d.sentence) for n, d in told if d.row in shown}

    @cached_property
    def main(self) -> int | None:
        """The row of the first divergence that weighs."""
        best = self.aligned.first_divergence if self.aligned else None
        rows = self.divergences if best else {}
        return next((row for row in rows if best and self.source[row] == best.row), None)


def alone(size: int) -> Rows:
    """A run of this many steps by itself."""
    steps = np.arange(size, dtype=np.int32)
    none = np.full(size, NONE, dtype=np.int32)
    return Rows(steps, none, none, np.zeros(size, dtype=bool), np.zeros(size, dtype=np.int32))


def beside(aligned: Aligned) -> Rows:
    """A run beside another."""
    size = len(aligned)
    source = np.arange(size, dtype=np.int32)
    nothing = np.zeros(size, dtype=np.int32)
    grey = np.zeros(size, dtype=bool)
    return Rows(aligned.left, aligned.right, source, grey, nothing, aligned=aligned)
