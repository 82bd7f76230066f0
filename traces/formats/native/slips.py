"""Slips that show only in the numbers and names of the file, which its steps here do not keep."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from traces.completeness import listed
from traces.formats.native import v2
from traces.transcript import Gap


def slips(steps: Sequence[v2.Step], known: Collection[str]) -> Iterator[Gap]:
    """`known` are the ids of steps that are there."""
    for number, step in enumerate(steps):
        if step.joins and not any(name in known for name in step.joins):
            detail = "Joins branches, of which none is recorded."
            yield Gap("join_without_parents", detail, number)
    counts = Counter(step.sequence for step in steps)
    twice = [str(sequence) for sequence, count in sorted(counts.items()) if count > 1]
    if twice:
        detail = f"Several steps have the source's sequence number: {listed(twice)}."
        yield Gap("repeated_sequence", detail)
