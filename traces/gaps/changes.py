"""Gaps in what was changed: claims without a change, changes unsaid, versions from nowhere."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from traces.chains import breaks
from traces.gaps.kind import Finder, Kind
from traces.gaps.systematic import once_if_common
from traces.states import Transition, histories
from traces.transcript import Gap, Part, PartKind, Step, StepKind, Transcript
from traces.transitions import called

KINDS = {
    "claim_without_change": Kind(
        "Claimed change without a change",
        "The step says that it changed something, and no recorded state shows it: it may be done,"
        " done differently, or not done.",
        "Record a state for every change, with the version before and after.",
    ),
    "change_without_claim": Kind(
        "Change that the step does not mention",
        "Something changed in this step that neither its words nor its request name.",
        "Record what a step meant to change, and all that a tool changed besides.",
    ),
    "broken_state_chain": Kind(
        "Changed by nobody on record",
        "A change starts from a version that no recorded step made or that was there no longer, or"
        " what is said to be accepted is none or several: something between is missing.",
        "Record the state changes of every writer, also of those outside the run.",
    ),
}
WORD = re.compile(r"[^\W_]{3,}")
CLAIMANTS = frozenset({PartKind.MESSAGE, PartKind.DECISION, PartKind.INTERPRETATION})
CLAIMING = CLAIMANTS | {PartKind.TOOL_RESPONSE}


def claim_without_change(transcript: Transcript) -> list[Gap]:
    return once_if_common(_unmet(transcript), among=len(transcript.steps))


def _unmet(transcript: Transcript) -> Iterator[Gap]:
    shown = {
        artifact: {"", *(name for each in history for name in versions_of(each))}
        for artifact, history in histories(transcript).items()
    }
    for step in transcript.steps:
        unmet = [
            f"{artifact} {version}".strip()
            for part in step.parts
            if part.kind in CLAIMING
            for artifact, version in claimed(part)
            if version not in shown.get(artifact, ())
        ]
        if unmet:
            detail = f"No state shows this: {', '.join(unmet[:5])}."
            yield Gap("claim_without_change", detail, step.number)
        elif step.kind is StepKind.STATE and not has_state(step):
            detail = "A change of state by its kind, but no state is recorded."
            yield Gap("claim_without_change", detail, step.number)


def claimed(part: Part) -> Iterator[tuple[str, str]]:
    """Artifacts and versions that a part says were made: by a speaker, or as a side effect."""
    if part.kind in CLAIMANTS and part.data.get("claims"):
        yield from pairs(part.data["claims"], "artifact")
    elif part.kind is PartKind.TOOL_RESPONSE and part.data.get("artifacts"):
        effects = str(part.data.get("side_effects") or "none").lower()
        if not effects.startswith("no"):
            for artifact, version in pairs(part.data.get("artifacts"), "name"):
                if version:
                    yield artifact, version


def pairs(given: Any, name: str) -> Iterator[tuple[str, str]]:
    for item in given if isinstance(given, list) else ():
        if isinstance(item, Mapping) and item.get(name):
            yield str(item[name]), str(item.get("version") or item.get("digest") or "")


def versions_of(transition: Transition) -> Iterator[str]:
    """The versions that a transition shows to have been made."""
    yield transition.after or ""
    yield from called(transition.accepted)


def has_state(step: Step) -> bool:
    return any(part.kind is PartKind.STATE for part in step.parts)


def change_without_claim(transcript: Transcript) -> list[Gap]:
    return once_if_common(_unsaid(transcript), among=len(transcript.steps))


def _unsaid(transcript: Transcript) -> Iterator[Gap]:
    for step in transcript.steps_with(PartKind.STATE):
        changes = [part for part in step.parts if part.kind is PartKind.STATE]
        if len(changes) == len(step.parts) or step.kind is StepKind.STATE:
            continue
        unsaid = [name for part in changes if (name := unmentioned(part, step))]
        if unsaid:
            detail = f"Nothing else in the step names {', '.join(unsaid[:5])}."
            yield Gap("change_without_claim", detail, step.number)


def unmentioned(change: Part, step: Step) -> str:
    """The artifact of a change without words of its own, if no word of it stands in the step."""
    artifact = str(change.data.get("artifact") or "")
    if not change.text.startswith(f"{artifact}: "):
        return ""
    wanted = words(f"{artifact} {change.data.get('before')} {change.data.get('after')}")
    rest = " ".join(part.text for part in step.parts if part.kind is not PartKind.STATE)
    return artifact if wanted and not says(f"{rest} {step.tool}", wanted) else ""


def says(text: str, wanted: set[str]) -> bool:
    """Whether one of these words, all in small letters, is a word of the text."""
    if text.isascii():  # as most are, and then there is no need to take all words apart
        small = text.lower()
        return any(stands(word, small) for word in wanted)
    return not wanted.isdisjoint(words(text))


def stands(word: str, text: str) -> bool:
    """Whether the word stands in a text of ASCII, and not inside another word."""
    at = text.find(word)
    while at >= 0:
        end = at + len(word)
        if not (text[at - 1 : at].isalnum() or text[end : end + 1].isalnum()):
            return True
        at = text.find(word, at + 1)
    return False


def words(text: str) -> set[str]:
    return {word.lower() for word in WORD.findall(text)} - {"none"}


def broken_state_chain(transcript: Transcript) -> Iterator[Gap]:
    for each in breaks(transcript):
        yield Gap("broken_state_chain", each.detail, each.step)


FINDERS: tuple[Finder, ...] = (claim_without_change, change_without_claim, broken_state_chain)
