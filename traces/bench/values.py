"""Where did this value first appear? Asked of 10,000 steps with a kilobyte of text each."""

from __future__ import annotations

from collections.abc import Iterator

from traces import values
from traces.bench.causality import long_run
from traces.bench.figures import Figure
from traces.bench.watch import milliseconds

STEPS = 10_000
MOST = 200
# A phrase that is everywhere, a number and a date in other spellings, and what is nowhere.
SELECTED = ("retired the old field", "1250", "4 January 2026", "src/module_9001.py", "not there")


def bench(*, quick: bool) -> Iterator[Figure]:
    steps = 1_000 if quick else STEPS
    run = long_run("values", steps=steps)
    for text in SELECTED:
        # The default argument: the text of this round, not of the last.
        taken = milliseconds(lambda text=text: values.appearances(run, text))  # type: ignore[misc]
        title = f'"{text}", {steps:,} steps'
        yield Figure(title, taken, "CPU ms", most=MOST, of_full_size=not quick)
