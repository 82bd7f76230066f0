"""Questions about cause over the step graph. Links only: clocks order nothing here.

Links point from an earlier step to a later one, so the graph has no cycle (ingest breaks those
and records a gap). Inferred links never count as proof: ask for `recorded_only` where it matters.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import cached_property

from traces.transcript import Link


class StepGraph:
    """Who consumed what, as adjacency lists over step numbers."""

    def __init__(self, links: Iterable[Link]) -> None:
        self.links = tuple(links)

    @cached_property
    def inputs(self) -> dict[int, list[Link]]:
        """Links into each step."""
        found: dict[int, list[Link]] = defaultdict(list)
        for link in self.links:
            found[link.target].append(link)
        return dict(found)

    @cached_property
    def outputs(self) -> dict[int, list[Link]]:
        """Links out of each step."""
        found: dict[int, list[Link]] = defaultdict(list)
        for link in self.links:
            found[link.source].append(link)
        return dict(found)

    def ancestors(self, step: int) -> set[int]:
        """Every step this one can have got something from, itself left out."""
        return _reach(step, {n: [link.source for link in into] for n, into in self.inputs.items()})

    def descendants(self, step: int) -> set[int]:
        """Every step this one can have affected, itself left out."""
        return _reach(step, {n: [link.target for link in out] for n, out in self.outputs.items()})

    def between(self, first: int, last: int) -> list[int]:
        """The steps on any path from `first` to `last`, ends left out, in order."""
        return sorted(self.descendants(first) & self.ancestors(last))

    def recorded_only(self) -> StepGraph:
        return StepGraph(link for link in self.links if link.recorded)


def _reach(start: int, neighbours: dict[int, list[int]]) -> set[int]:
    seen: set[int] = set()
    waiting = list(neighbours.get(start, ()))
    while waiting:
        step = waiting.pop()
        if step not in seen:
            seen.add(step)
            waiting.extend(neighbours.get(step, ()))
    return seen
