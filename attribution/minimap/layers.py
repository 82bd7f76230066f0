"""What the map shows of every step: that it is there, what went wrong, what checks said; gaps."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from attribution.minimap.columns import fitted, glyphs, grid_of, lines, ticks
from attribution.minimap.scale import Scale
from traces.outline import VERDICTS

# Lines and signs that one layer is drawn with at most; there are as many as its path has bytes.
MOST_LINES, MOST_TICKS, MOST_GLYPHS, MOST_GAPS = 636, 250, 50, 140
LEVELS = 4
# Each is told by its shape, not by its colour alone.
GLYPHS = {
    "failed": "m-3-3l6 6m0-6l-6 6",
    "inconclusive": "m-3 0h6",
    "passed": "m-3 0l2 3 4-6",
}


class Layer(NamedTuple):
    """One path. `name` is its class, `steps` how many steps it stands for."""

    name: str
    d: str
    steps: int


def layers(scale: Scale) -> Iterator[Layer]:
    """In the order they are drawn. Of a full column is the whole height, of others a part."""
    outline = scale.outline
    grid, found = fitted(grid_of(scale), MOST_LINES, LEVELS)
    for level in range(1, LEVELS + 1):
        own = [stretch for stretch in found if stretch.level == level]
        if own:
            held = int(grid.counts[grid.levels(LEVELS) == level].sum())
            yield Layer(f"level{level}", lines(scale, own, scale.y), held)
    for name, there, below in (("error", outline.failing, -6), ("retry", outline.retried, 6)):
        if there.any():
            height = partial(_below, scale, below)
            d = ticks(scale, grid_of(scale, there), MOST_TICKS, height)
            yield Layer(name, d, int(there.sum()))


def _below(scale: Scale, by: int, row: int) -> int:
    return scale.y(row) + by


def verdicts(scale: Scale) -> Iterator[Layer]:
    """What verification came to; it is drawn twice, first as a halo."""
    for name, glyph in reversed(GLYPHS.items()):
        there = scale.outline.verdict == VERDICTS.index(name)
        if there.any():
            _, found = fitted(grid_of(scale, there), MOST_GLYPHS)
            yield Layer(name, glyphs(scale, found, glyph), int(there.sum()))


def gaps(scale: Scale, steps: Collection[int]) -> str:
    """Ticks through all rows where the record has a gap."""
    known = np.unique(np.fromiter(steps, dtype=np.int64, count=len(steps)))
    known = known[(known >= 0) & (known < len(scale.outline))]
    xs = np.unique(scale.xs(known))
    apart = 1
    while len(xs) > MOST_GAPS:
        apart *= 2
        xs = np.unique(xs // apart * apart)
    return "".join(f"M{x} 4V{scale.height - 4}" for x in xs.tolist())
