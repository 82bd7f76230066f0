"""The structure of a run in columns: what pages of any length are drawn from. No content.

A run of 50,000 steps is two megabytes here and is loaded, asked and drawn in milliseconds, where
objects would take a second. Every array has one entry for each step, or for each link; links are
sorted by target. Questions about cause are those of `traces.causality`, over columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import breadth_first_order

from traces.causality import MINDS
from traces.transcript import ActorKind, LinkKind, PartKind, StepKind, StepStatus

KINDS, STATUSES = tuple(StepKind), tuple(StepStatus)
PARTS, RELATIONS = tuple(PartKind), tuple(LinkKind)
BAD = frozenset({StepStatus.ERROR, StepStatus.TIMEOUT, StepStatus.CANCELLED})
# What checks said at a step, the worst first where several did.
VERDICTS = ("", "failed", "inconclusive", "passed")

Numbers = NDArray[np.int32]
Truths = NDArray[np.bool_]


class Lane(NamedTuple):
    """An actor that acts in the run."""

    key: str
    role: str
    kind: ActorKind
    instance: str = ""
    replaces: str = ""

    @property
    def name(self) -> str:
        return self.key if self.instance else self.role


COLUMNS: dict[str, Any] = {
    "actor": np.int32, "kind": np.uint8, "status": np.uint8, "tool": np.int32,
    "attempt": np.int32, "parts": np.uint16, "verdict": np.uint8, "size": np.int32,
    "began": np.float64, "ended": np.float64,
}  # fmt: skip
LINKS: dict[str, Any] = {
    "source": np.int32, "target": np.int32, "relation": np.uint8, "rule": np.int16,
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Outline:
    """Columns over steps, then columns over links. `actor`, `tool` and `rule` are places in lists.

    The first rule is none: those links were recorded. `tool` is -1 without one, `attempt` 0 if not
    numbered, `parts` a bit for each kind of part, `verdict` a place in VERDICTS, `size` in
    characters, times NaN if unknown.
    """

    lanes: tuple[Lane, ...]
    tools: tuple[str, ...]
    rules: tuple[str, ...]
    actor: Numbers
    kind: NDArray[np.uint8]
    status: NDArray[np.uint8]
    tool: Numbers
    attempt: Numbers
    parts: NDArray[np.uint16]
    verdict: NDArray[np.uint8]
    size: Numbers
    began: NDArray[np.float64]
    ended: NDArray[np.float64]
    source: Numbers
    target: Numbers
    relation: NDArray[np.uint8]
    rule: NDArray[np.int16]

    def __len__(self) -> int:
        return len(self.actor)

    def lane(self, step: int) -> Lane:
        return self.lanes[int(self.actor[step])]

    @cached_property
    def recorded(self) -> Truths:
        """Links that are no guess."""
        known: Truths = self.rule == 0
        return known

    @cached_property
    def failing(self) -> Truths:
        """Steps that ended badly."""
        bad: Truths = np.isin(self.status, [STATUSES.index(status) for status in BAD])
        return bad

    @cached_property
    def retried(self) -> Truths:
        again: Truths = self.attempt > 1
        return again

    def having(self, kind: PartKind) -> Truths:
        """Steps with a part of this kind."""
        there: Truths = (self.parts & (1 << PARTS.index(kind))) != 0
        return there

    def inputs(self, step: int) -> Numbers:
        """Places of the links into a step."""
        first, last = np.searchsorted(self.target, [step, step + 1])
        return np.arange(first, last, dtype=np.int32)

    def outputs(self, step: int) -> Numbers:
        """Places of the links out of a step."""
        first, last = np.searchsorted(self.source[self._by_source], [step, step + 1])
        return self._by_source[first:last]

    @cached_property
    def _by_source(self) -> Numbers:
        return np.argsort(self.source, kind="stable").astype(np.int32)

    @cached_property
    def memories(self) -> tuple[Numbers, Numbers]:
        """Each step of somebody who remembers, and the next step of the same actor."""
        order = np.argsort(self.actor, kind="stable").astype(np.int32)
        before, after = order[:-1], order[1:]
        minds = np.array([lane.kind in MINDS for lane in self.lanes], dtype=bool)
        acting = self.actor[before]
        same = (acting == self.actor[after]) & minds[acting] if len(order) else before > after
        return before[same], after[same]

    def ancestors(self, *steps: int, recorded: bool = False, memory: bool = False) -> Truths:
        """Which steps these can have got something from, themselves left out."""
        return self._reached(steps, backwards=True, recorded=recorded, memory=memory)

    def descendants(self, *steps: int, recorded: bool = False, memory: bool = False) -> Truths:
        """Which steps these can have affected, themselves left out."""
        return self._reached(steps, backwards=False, recorded=recorded, memory=memory)

    def could_see(self, step: int) -> Truths:
        """`traces.causality.could_see`: an upper bound of what was known at this step."""
        own = np.flatnonzero(self.actor[:step] == self.actor[step])
        seen = self.ancestors(step, *own.tolist(), memory=True)
        seen[own] = True
        seen[step] = False
        return seen

    def could_reach(self, step: int) -> Truths:
        """`traces.standing.could_reach`: the steps that could see this one."""
        reached = self.descendants(step, memory=True)
        reached[step] = True
        # What an actor knew once counts for all that it does later.
        numbers = np.arange(len(self))
        first = np.full(len(self.lanes), len(self))
        np.minimum.at(first, self.actor[reached], numbers[reached])
        reached |= numbers > first[self.actor]
        reached[step] = False
        return reached

    def neighbours_in_lane(self, step: int) -> tuple[int | None, int | None]:
        """The steps of the same actor before and after."""
        own = np.flatnonzero(self.actor == self.actor[step])
        place = int(np.searchsorted(own, step))
        before = int(own[place - 1]) if place else None
        after = int(own[place + 1]) if place + 1 < len(own) else None
        return before, after

    def previous_of_actor(self, steps: Iterable[int]) -> dict[int, int]:
        """For each of these steps the one its actor took before it, if there is one."""
        found = ((step, self.neighbours_in_lane(step)[0]) for step in steps)
        return {step: before for step, before in found if before is not None}

    def _reached(
        self, steps: Sequence[int], *, backwards: bool, recorded: bool, memory: bool
    ) -> Truths:
        size = len(self)
        reached = np.zeros(size + 1, dtype=bool)
        if steps:
            source, target = self._edges(recorded=recorded, memory=memory)
            ends = (target, source) if backwards else (source, target)
            # One more node leads to all that are asked for: one walk answers for all of them.
            begins = np.r_[ends[0], np.full(len(steps), size)], np.r_[ends[1], steps]
            ones = np.ones(len(begins[0]), dtype=np.int8)
            graph = csr_matrix((ones, begins), shape=(size + 1, size + 1))
            reached[breadth_first_order(graph, size, return_predecessors=False)] = True
            reached[list(steps)] = False
        return reached[:size]

    def _edges(self, *, recorded: bool, memory: bool) -> tuple[Numbers, Numbers]:
        kept = self.recorded if recorded else np.ones(len(self.source), dtype=bool)
        source, target = self.source[kept], self.target[kept]
        if not memory:
            return source, target
        before, after = self.memories
        return np.r_[source, before], np.r_[target, after]
