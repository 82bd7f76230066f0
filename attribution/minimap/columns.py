"""Steps as columns of their rows, drawn as the lines of one path; coarser if they are too many."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from attribution.minimap.scale import Scale
from traces.outline import Truths

Counts = NDArray[np.int64]


class Stretch(NamedTuple):
    """Columns of one row, side by side and alike: steps from `first` to before `end`."""

    row: int
    first: int
    end: int
    level: int


@dataclass(frozen=True, eq=False)
class Grid:
    """How many of the steps that are drawn each column of each row stands for.

    `per` is how many steps of the run a column spans, whosever they are.
    """

    counts: Counts
    per: int
    size: int

    def coarser(self) -> Grid:
        odd = self.counts.shape[1] % 2
        even = np.pad(self.counts, ((0, 0), (0, odd)))
        return Grid(even[:, ::2] + even[:, 1::2], self.per * 2, self.size)

    def levels(self, levels: int) -> Counts:
        """0 where nothing is, else how full a column is, from 1 to `levels`."""
        return -(-self.counts * levels // self.per)

    def _edges(self, levels: int) -> tuple[Counts, Truths, Truths]:
        """Levels, and where a stretch begins and ends. Steps by themselves stay apart."""
        level = np.minimum(self.levels(levels), levels)
        padded = np.pad(level, ((0, 0), (1, 1)))
        begins = (level > 0) & ((level != padded[:, :-2]) | (self.per == 1))
        ends = (level > 0) & ((level != padded[:, 2:]) | (self.per == 1))
        return level, begins, ends

    def number(self, levels: int = 1) -> int:
        """How many stretches there are."""
        return int(self._edges(levels)[1].sum())

    def stretches(self, levels: int = 1) -> list[Stretch]:
        """What has to be drawn, by row, from left to right."""
        level, begins, ends = self._edges(levels)
        rows, first = np.nonzero(begins)
        end = np.minimum((np.nonzero(ends)[1] + 1) * self.per, self.size)
        columns = (rows, first * self.per, end, level[rows, first])
        return [Stretch(*each) for each in zip(*(c.tolist() for c in columns), strict=True)]


def grid_of(scale: Scale, there: Truths | None = None) -> Grid:
    """Of these steps, or of all, at the finest that the map can show."""
    size, per = len(scale.outline), scale.per_column
    steps = np.arange(size) if there is None else np.flatnonzero(there)
    across, down = max(1, -(-size // per)), max(1, scale.rows)
    places = scale.row[steps].astype(np.int64) * across + steps // per
    counts = np.bincount(places, minlength=across * down).astype(np.int64)
    return Grid(counts.reshape(down, across), per, size)


def fitted(grid: Grid, most: int, levels: int = 1) -> tuple[Grid, list[Stretch]]:
    """The stretches of a grid that is as coarse as it must be for no more than `most` of them."""
    while grid.number(levels) > most and grid.counts.shape[1] > 1:
        grid = grid.coarser()
    return grid, grid.stretches(levels)


def lines(scale: Scale, stretches: list[Stretch], *, below: int = 0) -> str:
    """The data of a path that runs along the middle of each stretch, or that far below."""
    return "".join(_lines(scale, stretches, below))


def _lines(scale: Scale, stretches: list[Stretch], below: int) -> Iterator[str]:
    row, at = -1, 0
    apart = 1 if scale.slot >= 2 else 0
    for each in stretches:
        begin = scale.x(each.first)
        width = max(1, scale.x(each.end) - begin - apart)
        if each.row == row:
            yield f"m{begin - at} 0h{width}"
        else:
            yield f"M{begin} {scale.y(each.row) + below}h{width}"
        row, at = each.row, begin + width


def glyphs(scale: Scale, stretches: list[Stretch], glyph: str) -> str:
    """The data of a path that draws a glyph in the middle of each stretch."""
    places = ((scale.x(s.first) + scale.x(s.end)) // 2 for s in stretches)
    return "".join(f"M{x} {scale.y(s.row)}{glyph}" for x, s in zip(places, stretches, strict=True))
