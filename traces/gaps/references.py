"""Gaps in what the record points at: an initial state or version that nobody can look up."""

from __future__ import annotations

from collections.abc import Iterator

from traces.gaps.kind import Finder, Kind
from traces.transcript import Gap, Transcript

KINDS = {
    "unknown_initial_state": Kind(
        "Initial state not recorded",
        "What the run started from is unknown, so it cannot be replayed or compared exactly.",
        "Record a commit, image digest or snapshot that the run started from.",
    ),
    "mutable_initial_state": Kind(
        "Mutable initial state",
        "The run started from something that may have changed since.",
        "Refer to the initial state by digest, not by a name that moves.",
    ),
}


def initial_state(transcript: Transcript) -> Iterator[Gap]:
    state = transcript.initial_state
    if state.get("mutable"):
        where = state.get("reference") or "not named"
        yield Gap("mutable_initial_state", f"The initial state may have changed: {where}.")
    elif not (state.get("reference") or state.get("digest")):
        yield Gap("unknown_initial_state", "The record does not say what the run started from.")


FINDERS: tuple[Finder, ...] = (initial_state,)
