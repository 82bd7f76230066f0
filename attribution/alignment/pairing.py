"""Which step of one run stands for which step of the other.

A global alignment (Needleman-Wunsch) on who, what kind of step, which call with which
arguments, how it ended, and which words. Equal ends are cut off first. What is too large to
align exactly is split at anchors, steps that occur once in each run (the patience idea), and
between them a band around the diagonal bounds the work.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attribution.alignment.canonical import Canonical
from attribution.alignment.likeness import Likeness
from attribution.alignment.sequences import equal_ends, longest_rising, type_of_keys, type_of_pairs

# Blocks up to this many cells are aligned exactly, without anchors.
SMALL_BLOCK = 250_000
# Cells of the table that are computed for one block: about 0.4 s and 10 MB.
MOST_CELLS = 10_000_000
NARROWEST_BAND = 64

DIAGONAL, UP, LEFT = 0, 1, 2
UNREACHED = -(2**30)


@dataclass(frozen=True, slots=True)
class Block:
    """Steps `top` to `bottom` of the left run against `first` to `last` of the right one."""

    top: int
    bottom: int
    first: int
    last: int

    @property
    def height(self) -> int:
        return self.bottom - self.top

    @property
    def width(self) -> int:
        return self.last - self.first

    @property
    def cells(self) -> int:
        return self.height * self.width


def pair(left: Sequence[Canonical], right: Sequence[Canonical]) -> type_of_pairs:
    """Pairs of positions, rising on both sides."""
    ours, theirs = [step.key for step in left], [step.key for step in right]
    start, end = equal_ends(ours, theirs)
    middle = Block(start, len(left) - end, start, len(right) - end)
    likeness = Likeness(left, right)
    found = [(i, i) for i in range(start)]
    for block in split(middle, ours, theirs):
        found += align_block(block, likeness)
    return found + [(len(left) - k, len(right) - k) for k in range(end, 0, -1)]


def split(block: Block, left: type_of_keys, right: type_of_keys) -> Iterator[Block]:
    """The block itself if it is small; otherwise its anchors, and the blocks between them."""
    if block.cells <= SMALL_BLOCK:
        yield block
        return
    top, first = block.top, block.first
    for i, j in anchors(block, left, right):
        yield Block(top, i, first, j)
        yield Block(i, i + 1, j, j + 1)
        top, first = i + 1, j + 1
    yield Block(top, block.bottom, first, block.last)


def anchors(block: Block, left: type_of_keys, right: type_of_keys) -> type_of_pairs:
    """The longest rising chain of steps whose key occurs once on each side of the block."""
    ours = Counter(left[block.top : block.bottom])
    theirs = Counter(right[block.first : block.last])
    place = {right[j]: j for j in range(block.first, block.last) if theirs[right[j]] == 1}
    rows = (i for i in range(block.top, block.bottom) if ours[left[i]] == 1)
    return longest_rising([(i, place[left[i]]) for i in rows if left[i] in place])


def align_block(block: Block, likeness: Likeness) -> type_of_pairs:
    """The pairs of the path with the greatest total; leaving a step alone costs nothing."""
    if not block.cells:
        return []
    lows, highs = band(block.height, block.width)
    best = np.zeros(block.width + 1, dtype=np.int32)
    best[highs[0] + 1 :] = UNREACHED
    ways: list[NDArray[np.uint8]] = []
    for row, (low, high) in enumerate(zip(lows, highs, strict=True)):
        gains = likeness.row(block.top + row, block.first + low, block.first + high)
        ways.append(_advance(best, gains, low, high))
    return [(block.top + i, block.first + j) for i, j in _walk_back(ways, lows, block.width)]


def band(height: int, width: int) -> tuple[list[int], list[int]]:
    """Per row the columns to compute: all, or a band around the diagonal of a huge block."""
    # The bands of two rows must overlap, however wide the block is for its height.
    reach = max(NARROWEST_BAND, MOST_CELLS // height, 4 * width // height + 4) // 2
    if width <= 2 * reach:
        return [0] * height, [width] * height
    middles = [row * width // height for row in range(height)]
    lows = [max(0, min(middle - reach, width - 2 * reach)) for middle in middles]
    return lows, [low + 2 * reach for low in lows]


def _advance(
    best: NDArray[np.int32], gains: NDArray[np.int32], low: int, high: int
) -> NDArray[np.uint8]:
    """Replace the totals of the row above by this row's; return how each cell was reached."""
    diagonal = best[low:high] + gains
    above = best[low + 1 : high + 1]
    taken = np.maximum(diagonal, above)
    best[:low] = UNREACHED
    best[low + 1 : high + 1] = taken
    np.maximum.accumulate(best[low : high + 1], out=best[low : high + 1])
    reached = best[low + 1 : high + 1]
    ways = np.full(high - low, LEFT, dtype=np.uint8)
    ways[taken == reached] = UP
    ways[diagonal == reached] = DIAGONAL
    return ways


def _walk_back(ways: list[NDArray[np.uint8]], lows: list[int], width: int) -> type_of_pairs:
    found: list[tuple[int, int]] = []
    row, column = len(ways) - 1, width - 1
    while row >= 0 and column >= 0:
        at = column - lows[row]
        # What lies left of the band was last reached in a row above.
        way = int(ways[row][at]) if at >= 0 else UP
        if way == DIAGONAL:
            found.append((row, column))
        row -= way != LEFT
        column -= way != UP
    return found[::-1]
