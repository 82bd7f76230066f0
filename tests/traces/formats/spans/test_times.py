"""Times of spans outside OTLP."""

from __future__ import annotations

from typing import Any

import pytest

from traces.formats.spans.times import duration, since_epoch

NOON = 1_772_366_400


@pytest.mark.parametrize(
    "wrong", [None, "", "noon", [], [1], [1, "2"], ["1", 2], [-1, 0], True, {}, "2026-13-01"]
)
def test_what_is_no_time_is_none(wrong: Any) -> None:
    assert since_epoch(wrong) is None


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("2026-03-01T12:00:00Z", NOON * 10**9),
        ("2026-03-01T12:00:00", NOON * 10**9),
        ("2026-03-01T13:00:00.000001+01:00", NOON * 10**9 + 1_000),
        ([NOON, 7], NOON * 10**9 + 7),
        (NOON, NOON * 10**9),
        (NOON * 1_000, NOON * 10**9),
    ],
)
def test_times(given: Any, wanted: int) -> None:
    assert since_epoch(given) == wanted


@pytest.mark.parametrize("wrong", [None, 3, "", "P", "PT", "1S", "PT1", "PT-1S", "P1Y", "PTS"])
def test_what_is_no_duration_is_none(wrong: Any) -> None:
    assert duration(wrong) is None


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("PT0.000109S", 109_000),
        ("PT1.5S", 1_500_000_000),
        ("PT2M", 120_000_000_000),
        ("P1DT1H1M1S", 90_061_000_000_000),
        ("PT0.0000000019S", 1),
    ],
)
def test_durations(given: str, wanted: int) -> None:
    assert duration(given) == wanted
