"""A run whose format says what became of each raw record."""

from __future__ import annotations

from dataclasses import replace

from tests.factories import make_step, make_transcript
from traces.transcript import Fate, RawRecord, Transcript


def listed() -> Transcript:
    """Two steps of three records, one of which both stand on, and five records that are none."""
    first = replace(make_step(0), pointer="line 1", also_from=("line 3",))
    second = replace(make_step(1), pointer="line 2/message", also_from=("line 3",))
    return make_transcript(
        first,
        second,
        external_id="listed",
        records=(
            RawRecord("line 4", Fate.CONTAINER, "turn"),
            RawRecord("line 5", Fate.UNMAPPED, "telemetry"),
            RawRecord("line 6", Fate.FOLDED, "sent again", 1),
            RawRecord("line 7", Fate.UNMAPPED, "telemetry"),
            RawRecord("line 8", Fate.UNMAPPED),
        ),
        folded={"sent again": 4, "split": 1},
        unread={"id": 2, "usage/cost": 9},
    )
