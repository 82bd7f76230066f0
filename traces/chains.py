"""Where the recorded changes of an artifact do not follow from each other. Plain Python.

A change from a version that nobody made, from one that its author must have known was replaced
or deleted, and words about what was accepted that contradict each other or name nothing made.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from traces.causality import with_memory
from traces.states import histories, races
from traces.transcript import Transcript
from traces.transitions import Transition, called

# Earlier changes from the same version that one is compared with.
COMPARED = 4


class Break(NamedTuple):
    """What does not fit, in a sentence, at the step that shows it."""

    step: int
    detail: str


def breaks(transcript: Transcript) -> list[Break]:
    """Each break once, by its step."""
    known = histories(transcript)
    found = [each for history in known.values() for each in _from_nowhere(history)]
    found += [each for history in known.values() for each in _never_made(history)]
    found += _stale(transcript, known)
    found += _contradictions(transcript)
    return sorted(dict.fromkeys(found))


def _from_nowhere(history: list[Transition]) -> Iterator[Break]:
    """Changes that start from a version not seen before, or after the artifact was deleted."""
    known: set[str] = set()
    last: Transition | None = None
    for each in history:
        if last and each.before and each.before not in known:
            if last.after:
                left = f"was left at {last.after}"
            elif last.deletes:
                left = "was deleted"
            else:
                left = ""
            if left:
                is_now = f"and is {each.before} before step {each.step}."
                yield Break(each.step, f"{each.artifact} {left} in step {last.step}, {is_now}")
        for version in filter(None, (each.before, each.after, each.accepted)):
            known.update(called(version))
        last = each


def _never_made(history: list[Transition]) -> Iterator[Break]:
    """Accepted versions that no step made, found there, or went on from. Sentences are none."""
    made = {version for each in history for version in (each.before, each.after)}
    for each in history:
        named = each.accepted if " " not in each.accepted else ""
        if named and named not in made:
            detail = f"{each.artifact}: accepted was {each.accepted}, which no recorded step made."
            yield Break(each.step, detail)


def _stale(transcript: Transcript, known: dict[str, list[Transition]]) -> Iterator[Break]:
    """Changes from a version that an earlier one replaced, by somebody who could know of it."""
    suspected = [pair for history in known.values() for pair in _again_from(history)]
    pairs = {(earlier.step, each.step) for earlier, each, _ in suspected}
    ordered = with_memory(transcript).ordered(pairs) if pairs else set()
    for earlier, each, last in suspected:
        if (earlier.step, each.step) in ordered:
            done = f"replaced; the last was {last}" if earlier.after else "deleted"
            detail = f"{each.artifact}: step {each.step} started from {each.before}, which step"
            yield Break(each.step, f"{detail} {earlier.step} had {done}.")


def _again_from(history: list[Transition]) -> Iterator[tuple[Transition, Transition, str]]:
    """An earlier change and a new one from the same version, which was not made again between."""
    replaced: defaultdict[str, list[Transition]] = defaultdict(list)
    made: set[str] = set()
    last = ""
    for each in history:
        changed = each.before if each.after != each.before else None
        is_new = each.after not in made and not each.met_another
        if changed is not None and is_new:
            yield from ((earlier, each, last) for earlier in replaced[changed][-COMPARED:])
        for version in filter(None, (each.after, each.accepted)):
            for name in called(version):
                replaced.pop(name, None)
        if each.after:
            made.add(each.after)
        if changed is not None and (each.after or each.deletes):
            replaced[changed].append(each)
        last = each.after or last


def _contradictions(transcript: Transcript) -> Iterator[Break]:
    for race in races(transcript):
        if len(race.said_to_stay) > 1:
            both = " and ".join(race.said_to_stay)
            yield Break(race.settled[-1].step, f"{race.artifact}: said to be accepted are {both}.")
