"""How long something takes, as far as a busy machine lets one tell."""

from __future__ import annotations

import timeit
from collections.abc import Callable
from time import process_time


def seconds_of(work: Callable[[], object]) -> float:
    """Processor time of the quickest of three tries, without the garbage collector."""
    return min(timeit.repeat(work, number=1, repeat=3, timer=process_time))
