"""A finding as marks in the trace, and whom it can blame. Plain Python."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

import numpy as np

from attribution.drawn_steps import Marks
from reviews.findings import Finding
from traces.outline import Outline
from traces.transcript import Actor, ActorKind

MOST_ACTORS = 300


def marks_of(finding: Finding, candidates: Iterable[tuple[int, int]]) -> Marks:
    """The marks of a finding, and those of candidates given as (number, step)."""
    numbered: dict[int, list[int]] = defaultdict(list)
    for number, step in candidates:
        numbered[step].append(number)
    cited: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    for quote in finding.evidence:
        cited[quote.step, quote.part].append((quote.start, quote.end))
    return Marks(
        decisive=finding.decisive_step,
        exposing=finding.exposing_step,
        carriers=frozenset(finding.carriers),
        missed=frozenset(miss.step for miss in finding.misses),
        considered=frozenset(a.step for a in finding.alternatives if a.step is not None),
        candidates={step: tuple(numbers) for step, numbers in numbered.items()},
        cited=cited,
    )


def blamable_actors(actors: Sequence[Actor], acting: Collection[str], chosen: str) -> list[Actor]:
    """Who acted or is an agent, of very many the first; also who is chosen already."""
    found = [a for a in actors if a.key in acting or a.kind is ActorKind.AGENT]
    beyond = [actor for actor in actors if actor.key == chosen]
    kept = found[:MOST_ACTORS]
    return kept + [actor for actor in beyond if actor not in kept]


def carriers_between(outline: Outline, finding: Finding) -> list[int]:
    """Recorded steps on the way from the decisive to the exposing one, not yet marked."""
    first, last = finding.decisive_step, finding.exposing_step
    # A reading that came later may have fewer steps than the marks are of.
    if first is None or last is None or max(first, last) >= len(outline):
        return []
    after = outline.descendants(first, recorded=True)
    path = np.flatnonzero(after & outline.ancestors(last, recorded=True))
    return [step for step in path.tolist() if step not in finding.carriers]
