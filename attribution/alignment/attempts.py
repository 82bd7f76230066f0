"""Attempts that were tried again: what a run got over explains nothing by itself."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from traces.transcript import Link, LinkKind


def healed_attempts(links: Iterable[Link], badly_ended: set[int]) -> set[int]:
    """The badly ended steps of which a later recorded attempt ended well."""
    again: dict[int, list[int]] = defaultdict(list)
    for link in links:
        if link.kind is LinkKind.RETRY_OF and link.recorded:
            again[link.source].append(link.target)
    healed: set[int] = set()
    # Last attempts first: an attempt is got over if one after it is.
    for first in sorted(again.keys() & badly_ended, reverse=True):
        if any(later not in badly_ended or later in healed for later in again[first]):
            healed.add(first)
    return healed
