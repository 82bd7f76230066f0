"""Changes that somebody says were made, and that no recorded state shows."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from traces.causality import MINDS, with_memory
from traces.gaps.systematic import once_if_common
from traces.states import Transition, histories
from traces.transcript import Gap, Part, PartKind, Step, StepKind, Transcript
from traces.transitions import called

CLAIMANTS = frozenset({PartKind.MESSAGE, PartKind.DECISION, PartKind.INTERPRETATION})
CLAIMING = CLAIMANTS | {PartKind.TOOL_RESPONSE}
# States by one actor on either side of a claim of which it is asked whether links lead there.
COMPARED = 4
Shown = Mapping[tuple[str, str], dict[str, list[Step]]]


class Claim(NamedTuple):
    """A change that a step says was made: of this artifact, to this version if it names one."""

    step: Step
    artifact: str
    version: str

    def __str__(self) -> str:
        return f"{self.artifact} {self.version}".strip()


def claim_without_change(transcript: Transcript) -> list[Gap]:
    return once_if_common(_unmet(transcript), among=len(transcript.steps))


def _unmet(transcript: Transcript) -> Iterator[Gap]:
    unmet = unshown(transcript)
    for step in transcript.steps:
        if claims := unmet.get(step.number):
            detail = f"No state shows this: {', '.join(map(str, claims[:5]))}."
            yield Gap("claim_without_change", detail, step.number)
        elif step.kind is StepKind.STATE and not has_state(step):
            detail = "A change of state by its kind, but no state is recorded."
            yield Gap("claim_without_change", detail, step.number)


def unshown(transcript: Transcript) -> dict[int, list[Claim]]:
    """The claims of each step that no state meets."""
    shown = states_by_version(transcript)
    waiting = [
        (claim, _linked(transcript, claim, shown))
        for step in transcript.steps
        for part in step.parts
        if part.kind in CLAIMING
        for claim in (Claim(step, *found) for found in claimed(part))
        if not _shown_by_its_actor(claim, shown)
    ]
    pairs = {pair for _, ways in waiting for pair in ways}
    ordered = with_memory(transcript).ordered(pairs) if pairs else set()
    if not any(link.recorded for link in transcript.links):
        ordered = pairs
    unmet: defaultdict[int, list[Claim]] = defaultdict(list)
    for claim, ways in waiting:
        if ordered.isdisjoint(ways):
            unmet[claim.step.number].append(claim)
    return unmet


def states_by_version(transcript: Transcript) -> Shown:
    """Who shows each version of an artifact, and where; under no version, all that changed it."""
    shown: defaultdict[tuple[str, str], defaultdict[str, list[Step]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for artifact, history in histories(transcript).items():
        for each in history:
            for version in {"", *versions_of(each)} if not rejected(each) else ():
                step = transcript.steps[each.step]
                shown[artifact, version][step.actor].append(step)
    return shown


def _shown_by_its_actor(claim: Claim, shown: Shown) -> bool:
    return claim.step.actor in shown.get((claim.artifact, claim.version), {})


def _linked(transcript: Transcript, claim: Claim, shown: Shown) -> set[tuple[int, int]]:
    """Pairs of steps of which one in order shows the claim: a state that came of it, or before.

    Before a claim without a version only what no mind did counts: of a tool it was the order.
    """
    number = claim.step.number
    ways: set[tuple[int, int]] = set()
    for steps in shown.get((claim.artifact, claim.version), {}).values():
        at = bisect_right(steps, number, key=lambda step: step.number)
        ways |= {(number, step.number) for step in steps[at : at + COMPARED]}
        if claim.version or transcript.actor_of(steps[0]).kind not in MINDS:
            ways |= {(step.number, number) for step in steps[max(0, at - COMPARED) : at]}
    return ways


def claimed(part: Part) -> Iterator[tuple[str, str]]:
    """Artifacts and versions that a part says were made: by a speaker, or as a side effect.

    A tool that answers with version and digest has seen it: that is no claim.
    """
    if part.kind in CLAIMANTS and part.data.get("claims"):
        for item in named(part.data["claims"], "artifact"):
            yield str(item["artifact"]), version_of(item)
    elif part.kind is PartKind.TOOL_RESPONSE and part.data.get("artifacts"):
        effects = str(part.data.get("side_effects") or "none").lower()
        for item in () if effects.startswith("no") else named(part.data["artifacts"], "name"):
            if version_of(item) and not (item.get("version") and item.get("digest")):
                yield str(item["name"]), version_of(item)


def named(given: Any, name: str) -> Iterator[Mapping[str, Any]]:
    for item in given if isinstance(given, list) else ():
        if isinstance(item, Mapping) and item.get(name):
            yield item


def version_of(item: Mapping[str, Any]) -> str:
    return str(item.get("version") or item.get("digest") or "")


def versions_of(transition: Transition) -> Iterator[str]:
    """The versions that a transition shows to have been made."""
    yield transition.after or ""
    yield from called(transition.accepted)


def rejected(each: Transition) -> bool:
    return each.resolution == "rejected"


def has_state(step: Step) -> bool:
    return any(part.kind is PartKind.STATE for part in step.parts)
