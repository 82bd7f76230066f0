"""Gaps in what a step says."""

from __future__ import annotations

from collections.abc import Iterator

from traces.facts import main_text
from traces.gaps.kind import Finder, Kind
from traces.transcript import Gap, PartKind, Transcript

SPOKEN = frozenset(
    {PartKind.INPUT, PartKind.DECISION, PartKind.INTERPRETATION, PartKind.MESSAGE, PartKind.ERROR}
)

KINDS = {
    "empty_content": Kind(
        "Step without content",
        "The step is there, but nothing of what was said or done.",
        "Switch content capture on for every step.",
    ),
}


def empty_content(transcript: Transcript) -> Iterator[Gap]:
    for step in transcript.steps:
        silent = any(part.kind in SPOKEN and not main_text(part) for part in step.parts)
        if silent or not step.parts:
            yield Gap("empty_content", "The step has no content.", step.number)


FINDERS: tuple[Finder, ...] = (empty_content,)
