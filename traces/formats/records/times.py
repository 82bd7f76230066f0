"""Times as sources write them: ISO with any zone or none, and numbers of any unit since 1970."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# Digits before the point of a number of seconds, milliseconds, micro- and nanoseconds of our
# days: 1990 to 2286 are told apart by length.
UNITS = ((10, 1_000_000_000), (13, 1_000_000), (16, 1_000), (19, 1))
# Of nanoseconds that are of our days. Python refuses to write out integers of any length.
LARGEST = 10**19
NUMBER = re.compile(r"\A-?\d+(\.\d+)?\Z")
FRACTION = re.compile(r"(\.\d{6})\d+")


def nanoseconds(value: Any) -> int | None:
    """Nanoseconds since 1970 of a number of any unit, exact for whole numbers; else None."""
    if isinstance(value, bool):
        return None
    if isinstance(value, float):
        value = f"{value:.6f}"
    if isinstance(value, int) and not 0 <= value < LARGEST:
        return None
    text = str(value)
    if not NUMBER.match(text) or text.startswith("-"):
        return None
    whole, _, fraction = text.partition(".")
    whole = whole.lstrip("0") or "0"
    if len(whole) > 19:
        return None
    unit = next(unit for digits, unit in UNITS if len(whole) <= digits)
    return int(whole) * unit + int(int((fraction or "0")[:9].ljust(9, "0")) * unit // 10**9)


def moment(value: Any) -> datetime | None:
    """A time however it is written, or None. One without a zone stays without: see `fitting`."""
    if isinstance(value, int | float):
        return _since_epoch(nanoseconds(value))
    if not isinstance(value, str) or not value.strip():
        return None
    text = value.strip()
    if NUMBER.match(text):
        return _since_epoch(nanoseconds(text))
    try:
        return datetime.fromisoformat(FRACTION.sub(r"\1", text))
    except ValueError:
        return None


def _since_epoch(ns: int | None) -> datetime | None:
    # Zero is how sources write that they do not know.
    return EPOCH + timedelta(microseconds=ns // 1000) if ns else None


def nanoseconds_of(value: Any) -> int | None:
    """Nanoseconds since 1970 of a time however it is written; one without a zone is UTC's."""
    ns = nanoseconds(value)
    if ns is not None or not isinstance(value, str):
        return ns
    at = moment(value)
    if at is None:
        return None
    since = (at if at.tzinfo else at.replace(tzinfo=UTC)) - EPOCH
    return (since.days * 86_400 + since.seconds) * 10**9 + since.microseconds * 1000
