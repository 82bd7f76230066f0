"""Questions about cause over the step graph. Links only: clocks order nothing here.

Links point from an earlier step to a later one, so the graph has no cycle (ingest breaks those
and records a gap). Inferred links never count as proof: ask `recorded_only` where it matters.
Every question takes time linear in links, so 50,000 steps are answered within a second.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property

from traces.transcript import ActorKind, Link, LinkKind, Transcript

# One guess weighs more than any number of recorded links.
GUESS = 1_000_000
# Pairs in one walk. Each costs a bit in every step that it reaches.
BATCH = 1_024
SAME_INSTANCE = "previous step of the same instance"
# Who remembers: what such an actor did once, it knew afterwards.
MINDS = frozenset({ActorKind.AGENT, ActorKind.HUMAN})


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

    @cached_property
    def sources(self) -> Mapping[int, list[int]]:
        return {step: [link.source for link in into] for step, into in self.inputs.items()}

    @cached_property
    def targets(self) -> Mapping[int, list[int]]:
        return {step: [link.target for link in out] for step, out in self.outputs.items()}

    def ancestors(self, *steps: int) -> set[int]:
        """Every step these can have got something from, themselves left out."""
        return _reach(steps, self.sources)

    def descendants(self, *steps: int) -> set[int]:
        """Every step these can have affected, themselves left out."""
        return _reach(steps, self.targets)

    def happens_before(self, first: int, last: int) -> bool:
        return (first, last) in self.ordered([(first, last)])

    def ordered(self, pairs: Iterable[tuple[int, int]]) -> set[tuple[int, int]]:
        """Those pairs of which the first happens before the last, in one walk for a batch."""
        wanted = sorted(pair for pair in set(pairs) if pair[0] < pair[1])
        found: set[tuple[int, int]] = set()
        for begin in range(0, len(wanted), BATCH):
            found |= self._ordered(wanted[begin : begin + BATCH])
        return found

    def _ordered(self, pairs: list[tuple[int, int]]) -> set[tuple[int, int]]:
        """Each first step has a bit, which the links carry forward through the steps in order."""
        firsts = dict.fromkeys(first for first, _ in pairs)
        bit = {first: 1 << position for position, first in enumerate(firsts)}
        last_of_all = max(last for _, last in pairs)
        # What reached a step, and what it passes on: that and itself.
        reached: dict[int, int] = {}
        for step in range(min(bit), last_of_all + 1):
            for source in self.sources.get(step, ()):
                passed = reached.get(source, 0) | bit.get(source, 0)
                if passed:
                    reached[step] = reached.get(step, 0) | passed
        return {(first, last) for first, last in pairs if reached.get(last, 0) & bit[first]}

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


def with_memory(transcript: Transcript) -> StepGraph:
    """The recorded links, and what each agent or human did before its next step.

    One execution instance does one thing after another, whether or not its recorder says so.
    Nothing else is guessed.
    """
    recorded = [link for link in transcript.links if link.recorded]
    return StepGraph([*recorded, *memories(transcript, MINDS)])


def memories(transcript: Transcript, kinds: Collection[ActorKind]) -> Iterator[Link]:
    """From each step of an actor of these kinds to its next one."""
    last: dict[str, int] = {}
    for step in transcript.steps:
        if transcript.actor_of(step).kind in kinds:
            if step.actor in last:
                yield Link(last[step.actor], step.number, LinkKind.FOLLOWS, SAME_INSTANCE)
            last[step.actor] = step.number


def could_see(transcript: Transcript, step: int) -> set[int]:
    """The steps whose content can have reached this one.

    What it got by links, what its own actor instance did or got before, and so on backwards. An
    upper bound: a recorder that names inputs may still mean that not all of them were read.
    """
    graph = StepGraph([*transcript.links, *memories(transcript, MINDS)])
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
