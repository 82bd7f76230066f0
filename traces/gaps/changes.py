"""Gaps in what was changed: claims without a change, changes unsaid, versions from nowhere."""

from __future__ import annotations

from collections.abc import Iterator

from traces.chains import breaks
from traces.gaps.claims import claim_without_change
from traces.gaps.kind import Finder, Kind
from traces.gaps.systematic import once_if_common
from traces.transcript import Gap, Part, PartKind, Step, StepKind, Transcript

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
    """The artifact of a change without words of its own, if nothing in the step names it."""
    artifact = str(change.data.get("artifact") or "")
    if not change.text.startswith(f"{artifact}: "):
        return ""
    rest = " ".join(part.text for part in step.parts if part.kind is not PartKind.STATE)
    wanted = {*names_of(artifact), str(change.data.get("after") or "").lower()} - {""}
    text = f"{rest} {step.tool}".lower()
    return artifact if not any(stands(name, text) for name in wanted) else ""


def names_of(artifact: str) -> Iterator[str]:
    """What an artifact is called, in small letters: whole, as a file or module, by its folder."""
    whole = artifact.lower()
    folder, _, file = whole.rpartition("/")
    yield from (whole, file)
    if folder:
        yield folder if "/" in folder else f"{folder}/"
        yield whole.rpartition(".")[0].replace("/", ".")


def stands(name: str, text: str) -> bool:
    """Whether the name stands in the text, and not inside a longer one."""
    at = text.find(name)
    while at >= 0:
        end = at + len(name)
        if not (inside(text[at - 1 : at]) or (name[-1] != "/" and inside(text[end : end + 1]))):
            return True
        at = text.find(name, at + 1)
    return False


def inside(letter: str) -> bool:
    return letter.isalnum() or letter in ("_", "-")


def broken_state_chain(transcript: Transcript) -> Iterator[Gap]:
    for each in breaks(transcript):
        yield Gap("broken_state_chain", each.detail, each.step)


FINDERS: tuple[Finder, ...] = (claim_without_change, change_without_claim, broken_state_chain)
