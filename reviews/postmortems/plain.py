"""Values as canonical JSON can hold them."""

from __future__ import annotations

from datetime import UTC, datetime
from math import isfinite
from typing import Any

# RFC 8785 writes numbers as JavaScript does, which counts exactly up to here.
LARGEST_EXACT = 2**53 - 1


def moment(at: datetime | None) -> str | None:
    """RFC 3339 in UTC with its offset, or None."""
    return at.astimezone(UTC).isoformat() if at else None


def plain(value: Any) -> Any:
    """A record's JSON, with numbers it could not hold exactly written as text."""
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [plain(inner) for inner in value]
    if isinstance(value, int) and abs(value) > LARGEST_EXACT:
        return str(value)
    if isinstance(value, float) and not isfinite(value):
        return str(value)
    return value
