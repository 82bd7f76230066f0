from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime

import pytest
from hypothesis import given

from tests.factories import make_step, make_transcript
from tests.traces.test_compact import VALUES
from traces.fingerprint import digest, plain
from traces.transcript import Gap, Part, PartKind, Transcript


def of_standard_library(transcript: Transcript) -> str:
    """The digest as it is defined: sorted-key JSON without spaces, by the standard library."""
    text = json.dumps(
        transcript, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=plain
    )
    return hashlib.sha256(text.encode()).hexdigest()


def holding(value: object) -> Transcript:
    part = Part(PartKind.TOOL_REQUEST, "x", {"value": value, "é": 1, "Z": "\x7f\x1f\u2028"})
    at = datetime(2026, 1, 5, 9, 0, 0, 120, tzinfo=UTC)
    return make_transcript(make_step(0, parts=(part,), started_at=at))


def test_what_no_record_holds_is_refused() -> None:
    with pytest.raises(TypeError):
        digest(holding(object()))


@given(VALUES)
def test_the_digest_is_that_of_sorted_json(value: object) -> None:
    transcript = holding(value)
    try:
        expected = of_standard_library(transcript)
    except UnicodeEncodeError:
        with pytest.raises(UnicodeEncodeError):
            digest(transcript)
    else:
        assert digest(transcript) == expected


def test_gaps_and_empty_fields_are_no_content() -> None:
    one = make_transcript()
    other = make_transcript(gaps=(Gap("no_times", "No step has a time."),), attempt_reason="")
    assert digest(one) == digest(other)
    assert digest(one) != digest(make_transcript(attempt_reason="again"))


def test_what_a_file_held_besides_makes_it_other_content() -> None:
    run = make_transcript()
    assert digest(run, []) == digest(run)
    assert len({digest(run), digest(run, ["a"]), digest(run, ["b"])}) == 3
