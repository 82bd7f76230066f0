"""Branches of one run: where work went to several actors at once, or was tried again.

A branch holds what came of its first step and of no other branch beside it: it ends where the
branches meet, and where a later attempt begins.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from attribution.alignment.aligned import NONE, Aligned
from attribution.alignment.alignment import align
from traces.causality import StepGraph
from traces.transcript import Link, LinkKind, Transcript

# How many forks are looked at; each costs a walk over all that came of it.
MOST_FORKS = 100
type_of_ways = dict[int, list[int]]

_OUT = frozenset({LinkKind.SPAWN, LinkKind.HANDOFF, LinkKind.CONSUMES})


@dataclass(frozen=True, slots=True)
class Branch:
    """What came of one way out of a fork: its first step, who took it, and all its steps."""

    first: int
    actor: str
    steps: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Fork:
    """A step from which several ways lead. `retry`: they are attempts of the same thing, of
    which the first is the step itself.
    """

    step: int
    branches: tuple[Branch, ...]
    retry: bool = False


def forks(transcript: Transcript, *, most: int = MOST_FORKS) -> list[Fork]:
    """The forks of a run in order of their steps, at most so many."""
    graph = StepGraph(transcript.links)
    ways = {**_handed_out(transcript, graph), **_attempts(transcript.links)}
    found = (_fork(transcript, graph, step, ways[step]) for step in sorted(ways))
    return list(islice((fork for fork in found if fork), most))


def _handed_out(transcript: Transcript, graph: StepGraph) -> type_of_ways:
    """For each step that several actors took up: where each of them first did."""
    found: type_of_ways = {}
    for step, links in graph.outputs.items():
        first: dict[str, int] = {}
        for target in sorted(link.target for link in links if link.kind in _OUT):
            first.setdefault(transcript.steps[target].actor, target)
        if len(first) > 1:
            found[step] = list(first.values())
    return found


def _attempts(links: Sequence[Link]) -> type_of_ways:
    """For each step that was tried again: itself and all later attempts."""
    again: dict[int, list[int]] = defaultdict(list)
    for link in links:
        if link.kind is LinkKind.RETRY_OF:
            again[link.source].append(link.target)
    repeats = {target for targets in again.values() for target in targets}
    graph = StepGraph(link for link in links if link.kind is LinkKind.RETRY_OF)
    return {
        first: [first, *sorted(graph.descendants(first))] for first in again if first not in repeats
    }


def _fork(transcript: Transcript, graph: StepGraph, step: int, ways: list[int]) -> Fork | None:
    """None if these ways are stations of one: what somebody took up after another had."""
    retry = ways[0] == step
    if not retry:
        last = max(ways)
        near = {first: _until(graph, first, last) for first in ways}
        ways = [way for way in ways if not any(way in near[o] for o in ways if o != way)]
    if len(ways) < 2:
        return None
    reached = {first: {first, *graph.descendants(first)} for first in ways}
    branches = [_branch(transcript, first, ways, reached) for first in ways]
    return Fork(step, tuple(branches), retry)


def _until(graph: StepGraph, first: int, last: int) -> set[int]:
    """What came of a step up to another, which links that go forward make a short walk."""
    found, waiting = {first}, [first]
    while waiting:
        new = [step for step in graph.targets.get(waiting.pop(), ()) if step <= last]
        waiting += set(new) - found
        found.update(new)
    return found


def _branch(
    transcript: Transcript, first: int, ways: Sequence[int], reached: Mapping[int, set[int]]
) -> Branch:
    beside = (reached[other] for other in ways if other != first and first not in reached[other])
    own = reached[first].difference(*beside)
    return Branch(first, transcript.steps[first].actor, tuple(sorted(own)))


def align_branches(transcript: Transcript, one: int, other: int) -> Aligned:
    """The branches that begin at two steps of a run, beside each other; its numbers are kept.

    Of two of which one came of the other, the earlier ends where the later begins.
    """
    graph = StepGraph(transcript.links)
    reached = {first: {first, *graph.descendants(first)} for first in (one, other)}
    ours, theirs = (
        _branch(transcript, first, (one, other), reached).steps for first in (one, other)
    )
    return align_steps(transcript, ours, theirs)


def align_steps(transcript: Transcript, ours: Sequence[int], theirs: Sequence[int]) -> Aligned:
    """Two sequences of steps of one run, each in order; rows hold the run's own numbers."""
    aligned = Aligned.of(align(_only(transcript, ours), _only(transcript, theirs)))
    left, right = np.array(ours, dtype=np.int32), np.array(theirs, dtype=np.int32)
    # What has moved stands on the other side of its row.
    moved = np.where(aligned.left == NONE, _back(aligned.moved, left), _back(aligned.moved, right))
    return replace(
        aligned,
        left=_back(aligned.left, left),
        right=_back(aligned.right, right),
        moved=moved.astype(np.int32),
    )


def _only(transcript: Transcript, numbers: Sequence[int]) -> Transcript:
    """These steps as a run of their own, numbered from 0."""
    place = {number: at for at, number in enumerate(numbers)}
    steps = tuple(replace(transcript.steps[n], number=at) for n, at in place.items())
    links = tuple(
        replace(link, source=place[link.source], target=place[link.target])
        for link in transcript.links
        if link.source in place and link.target in place
    )
    return replace(transcript, steps=steps, links=links)


def _back(places: NDArray[np.int32], numbers: NDArray[np.int32]) -> NDArray[np.int32]:
    """The numbers at these places; none where there is none."""
    if not len(numbers):
        return np.full(len(places), NONE, dtype=np.int32)
    found = numbers[np.clip(places, 0, len(numbers) - 1)]
    return np.where(places == NONE, np.int32(NONE), found)
