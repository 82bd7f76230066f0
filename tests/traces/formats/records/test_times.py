"""Times as sources write them, against the standard library's own reading of the same moment."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from traces.formats.records.times import moment, nanoseconds

# 2026-11-29 17:00:10.146341 UTC, in seconds since 1970 by `date -u -d … +%s`.
SECONDS = 1795971610
NOON = datetime(2026, 11, 29, 17, 0, 10, 146341, tzinfo=UTC)


@pytest.mark.parametrize(
    "value",
    [
        *(None, True, False, "", " ", "soon", "PT0.5S", [], {}, -1, "-5", 0, "0"),
        *(float("nan"), float("inf"), 10**25, "9" * 25, "1.2.3", "12:00"),
    ],
)
def test_what_is_no_time_is_none(value: Any) -> None:
    assert moment(value) is None


def test_a_number_too_long_to_be_written_out_is_none() -> None:
    assert moment(10**5000) is None


@pytest.mark.parametrize(
    "value",
    [
        "2026-11-29T17:00:10.146341Z",
        "2026-11-29T17:00:10.146341+00:00",
        "2026-11-29 17:00:10.146341+00:00",
        "2026-11-29T18:00:10.146341+01:00",
        "2026-11-29T17:00:10.146341999Z",
        f"{SECONDS}.146341",
        SECONDS + 0.146341,
        SECONDS * 10**6 + 146341,
        SECONDS * 10**9 + 146341000,
        str(SECONDS * 10**9 + 146341000),
    ],
)
def test_one_moment_however_it_is_written(value: Any) -> None:
    found = moment(value)
    assert found is not None
    assert abs(found - NOON) <= timedelta(microseconds=1)


def test_milliseconds_and_seconds_are_told_apart_by_their_length() -> None:
    assert moment(SECONDS * 1000 + 146) == NOON.replace(microsecond=146000)
    assert moment(SECONDS) == NOON.replace(microsecond=0)


def test_a_time_without_a_zone_stays_without() -> None:
    assert moment("2026-11-29T17:00:10") == datetime(2026, 11, 29, 17, 0, 10)  # noqa: DTZ001


def test_nanoseconds_are_exact_beyond_what_floats_hold() -> None:
    assert nanoseconds("1795971632499813001") == 1795971632499813001
    assert nanoseconds(1795971632499813001) == 1795971632499813001


@given(
    st.datetimes(datetime(1990, 1, 1), datetime(2200, 1, 1)),  # noqa: DTZ001
    st.integers(-14, 14),
)
def test_iso_with_any_zone_is_the_same_moment_as_its_nanoseconds(at: datetime, hours: int) -> None:
    zoned = at.replace(tzinfo=timezone(timedelta(hours=hours)))
    since = (zoned - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
    assert moment(zoned.isoformat()) == zoned
    assert moment(str(since * 1000)) == zoned


@given(st.text() | st.integers() | st.floats() | st.none())
def test_nothing_raises(value: Any) -> None:
    found = moment(value)
    assert found is None or isinstance(found, datetime)
