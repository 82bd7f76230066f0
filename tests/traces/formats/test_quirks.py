"""One fault a file: each message list is imported, or refused, for the reason that its fault is."""

from __future__ import annotations

import pytest

from tests import real
from traces.formats import intake
from traces.formats.base import Unreadable
from traces.transcript import PartKind

# The gap that a fault leaves, and how many steps there are in spite of it.
FAULTS = {
    # The picture's base64 lacks its padding.
    "base64-image.json": ("undecodable_payload", 1),
    "latin1.json": ("damaged", 1),
    "malformed-arguments.json": ("malformed_arguments", 5),
    "nul-padding.jsonl": ("damaged", 3),
    "truncated-last-line.jsonl": ("damaged", 3),
}
# Faults of how a file is packed or cut into lines, which leave nothing behind.
HARMLESS = ("gzipped-but-named.json", "u2028-in-string.jsonl")
LOST_LINES = {"nul-padding.jsonl": "line 2", "truncated-last-line.jsonl": "line 3"}


def taken(name: str) -> intake.Intake:
    return intake.take(real.content_of(f"formats/quirks/messages.{name}"))


def test_an_empty_file_is_refused() -> None:
    with pytest.raises(Unreadable, match="The file is empty"):
        intake.take(real.content_of("formats/quirks/empty.json"))


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_a_gap_and_the_rest_is_read(name: str) -> None:
    kind, steps = FAULTS[name]
    result = taken(name)
    (run,) = result.runs

    assert kind in {gap.kind for gap in run.transcript.gaps}
    assert len(run.transcript.steps) == steps
    assert [refusal.position for refusal in result.refusals] == [
        place for file, place in LOST_LINES.items() if file == name
    ]


@pytest.mark.parametrize("name", HARMLESS)
def test_what_harms_nobody_leaves_no_gap(name: str) -> None:
    result = taken(name)
    (run,) = result.runs

    assert result.refusals == ()
    assert "damaged" not in {gap.kind for gap in run.transcript.gaps}
    assert len(run.transcript.steps) == 3


def test_malformed_arguments_stay_as_they_were_written() -> None:
    transcript = taken("malformed-arguments.json").runs[0].transcript
    requests = [part for _, part in transcript.parts_of(PartKind.TOOL_REQUEST)]

    assert [part.text for part in requests] == ['{"a": 1,}', "", '{"already":"an object"}']
    assert [part.data.get("parse_ok") for part in requests] == [False, False, None]
