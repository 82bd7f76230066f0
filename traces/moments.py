"""Times that stand in addresses: written by this site, or by anybody."""

from __future__ import annotations

from datetime import UTC, datetime


def moment_in(text: str) -> datetime | None:
    """The time, in UTC; None for what is no time with a zone, or one that UTC cannot write."""
    try:
        at = datetime.fromisoformat(text)
        return at.astimezone(UTC) if at.tzinfo else None
    except (ValueError, OverflowError):
        return None
