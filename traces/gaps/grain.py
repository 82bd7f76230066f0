"""Gaps in how finely a run was cut into steps."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from traces.facts import main_text
from traces.gaps.kind import Finder, Kind
from traces.gaps.systematic import once_if_common
from traces.transcript import Gap, PartKind, Step, Transcript

SPEECH = frozenset({PartKind.MESSAGE, PartKind.INTERPRETATION})
# A token of a stream is a few characters; so many in a row from one actor are no conversation.
TOKEN = 24
STREAM = 20
MANY_CALLS = 2

KINDS = {
    "step_too_coarse": Kind(
        "Step too coarse",
        "Planning, tool calls, a change and a check stand in one step: which of them went wrong"
        " first cannot be marked.",
        "Record a step for each decision, each tool call, each change and each check.",
    ),
    "step_too_fine": Kind(
        "Steps too fine",
        "A text was recorded piece by piece as it was written; no piece is an action by itself.",
        "Join the pieces of a stream, and record one step when the message is complete.",
    ),
}


def step_too_coarse(transcript: Transcript) -> list[Gap]:
    return once_if_common(_coarse(transcript), among=len(transcript.steps))


def _coarse(transcript: Transcript) -> Iterator[Gap]:
    for step in transcript.steps:
        inside = deeds(step) if len(step.parts) > 2 else []
        if len(inside) > 2:
            detail = f"In one step: {', '.join(inside)}."
            yield Gap("step_too_coarse", detail, step.number)


def deeds(step: Step) -> list[str]:
    """What a step does, of the things that should each be a step."""
    kinds = [part.kind for part in step.parts]
    calls = kinds.count(PartKind.TOOL_REQUEST)
    found = {
        "a decision": PartKind.DECISION in kinds,
        f"{calls} tool calls": calls >= MANY_CALLS,
        "a change": PartKind.STATE in kinds,
        "a check": PartKind.VERIFICATION in kinds,
    }
    return [what for what, there in found.items() if there]


def step_too_fine(transcript: Transcript) -> Iterator[Gap]:
    """One gap for each stretch of tokens, at its first step."""
    key = lambda step: step.actor if is_token(step) else None  # noqa: E731
    for actor, stretch in groupby(transcript.steps, key):
        steps = list(stretch) if actor is not None else []
        if len(steps) >= STREAM:
            detail = f"Steps {steps[0].number} to {steps[-1].number} look like one streamed text."
            yield Gap("step_too_fine", detail, steps[0].number)


def is_token(step: Step) -> bool:
    if len(step.parts) != 1 or step.parts[0].kind not in SPEECH:
        return False
    return len(main_text(step.parts[0])) <= TOKEN


FINDERS: tuple[Finder, ...] = (step_too_coarse, step_too_fine)
