"""Steps as columns of their rows, drawn as the lines of one path; coarser if they are too many."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from attribution.minimap.scale import Axis, Scale
from traces.outline import Numbers, Truths

Counts = NDArray[np.int64]


class Stretch(NamedTuple):
    """Columns of one row, side by side and alike: steps from `first` to before `end`."""

    row: int
    first: int
    end: int
    level: int


@dataclass(frozen=True, eq=False)
class Grid:
    """How many of the steps that are drawn each column of each row stands for, and of how many.

    `per` is how many steps of the run a column spans, whosever they are.
    """

    counts: Counts
    of: Counts
    per: int
    size: int

    def coarser(self) -> Grid:
        return Grid(_paired(self.counts), _paired(self.of), self.per * 2, self.size)

    def levels(self, levels: int) -> Counts:
        """0 where nothing is, else how full a column is, from 1 to `levels`."""
        return np.minimum(-(-self.counts * levels // np.maximum(1, self.of)), levels)

    def _edges(self, levels: int, apart: int) -> tuple[Counts, Truths, Truths]:
        """Levels, and where stretches begin and end. Single steps and those up to the level
        `apart` are by themselves.
        """
        level = self.levels(levels)
        padded = np.pad(level, ((0, 0), (1, 1)))
        alone = (level <= apart) | (self.per == 1)
        begins = (level > 0) & ((level != padded[:, :-2]) | alone)
        ends = (level > 0) & ((level != padded[:, 2:]) | alone)
        return level, begins, ends

    def number(self, levels: int = 1, apart: int = 0) -> int:
        """How many stretches there are."""
        return int(self._edges(levels, apart)[1].sum())

    def stretches(self, levels: int = 1, apart: int = 0) -> list[Stretch]:
        """What has to be drawn, by row, from left to right."""
        level, begins, ends = self._edges(levels, apart)
        rows, first = np.nonzero(begins)
        end = np.minimum((np.nonzero(ends)[1] + 1) * self.per, self.size)
        columns = (rows, first * self.per, end, level[rows, first])
        return [Stretch(*each) for each in zip(*(c.tolist() for c in columns), strict=True)]


def _paired(counts: Counts) -> Counts:
    even = np.pad(counts, ((0, 0), (0, counts.shape[1] % 2)))
    return even[:, ::2] + even[:, 1::2]


def grid_of(scale: Scale, there: Truths | None = None) -> Grid:
    """Of all steps, as parts of what a column spans; or of these, as parts of their rows' steps."""
    every = _counted(scale, scale.row, np.arange(scale.size), scale.rows)
    if there is None:
        spans = np.full_like(every, scale.per_column)
        return Grid(every, spans, scale.per_column, scale.size)
    found = _counted(scale, scale.row, np.flatnonzero(there), scale.rows)
    return Grid(found, every, scale.per_column, scale.size)


def line_of(axis: Axis, steps: NDArray[np.int64]) -> Grid:
    """A single row of these steps, whosever they are."""
    row = np.zeros(axis.size, dtype=np.int32)
    found, every = (_counted(axis, row, each, 1) for each in (steps, np.arange(axis.size)))
    return Grid(found, every, axis.per_column, axis.size)


def _counted(axis: Axis, row: Numbers, steps: NDArray[np.int64], rows: int) -> Counts:
    across, down = max(1, -(-axis.size // axis.per_column)), max(1, rows)
    places = row[steps].astype(np.int64) * across + steps // axis.per_column
    counts = np.bincount(places, minlength=across * down).astype(np.int64)
    return counts.reshape(down, across)


def fitted(grid: Grid, most: int, levels: int = 1, apart: int = 0) -> tuple[Grid, list[Stretch]]:
    """The stretches of a grid that is as coarse as it must be for no more than `most` of them."""
    while grid.number(levels, apart) > most and grid.counts.shape[1] > 1:
        grid = grid.coarser()
    return grid, grid.stretches(levels, apart)


def ticks(axis: Axis, grid: Grid, most: int, y: Callable[[int], int]) -> str:
    """The data of a path that marks these steps. Where a column stands for several, and few of
    them are marked, its tick is narrow: it must not look as if it had them all.
    """
    if axis.per_column == 1 and grid.number() <= most:
        return lines(axis, grid.stretches(), y)
    _, found = fitted(grid, most, levels=2, apart=1)
    return lines(axis, found, y, narrow=True)


def lines(
    axis: Axis, stretches: list[Stretch], y: Callable[[int], int], *, narrow: bool = False
) -> str:
    """The data of a path that runs along each stretch, at the height of its row."""
    return "".join(_lines(axis, stretches, y, narrow=narrow))


def _lines(
    axis: Axis, stretches: list[Stretch], y: Callable[[int], int], *, narrow: bool
) -> Iterator[str]:
    row, at = -1, 0
    apart = 1 if axis.slot >= 2 else 0
    for each in stretches:
        begin, end = axis.x(each.first), axis.x(each.end)
        if narrow and each.level == 1:
            begin = (begin + end) // 2 - 1
            end = begin + 2 + apart
        width = max(1, end - begin - apart)
        if each.row == row:
            yield f"m{begin - at} 0h{width}"
        else:
            yield f"M{begin} {y(each.row)}h{width}"
        row, at = each.row, begin + width


def glyphs(scale: Scale, stretches: list[Stretch], glyph: str) -> str:
    """The data of a path that draws a glyph in the middle of each stretch."""
    places = ((scale.x(s.first) + scale.x(s.end)) // 2 for s in stretches)
    return "".join(f"M{x} {scale.y(s.row)}{glyph}" for x, s in zip(places, stretches, strict=True))
