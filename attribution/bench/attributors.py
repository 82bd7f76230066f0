"""All built-in attributors on one run of a hundred steps with a reference of as many."""

from __future__ import annotations

from collections.abc import Iterator

from attribution import registry
from attribution.attributors.base import Reading
from traces.bench.causality import long_run
from traces.bench.figures import Figure
from traces.bench.watch import milliseconds

STEPS = 100
MOST = 100


def bench(*, quick: bool) -> Iterator[Figure]:
    run, reference = long_run("failed", steps=STEPS), long_run("passed", steps=STEPS)
    reading = Reading.of(run, reference)
    tries = 1 if quick else 5
    together = 0.0
    for attributor in (made() for made in registry.BUILT_IN):
        taken = milliseconds(lambda a=attributor: list(a.propose(reading)), times=tries)  # type: ignore[misc]
        together += taken
        yield Figure(f"{attributor.label}, {STEPS} steps", taken, "CPU ms")
    yield Figure(f"all built in, {STEPS} steps", together, "CPU ms", most=MOST)
