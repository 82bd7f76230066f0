"""What is missing and why: holes in numbers, capture states, and how long lists are told."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise

from traces.transcript import Capture, Gap

# Of what was taken out or never was, nothing is left for a recorder to record.
EXPLAINED = frozenset({Capture.WITHHELD, Capture.ABSENT})


def holes(sequence: Iterable[int]) -> Iterator[Gap]:
    """One gap for all numbers missing in what the source gave the steps, in the steps' order.

    Steps have numbers of their own here: the gap says between which of them each hole is.
    """
    given = list(enumerate(sequence))
    last = {each: number for number, each in given}
    first = {each: number for number, each in reversed(given)}
    missing = [
        f"{run_of(a + 1, b - 1)} ({between(last[a], first[b])})"
        for a, b in pairwise(sorted(first))
        if b - a > 1
    ]
    if missing:
        detail = f"Missing in the source's own sequence numbers: {listed(missing)}."
        yield Gap("sequence_hole", detail)


def explained(capture: Mapping[str, str], *fields: str) -> bool:
    """Whether the record itself says that one of these was withheld or did not occur."""
    return any(capture.get(field) in EXPLAINED for field in fields)


def run_of(first: int, last: int) -> str:
    return str(first) if first == last else f"{first} to {last}"


def between(one: int, other: int) -> str:
    """Two steps, whichever comes first: links may order them against their sequence."""
    return f"between steps #{min(one, other)} and #{max(one, other)} here"


def listed(names: list[str]) -> str:
    more = f" and {len(names) - 10} more" if len(names) > 10 else ""
    return ", ".join(names[:10]) + more
