"""Times of spans as exports other than OTLP write them, in nanoseconds."""

from __future__ import annotations

import re
from datetime import UTC, timedelta
from typing import Any

from traces.formats.records.times import EPOCH, moment, nanoseconds

MICROSECOND = timedelta(microseconds=1)
DURATION = re.compile(
    r"\A(?:P(?:(?P<days>\d{1,6})D)?T?)(?:(?P<hours>\d{1,8})H)?(?:(?P<minutes>\d{1,9})M)?"
    r"(?:(?P<seconds>\d{1,12})(?:\.(?P<part>\d{1,12}))?S)?\Z"
)
SECOND = 1_000_000_000


def since_epoch(value: Any) -> int | None:
    """ISO text, a number of any unit since 1970, or seconds and nanoseconds in a pair."""
    if isinstance(value, list) and len(value) == 2:
        seconds, rest = value
        whole = isinstance(seconds, int) and isinstance(rest, int)
        return seconds * SECOND + rest if whole and 0 <= seconds < SECOND * 10 else None
    if isinstance(value, int | float):
        return nanoseconds(value)
    found = moment(value)
    if found is None:
        return None
    at = found if found.tzinfo else found.replace(tzinfo=UTC)
    return (at - EPOCH) // MICROSECOND * 1000


def duration(value: Any) -> int | None:
    """A length of time in ISO 8601, without years and months."""
    match = DURATION.match(value) if isinstance(value, str) else None
    if match is None or len(value) < 3:
        return None
    days, hours, minutes, seconds = (
        int(match[name] or 0) for name in ("days", "hours", "minutes", "seconds")
    )
    part = int((match["part"] or "0")[:9].ljust(9, "0"))
    return (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * SECOND + part
