"""How many steps a run may have, and how many parts a step."""

from __future__ import annotations

from traces.formats.base import Limits, Unreadable
from traces.transcript import Transcript

# A part's position in its step is a small integer in the table.
MOST_PARTS = 32_767


def check(transcript: Transcript, limits: Limits) -> None:
    if len(transcript.steps) > limits.steps:
        raise Unreadable(
            f"The run has {len(transcript.steps):,} steps; the limit is {limits.steps:,}"
            " (INQUEST_MAX_STEPS)."
        )
    for step in transcript.steps:
        if len(step.parts) > MOST_PARTS:
            raise Unreadable(
                f"Step {step.source_id} has {len(step.parts):,} parts; the limit is {MOST_PARTS:,}."
            )
