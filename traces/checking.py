"""The checks of a run: each by its name, with its last verdict, which is what counts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from traces.causality import with_memory
from traces.transcript import ActorKind, Part, PartKind, Step, Transcript

DECIDED = ("passed", "failed", "skipped", "inconclusive")
# Of one check, the failures by different actors and the passes after each that are compared.
MOST = 12


@dataclass(frozen=True, slots=True)
class Check:
    """A check where it was last decided. Checks without a name are told apart by who checks."""

    name: str
    step: Step
    part: Part

    @property
    def verdict(self) -> str:
        return str(self.part.data["verdict"])

    def fact(self, name: str) -> str:
        return str(self.part.data.get(name) or "")


def last_verdicts(transcript: Transcript) -> list[Check]:
    """Each check once, as its last verdict left it, in the order of these verdicts.

    A failure stands until the check is passed again by somebody who could know of it: what was
    skipped or left open later settles nothing. What an evaluator says with a verdict is a check
    too, whatever the kind of its part.
    """
    known = _verdicts(transcript)
    pairs = {pair for made in known.values() for pair in _to_compare(made)}
    cleared = _after(transcript, pairs) if pairs else set()
    left = [_left(made, cleared) for made in known.values()]
    place = {id(each): n for n, each in enumerate(each for made in known.values() for each in made)}
    return sorted(left, key=lambda check: (check.step.number, place[id(check)]))


def _verdicts(transcript: Transcript) -> dict[tuple[str, str], list[Check]]:
    """What was decided of each check, in order."""
    found: defaultdict[tuple[str, str], list[Check]] = defaultdict(list)
    for step, _, part in transcript.citable():
        if part.data.get("verdict") not in DECIDED:
            continue
        evaluator = transcript.actor_of(step).kind is ActorKind.EVALUATOR
        if part.kind is PartKind.VERIFICATION or evaluator:
            name = str(part.data.get("check") or "")
            found[name, "" if name else step.actor].append(Check(name, step, part))
    return dict(found)


def _left(made: list[Check], cleared: set[tuple[int, int]]) -> Check:
    """The last failure that stands, or else the last verdict."""
    standing = [
        failed
        for at, failed in _failures(made)
        if not any(
            later.verdict == "passed" and _knows(later.step, failed.step, cleared)
            for later in made[at + 1 :]
        )
    ]
    return standing[-1] if standing else made[-1]


def _failures(made: list[Check]) -> list[tuple[int, Check]]:
    """The last failure by each actor, with its place: who clears it clears those before."""
    last: dict[str, tuple[int, Check]] = {}
    for at, each in enumerate(made):
        if each.verdict == "failed":
            last.pop(each.step.actor, None)
            last[each.step.actor] = (at, each)
    return list(last.values())[-MOST:]


def _to_compare(made: list[Check]) -> Iterator[tuple[int, int]]:
    """Failures and later passes, by somebody else, of which the order must be asked."""
    for at, failed in _failures(made):
        passes = [each.step for each in made[at + 1 :] if each.verdict == "passed"]
        if not any(step.actor == failed.step.actor for step in passes):
            yield from ((failed.step.number, step.number) for step in passes[-MOST:])


def _knows(later: Step, failed: Step, cleared: set[tuple[int, int]]) -> bool:
    return later.actor == failed.actor or (failed.number, later.number) in cleared


def _after(transcript: Transcript, pairs: set[tuple[int, int]]) -> set[tuple[int, int]]:
    """The pairs in this order; where no link is recorded, all are as they stand."""
    linked = any(link.recorded for link in transcript.links)
    return with_memory(transcript).ordered(pairs) if linked else pairs
