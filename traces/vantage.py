"""A run as one of its steps stood in it: what came before, what it could see, what came of it.

Plain Python over a transcript's structure; no text is needed, so steps may come without parts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from traces.causality import StepGraph, could_see
from traces.ranges import Ranges, ranges
from traces.transcript import Link, LinkKind, Step, Transcript

# Of a path, how many links are shown at each end.
ENDS = 15


@dataclass(frozen=True)
class Reach:
    """The steps on one side of a step: by any link, and by recorded links alone."""

    all: Ranges
    recorded: Ranges


@dataclass(frozen=True)
class Vantage:
    """What one step stood on. `unseen` came earlier and cannot have reached it."""

    inputs: tuple[Link, ...]
    outputs: tuple[Link, ...]
    ancestors: Reach
    descendants: Reach
    visible: Ranges
    unseen: Ranges
    attempts: tuple[Step, ...]
    repeats: int | None


def vantage(transcript: Transcript, number: int) -> Vantage:
    graph = StepGraph(transcript.links)
    recorded = graph.recorded_only()
    seen = could_see(transcript, number)
    inputs = graph.inputs.get(number, [])
    return Vantage(
        inputs=tuple(inputs),
        outputs=tuple(graph.outputs.get(number, ())),
        ancestors=reach(graph.ancestors(number), recorded.ancestors(number)),
        descendants=reach(graph.descendants(number), recorded.descendants(number)),
        visible=ranges(seen),
        unseen=ranges(set(range(number)) - seen),
        attempts=attempts(transcript, number),
        repeats=max((k.source for k in inputs if k.kind is LinkKind.RETRY_OF), default=None),
    )


def reach(every: Iterable[int], recorded: Iterable[int]) -> Reach:
    return Reach(ranges(every), ranges(recorded))


def attempts(transcript: Transcript, number: int) -> tuple[Step, ...]:
    """All steps that repeat, or are repeated by, this one, itself among them; () if there are none.

    Over several retries too: the third attempt may repeat the second, or the first again.
    """
    retries = StepGraph(link for link in transcript.links if link.kind is LinkKind.RETRY_OF)
    found, waiting = {number}, [number]
    while waiting:
        step = waiting.pop()
        sources = [link.source for link in retries.inputs.get(step, ())]
        targets = [link.target for link in retries.outputs.get(step, ())]
        new = {*sources, *targets} - found
        found |= new
        waiting.extend(new)
    return tuple(transcript.steps[n] for n in sorted(found)) if len(found) > 1 else ()


@dataclass(frozen=True)
class Way:
    """How one step can have led to another. `between` counts what is left out in the middle."""

    first: int
    last: int
    begin: Sequence[Link]
    end: Sequence[Link]
    between: int
    length: int
    guesses: int
    found: bool


def way(transcript: Transcript, one: int, other: int) -> Way:
    """The best supported path between two steps, from the earlier to the later of them."""
    first, last = sorted((one, other))
    path = StepGraph(transcript.links).path(first, last)
    links = path or ()
    short = len(links) <= 2 * ENDS
    return Way(
        first=first,
        last=last,
        begin=links if short else links[:ENDS],
        end=() if short else links[-ENDS:],
        between=0 if short else len(links) - 2 * ENDS,
        length=len(links),
        guesses=sum(not link.recorded for link in links),
        found=path is not None,
    )
