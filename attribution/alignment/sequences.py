"""Small facts about sequences, of steps and of words alike."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Sequence

type_of_keys = Sequence[Hashable]
type_of_pairs = list[tuple[int, int]]


def equal_ends(left: type_of_keys, right: type_of_keys) -> tuple[int, int]:
    """How many elements agree at the start, and how many of the rest at the end."""
    shorter = min(len(left), len(right))
    start = next((i for i in range(shorter) if left[i] != right[i]), shorter)
    rest = shorter - start
    end = next((i for i in range(rest) if left[-1 - i] != right[-1 - i]), rest)
    return start, end


def longest_rising(pairs: type_of_pairs) -> type_of_pairs:
    """The longest part of the pairs whose second numbers rise (their first ones do already)."""
    ends: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for index, (_, j) in enumerate(pairs):
        length = bisect_left(ends, j)
        before.append(last[length - 1] if length else -1)
        ends[length : length + 1] = [j]
        last[length : length + 1] = [index]
    chain: list[tuple[int, int]] = []
    index = last[-1] if last else -1
    while index >= 0:
        chain.append(pairs[index])
        index = before[index]
    return chain[::-1]
