"""Lines of ticks under the map: the steps that a search or a question found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attribution.minimap.columns import line_of, ticks
from attribution.minimap.scale import Axis, cut

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
    """A strip as it is drawn. `steps` are those, or of very many some."""

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
    axis = Axis(size)
    return tuple(_ticks(strip, axis, n * STRIP + STRIP // 2) for n, strip in enumerate(drawn))


def _ticks(strip: Strip, axis: Axis, y: int) -> Ticks:
    steps = np.unique(np.asarray(strip.steps, dtype=np.int64))
    steps = steps[(steps >= 0) & (steps < axis.size)]
    d = ticks(axis, line_of(axis, steps), MOST_TICKS, lambda _: y)
    at = 0 if strip.first is None else axis.middle(strip.first)
    return Ticks(cut(strip.name, 18), len(steps), y, d, _some(steps), strip.first, at)


def _some(steps: NDArray[np.int64]) -> tuple[int, ...]:
    """Of very many steps some, from all over the run."""
    if len(steps) > MOST_TICKS:
        steps = steps[np.linspace(0, len(steps) - 1, MOST_TICKS).astype(np.int64)]
    return tuple(steps.tolist())
