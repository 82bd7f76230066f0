"""A fault that most steps have is a fault of the recorder: one gap of the run, not hundreds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from traces.transcript import Gap

FEW = 5


def once_if_common(gaps: Iterable[Gap], *, among: int) -> list[Gap]:
    """These gaps of one kind, or one for the run when more than half of what can have it has."""
    found = list(gaps)
    if len(found) <= FEW or 2 * len(found) <= among:
        return found
    first = found[0]
    detail = f"In {len(found)} of {among} places, first in step {first.step}: {first.detail}"
    return [replace(first, step=None, detail=detail)]
