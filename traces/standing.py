"""How the steps of a run stand to one of them: before it, after it, or neither. Plain Python.

The notion is the one of `could_see`: links, and what an actor did or got before. What is told
apart is whether recorded links alone lead from the one to the other. Clocks say nothing here.
"""

from __future__ import annotations

from dataclasses import dataclass

from traces.causality import MINDS, StepGraph, could_see, memories
from traces.transcript import Transcript


@dataclass(frozen=True)
class Standing:
    """The steps before and after one; those that recorded links show are `surely` there."""

    step: int
    before: frozenset[int]
    surely_before: frozenset[int]
    after: frozenset[int]
    surely_after: frozenset[int]

    def relation(self, other: int) -> str:
        """In a word: here, before, perhaps_before, after, perhaps_after or concurrent."""
        if other == self.step:
            return "here"
        if other in self.before:
            return "before" if other in self.surely_before else "perhaps_before"
        if other in self.after:
            return "after" if other in self.surely_after else "perhaps_after"
        return "concurrent"


def standing(transcript: Transcript, step: int) -> Standing:
    recorded = StepGraph(transcript.links).recorded_only()
    return Standing(
        step,
        before=frozenset(could_see(transcript, step)),
        surely_before=frozenset(recorded.ancestors(step)),
        after=frozenset(could_reach(transcript, step)),
        surely_after=frozenset(recorded.descendants(step)),
    )


def could_reach(transcript: Transcript, step: int) -> set[int]:
    """The steps that could see this one."""
    graph = StepGraph([*transcript.links, *memories(transcript, MINDS)])
    reached = graph.descendants(step) | {step}
    knowing: set[str] = set()
    own: set[int] = set()
    for each in transcript.steps[step:]:
        if each.actor in knowing:
            own.add(each.number)
        if each.number in reached:
            knowing.add(each.actor)
    return (reached | own) - {step}
