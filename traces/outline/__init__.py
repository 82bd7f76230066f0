"""The structure of a run in columns, for pages of any length. Plain Python."""

from __future__ import annotations

from traces.outline.columns import (
    BAD,
    KINDS,
    PARTS,
    RELATIONS,
    STATUSES,
    VERDICTS,
    Lane,
    Numbers,
    Outline,
    Truths,
)
from traces.outline.making import Outlined, bits, outline, outline_of, seconds, worst
from traces.outline.packing import packed, unpacked

__all__ = [
    "BAD",
    "KINDS",
    "PARTS",
    "RELATIONS",
    "STATUSES",
    "VERDICTS",
    "Lane",
    "Numbers",
    "Outline",
    "Outlined",
    "Truths",
    "bits",
    "outline",
    "outline_of",
    "packed",
    "seconds",
    "unpacked",
    "worst",
]
