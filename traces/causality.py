"""Questions about cause over the step graph. Links only: clocks order nothing here.

Links point from an earlier step to a later one, so the graph has no cycle (ingest breaks those
and records a gap). Inferred links never count as proof: ask `recorded_only` where it matters.
Every question takes time linear in links, so 50,000 steps are answered within a second.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cached_property

from traces.transcript import Link, Transcript

# One guess weighs more than any number of recorded links.
GUESS = 1_000_000


class StepGraph:
    """Who consumed what, as adjacency lists over step numbers."""

    def __init__(self, links: Iterable[Link]) -> None:
        self.links = tuple(links)

    @cached_property
    def inputs(self) -> Mapping[int, list[Link]]:
        """Links into each step."""
        found: dict[int, list[Link]] = defaultdict(list)
        for link in self.links:
            found[link.target].append(link)
        return dict(found)

    @cached_property
    def outputs(self) -> Mapping[int, list[Link]]:
        """Links out of each step."""
        found: dict[int, list[Link]] = defaultdict(list)
        for link in self.links:
            found[link.source].append(link)
        return dict(found)

    def ancestors(self, *steps: int) -> set[int]:
        """Every step these can have got something from, themselves left out."""
        return _reach(steps, {n: [link.source for link in into] for n, into in self.inputs.items()})

    def descendants(self, *steps: int) -> set[int]:
        """Every step these can have affected, themselves left out."""
        return _reach(steps, {n: [link.target for link in out] for n, out in self.outputs.items()})

    def happens_before(self, first: int, last: int) -> bool:
        return first < last and last in self.descendants(first)

    def concurrent(self, one: int, other: int) -> bool:
        """Whether neither can have affected the other, as far as the record shows."""
        first, last = sorted((one, other))
        return first != last and not self.happens_before(first, last)

    def between(self, first: int, last: int) -> list[int]:
        """The steps on any path from `first` to `last`, ends left out, in order."""
        return sorted(self.descendants(first) & self.ancestors(last))

    def path(self, first: int, last: int) -> tuple[Link, ...] | None:
        """The best supported way from one step to another: fewest guesses, then fewest links.

        None when there is none; empty from a step to itself.
        """
        cost: dict[int, int] = {first: 0}
        came_by: dict[int, Link] = {}
        waiting = [(0, first)]
        while waiting:
            so_far, step = heapq.heappop(waiting)
            if step == last:
                return _walked_back(first, last, came_by)
            for link in self.outputs.get(step, ()) if so_far == cost[step] else ():
                through = so_far + (1 if link.recorded else GUESS)
                if link.target <= last and through < cost.get(link.target, through + 1):
                    cost[link.target], came_by[link.target] = through, link
                    heapq.heappush(waiting, (through, link.target))
        return None

    def recorded_only(self) -> StepGraph:
        return StepGraph(link for link in self.links if link.recorded)


def could_see(transcript: Transcript, step: int) -> set[int]:
    """The steps whose content can have reached this one.

    What it got by links, what its own actor instance did or got before, and so on backwards. An
    upper bound: a recorder that names inputs may still mean that not all of them were read.
    """
    graph = StepGraph(transcript.links)
    actor = transcript.steps[step].actor
    own = [n for n in range(step) if transcript.steps[n].actor == actor]
    return (graph.ancestors(step, *own) | set(own)) - {step}


def _walked_back(first: int, last: int, came_by: Mapping[int, Link]) -> tuple[Link, ...]:
    links: list[Link] = []
    while last != first:
        links.append(came_by[last])
        last = came_by[last].source
    return tuple(reversed(links))


def _reach(start: Iterable[int], neighbours: Mapping[int, list[int]]) -> set[int]:
    begin = set(start)
    seen: set[int] = set()
    waiting = [n for step in begin for n in neighbours.get(step, ())]
    while waiting:
        step = waiting.pop()
        if step not in seen:
            seen.add(step)
            waiting.extend(neighbours.get(step, ()))
    return seen - begin
