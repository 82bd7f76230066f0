"""Lines of ticks under the map: the steps that a search or a question found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attribution.minimap.scale import NAMES, PLOT, cut

STRIP = 14
MOST_TICKS, MOST_STRIPS = 200, 4


@dataclass(frozen=True)
class Strip:
    """Steps that something was found in. `first` is told apart, if there is a first."""

    name: str
    steps: Sequence[int] | NDArray[np.int_]
    first: int | None = None


@dataclass(frozen=True)
class Ticks:
    """A strip as it is drawn. `steps` is one step for each tick."""

    name: str
    count: int
    y: int
    d: str
    steps: tuple[int, ...]
    first: int | None
    first_x: int

    @property
    def listed(self) -> str:
        return ",".join(map(str, self.steps))


def strips(found: Sequence[Strip], size: int) -> tuple[Ticks, ...]:
    """The first few strips, over a run of this many steps."""
    drawn = [strip for strip in found if len(strip.steps)][:MOST_STRIPS]
    return tuple(_ticks(strip, size, n * STRIP + STRIP // 2) for n, strip in enumerate(drawn))


def _ticks(strip: Strip, size: int, y: int) -> Ticks:
    steps = np.unique(np.asarray(strip.steps, dtype=np.int64))
    steps = steps[(steps >= 0) & (steps < size)]
    xs = NAMES + ((steps + 0.5) * PLOT / max(1, size)).astype(np.int64)
    apart = 1
    _, first = np.unique(xs, return_index=True)
    while len(first) > MOST_TICKS:
        apart *= 2
        _, first = np.unique(xs // apart, return_index=True)
    shown = steps[first].tolist()
    d = "".join(f"M{x} {y - 4}v8" for x in xs[first].tolist())
    at = 0 if strip.first is None else NAMES + int((strip.first + 0.5) * PLOT / max(1, size))
    return Ticks(cut(strip.name, 18), len(steps), y, d, tuple(shown), strip.first, at)
