"""The best supported ways from step to step: fewest guesses, then fewest links. Plain Python.

The notion is that of `traces.causality.StepGraph.path`, over the columns of an outline. A guess
is an inferred link, or that an actor who remembers knew at its next step what it did before.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import dijkstra

from traces.causality import GUESS, SAME_INSTANCE
from traces.outline import Outline


class Hop(NamedTuple):
    """One link of a way; without a rule it was recorded."""

    source: int
    target: int
    rule: str = ""


@dataclass(frozen=True)
class Way:
    """The hops of a way, or of several that belong together, in order of their targets."""

    hops: tuple[Hop, ...] = ()

    @property
    def steps(self) -> tuple[int, ...]:
        return tuple(sorted({end for hop in self.hops for end in hop[:2]}))

    @property
    def guesses(self) -> int:
        return sum(bool(hop.rule) for hop in self.hops)


class Into:
    """The best ways into one step, from every step that leads there."""

    def __init__(
        self, ways: Ways, last: int, cost: NDArray[np.float64], onward: NDArray[np.int32]
    ) -> None:
        self.ways, self.last, self.cost, self.onward = ways, last, cost, onward

    def leads(self, step: int) -> bool:
        return bool(np.isfinite(self.cost[step]))

    def guesses(self, step: int) -> int:
        """How many guesses the way from this step needs."""
        return int(self.cost[step] // GUESS)

    def hops(self, step: int) -> Iterator[Hop]:
        """From a step that leads there."""
        while step != self.last:
            after = int(self.onward[step])
            yield Hop(step, after, self.ways.rule(step, after))
            step = after


class Ways:
    def __init__(self, outline: Outline) -> None:
        before, after = outline.memories
        source, target = np.r_[outline.source, before], np.r_[outline.target, after]
        self.rules = (*outline.rules, SAME_INSTANCE)
        remembered = np.full(len(before), len(outline.rules))
        rule = np.r_[outline.rule, remembered].astype(np.int64)
        # Of links between the same two steps the best supported counts.
        order = np.lexsort((rule, target, source))
        pairs = source[order].astype(np.int64) * len(outline) + target[order]
        self.pairs, kept = np.unique(pairs, return_index=True)
        self.size = len(outline)
        chosen = order[kept]
        self.source, self.target, self.by = source[chosen], target[chosen], rule[chosen]

    def rule(self, source: int, target: int) -> str:
        """By which rule the best supported link between two steps was guessed, if it was."""
        place = np.searchsorted(self.pairs, source * self.size + target)
        return self.rules[int(self.by[place])]

    def into(self, last: int, *, first: int = 0) -> Into:
        """The best ways into `last` from the steps since `first`."""
        near = (self.target <= last) & (self.source >= first)
        weight = np.where(self.by[near] == 0, 1.0, float(GUESS))
        ends = self.target[near] - first, self.source[near] - first
        size = last - first + 1
        graph = csr_matrix((weight, ends), shape=(size, size))
        found, came_by = dijkstra(graph, indices=size - 1, return_predecessors=True)
        cost = np.full(self.size, np.inf)
        onward = np.full(self.size, -1, dtype=np.int32)
        cost[first : last + 1], onward[first : last + 1] = found, came_by + first
        return Into(self, last, cost, onward)

    def path(self, first: int, last: int) -> Way | None:
        """The best way between two steps. None when there is none, no hop from a step to itself."""
        if first > last:
            return None
        into = self.into(last, first=first)
        return Way(tuple(into.hops(first))) if into.leads(first) else None
