"""The shape of a run in a few numbers, for comparison with its project's other runs."""

from __future__ import annotations

from traces.transcript import LinkKind, PartKind, Transcript


def tool_calls(transcript: Transcript) -> int:
    """How many tool requests the run made."""
    return sum(part.kind is PartKind.TOOL_REQUEST for _, _, part in transcript.citable())


def retries(transcript: Transcript) -> int:
    """How many steps tried something again."""
    linked = {link.target for link in transcript.links if link.kind is LinkKind.RETRY_OF}
    numbered = {step.number for step in transcript.steps if (step.attempt or 0) > 1}
    return len(linked | numbered)
