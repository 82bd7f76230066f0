"""What lights up when a step is selected: the steps before and after it, surely or perhaps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from attribution.minimap.columns import grid_of, ticks
from attribution.minimap.layers import Layer
from attribution.minimap.scale import Scale
from traces.outline import Outline, Truths

MOST_LINES = 140
# Ranges of steps of one kind that the page is given, those nearest to the step.
MOST_RANGES = 60


@dataclass(frozen=True, eq=False)
class Lit:
    """How all steps stand to one: see `traces.standing`. The `surely` ones by recorded links."""

    step: int
    before: Truths
    surely_before: Truths
    after: Truths
    surely_after: Truths

    @property
    def kinds(self) -> dict[str, Truths]:
        """By name, steps of which none is in two."""
        return {
            "before": self.surely_before,
            "perhaps_before": self.before & ~self.surely_before,
            "after": self.surely_after,
            "perhaps_after": self.after & ~self.surely_after,
        }

    @property
    def counts(self) -> dict[str, int]:
        """How many steps are of each kind, and how many of none."""
        counted = {name: int(there.sum()) for name, there in self.kinds.items()}
        return counted | {"neither": len(self.before) - 1 - sum(counted.values())}

    def relation(self, other: int) -> str:
        """In a word: here, before, perhaps_before, after, perhaps_after or concurrent."""
        if other == self.step:
            return "here"
        return next((name for name, there in self.kinds.items() if there[other]), "concurrent")

    @property
    def ranges(self) -> dict[str, Any]:
        """For the page's script: by kind, first and last step of each range near the step.

        `from` and `until` are the steps that they tell everything about.
        """
        found: dict[str, Any] = {"step": self.step, "from": 0, "until": len(self.before) - 1}
        for name, there in self.kinds.items():
            pairs = ranges(there)
            if name.endswith("before") and len(pairs) > MOST_RANGES:
                pairs = pairs[-MOST_RANGES:]
                found["from"] = max(found["from"], pairs[0][0])
            elif len(pairs) > MOST_RANGES:
                pairs = pairs[:MOST_RANGES]
                found["until"] = min(found["until"], pairs[-1][1])
            found[name] = pairs
        return found


def lit_of(outline: Outline, step: int) -> Lit:
    return Lit(
        step,
        before=outline.could_see(step),
        surely_before=outline.ancestors(step, recorded=True),
        after=outline.could_reach(step),
        surely_after=outline.descendants(step, recorded=True),
    )


def ranges(there: Truths) -> list[tuple[int, int]]:
    """The first and the last of each stretch of steps."""
    edges = np.flatnonzero(np.diff(np.r_[0, there.astype(np.int8), 0]))
    return list(zip(edges[::2].tolist(), (edges[1::2] - 1).tolist(), strict=True))


def lit_layers(scale: Scale, lit: Lit) -> Iterator[Layer]:
    for name, there in lit.kinds.items():
        if there.any():
            d = ticks(scale, grid_of(scale, there), MOST_LINES, scale.y)
            yield Layer(name, d, int(there.sum()))
