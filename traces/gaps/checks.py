"""Gaps in what was checked."""

from __future__ import annotations

from collections.abc import Iterator

from traces.gaps.kind import Finder, Kind
from traces.transcript import Gap, Outcome, PartKind, Transcript

KINDS = {
    "missing_verification": Kind(
        "No verification outcome",
        "The run failed, but no check in the record says what was tested and found.",
        "Record each check with its verdict, what it expected and what it observed.",
    ),
}


def missing_verification(transcript: Transcript) -> Iterator[Gap]:
    if transcript.outcome is not Outcome.FAILED:
        return
    checked = any(part.kind is PartKind.VERIFICATION for _, _, part in transcript.citable())
    if not checked and not any(r.by in ("harness", "verifier") for r in transcript.reports):
        yield Gap("missing_verification", "The run failed, but no check is recorded.")


FINDERS: tuple[Finder, ...] = (missing_verification,)
