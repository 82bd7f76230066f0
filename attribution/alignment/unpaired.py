"""Steps that have no partner in order: which of them mean something.

A run that tries a call again, thinks aloud, or does two things in another order has not gone
another way yet.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from operator import attrgetter

from attribution.alignment.attempts import healed_attempts
from attribution.alignment.canonical import Canonical
from attribution.alignment.differences import (
    CALL,
    CHOICE,
    SEEN,
    WORDS,
    WRITING,
    Difference,
    compare,
)
from attribution.alignment.sentences import about, does
from attribution.alignment.sequences import type_of_keys, type_of_pairs
from attribution.alignment.words import similarity
from traces.transcript import Transcript

# A step that only one run has says less than two that differ: the other may have done it within
# another step.
ALONE = 0.8
# Rows. Parallel actors interleave otherwise in every run; further apart is not the same moment.
NEAR = 40
# How many possible twins of one step are looked at, nearest first; bounds the work.
MOST_TWINS = 4
# The unlikeness of steps that have nothing to do with each other.
NO_TWIN = 2.0

RETRIED = "an attempt that was tried again"
THOUGHT = "a thought without an action"
MOVED = "the other run has this step, in another order"

type_of_rows = Mapping[int, int]


def difference(step: Canonical, where: str) -> Difference:
    """What a step means that only `where` ("this" or "the other") run has."""
    return Difference(
        ALONE * _weight(step), f"only {where} run: {step.role} {does(step)}{about(step)}"
    )


def _weight(step: Canonical) -> float:
    if not step.by_agent:
        return SEEN if step.verdicts or step.status else WORDS
    if step.decision or (step.states and not step.tool):
        return CHOICE
    if step.tool:
        return WRITING if step.states else CALL
    return SEEN if step.verdicts else WORDS


def harmless(
    transcript: Transcript, steps: Sequence[Canonical], alone: Iterable[int]
) -> dict[int, str]:
    """The unpaired steps of one run that mean nothing by themselves, with the reason."""
    badly_ended = {number for number, step in enumerate(steps) if step.status}
    healed = healed_attempts(transcript.links, badly_ended)
    notes: dict[int, str] = {}
    for number in alone:
        if number in healed:
            notes[number] = RETRIED
        elif steps[number].only_thought:
            notes[number] = THOUGHT
    return notes


def twins(
    left: Sequence[Canonical],
    right: Sequence[Canonical],
    rows_of_left: type_of_rows,
    rows_of_right: type_of_rows,
) -> Iterator[tuple[int, int]]:
    """Pairs of unpaired steps that do the same thing out of order; takes the row of each."""
    free: dict[object, list[int]] = defaultdict(list)
    for number in sorted(rows_of_right, key=lambda number: rows_of_right[number]):
        free[right[number].manner].append(number)
    for number, row in rows_of_left.items():
        others = free[left[number].manner]
        near = _near(others, row, rows_of_right)
        weights = {other: _unlikeness(left[number], right[other]) for other in near}
        best = min(weights, key=lambda other: weights[other], default=None)
        if best is not None and weights[best][0] < NO_TWIN:
            others.remove(best)
            yield number, best


def _near(numbers: list[int], row: int, rows: type_of_rows) -> list[int]:
    """The steps nearest to a row, of those whose rows rise."""
    first = bisect_left(numbers, row - NEAR, key=lambda number: rows[number])
    last = bisect_right(numbers, row + NEAR, key=lambda number: rows[number])
    return sorted(numbers[first:last], key=lambda number: abs(rows[number] - row))[:MOST_TWINS]


def _unlikeness(left: Canonical, right: Canonical) -> tuple[float, float]:
    """By weight; of equal weight by words, so that two orders at once find each their own."""
    difference = compare(left, right)
    apart = 1 - alike(left, right)
    if difference is None:
        return 0.0, apart
    return (difference.weight if _same_object(left, right) else NO_TWIN), apart


def _same_object(left: Canonical, right: Canonical) -> bool:
    """Whether both change the same thing, hand over to somebody, or make nearly the same call."""
    if left.kind == "handoff":
        return True
    artifacts = {state.artifact for state in left.states}
    if artifacts & {state.artifact for state in right.states}:
        return True
    return bool(left.tool) and bool(set(left.arguments) & set(right.arguments))


def alike(left: Canonical, right: Canonical) -> float:
    """0 to 1: how alike two steps of one manner read; calls by what was asked."""
    if left.tool:
        return similarity(_asked(left), _asked(right))
    return similarity(left.text, right.text)


def _asked(step: Canonical) -> str:
    return " ".join(value for _, value in step.arguments)


def instead(
    pairs: type_of_pairs,
    left: Sequence[Canonical],
    right: Sequence[Canonical],
    settled: tuple[set[int], set[int]],
) -> type_of_pairs:
    """The pairs, and between them what the same actor did here against there.

    First those that at least did the same kind of thing. `settled` are the steps of either side
    that are accounted for already.
    """
    for manner in (attrgetter("role", "actor", "kind"), attrgetter("role", "actor")):
        mine, others = [manner(step) for step in left], [manner(step) for step in right]
        found: type_of_pairs = []
        for (i, j), (next_i, next_j) in pairwise([(-1, -1), *pairs, (len(left), len(right))]):
            ours = [k for k in range(i + 1, next_i) if k not in settled[0]]
            theirs = [k for k in range(j + 1, next_j) if k not in settled[1]]
            found += _rising(ours, theirs, mine, others)
        pairs = sorted([*pairs, *found])
    return pairs


def _rising(
    ours: list[int], theirs: list[int], mine: type_of_keys, others: type_of_keys
) -> Iterator[tuple[int, int]]:
    """The first pairs of equal keys, each after the one before on both sides."""
    places: dict[object, list[int]] = defaultdict(list)
    for number in theirs:
        places[others[number]].append(number)
    last = -1
    for number in ours:
        alike = places.get(mine[number], [])
        at = bisect_right(alike, last)
        if at < len(alike):
            last = alike[at]
            yield number, last
