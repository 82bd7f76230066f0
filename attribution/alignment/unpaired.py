"""Steps that only one of two runs has: which of them mean something.

A run that tries a call again, thinks aloud, or looks two things up in another order has not
gone another way yet.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from attribution.alignment.canonical import Canonical
from attribution.alignment.differences import CALL, DEED, SEEN, WORDS, Difference, does
from traces.transcript import LinkKind, Transcript

# Rows. What was merely looked up earlier or later than in the other run stands this near.
NEAR = 12

RETRIED = "an attempt that was tried again"
THOUGHT = "a thought without an action"
MOVED = "the other run has this step, in another order"

type_of_places = Mapping[int, int]


def difference(step: Canonical, where: str) -> Difference:
    """What a step means that only `where` ("this" or "the other") run has."""
    return Difference(_weight(step), f"only {where} run: {step.role} {does(step)}")


def _weight(step: Canonical) -> float:
    if step.by_agent and (step.decision or step.states):
        return DEED
    if step.by_agent and step.tool:
        return CALL
    return SEEN if step.verdicts else WORDS


def harmless(
    transcript: Transcript, steps: Sequence[Canonical], alone: Iterable[int]
) -> dict[int, str]:
    """The unpaired steps of one run that mean nothing by themselves, with the reason."""
    healed = set(healed_attempts(transcript, steps))
    notes: dict[int, str] = {}
    for number in alone:
        if number in healed:
            notes[number] = RETRIED
        elif steps[number].only_thought:
            notes[number] = THOUGHT
    return notes


def healed_attempts(transcript: Transcript, steps: Sequence[Canonical]) -> Iterator[int]:
    """Attempts that ended badly and of which a later attempt did not."""
    again: dict[int, list[int]] = defaultdict(list)
    for link in transcript.links:
        if link.kind is LinkKind.RETRY_OF:
            again[link.source].append(link.target)
    healed: set[int] = set()
    for first in sorted(again, reverse=True):
        if any(not steps[later].status or later in healed for later in again[first]):
            healed.add(first)
    return (number for number in healed if steps[number].status)


def moved(
    left: Sequence[Canonical],
    right: Sequence[Canonical],
    rows_of_left: type_of_places,
    rows_of_right: type_of_places,
) -> tuple[set[int], set[int]]:
    """Unpaired steps that changed nothing and that the other run has too, in another order.

    Takes the row of each unpaired step of either side.
    """
    twins: dict[object, list[int]] = defaultdict(list)
    for number in rows_of_right:
        if not any(right[number].deed):
            twins[_same_act(right[number])].append(number)
    ours: set[int] = set()
    theirs: set[int] = set()
    for number, row in rows_of_left.items():
        if any(left[number].deed):
            continue
        near = [
            twin
            for twin in twins[_same_act(left[number])]
            if twin not in theirs and abs(rows_of_right[twin] - row) <= NEAR
        ]
        if near:
            ours.add(number)
            theirs.add(near[0])
    return ours, theirs


def _same_act(step: Canonical) -> object:
    said = "" if step.tool or step.arguments else step.text
    return (step.role, step.kind, step.call, said)
