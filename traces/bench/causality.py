"""Questions of cause on a run of 50,000 steps, each asked of a graph that nobody asked before."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from traces.bench import documents
from traces.bench.figures import Figure
from traces.bench.watch import milliseconds
from traces.causality import StepGraph, could_see
from traces.formats import intake
from traces.transcript import Transcript

STEPS = 50_000
# Milliseconds: the design allows a second.
MOST = 1_000


def bench(*, quick: bool) -> Iterator[Figure]:
    steps = 5_000 if quick else STEPS
    run = long_run("causality", steps=steps)
    last, middle = len(run.steps) - 1, len(run.steps) // 2
    questions: dict[str, Callable[[], object]] = {
        "could_see": lambda: could_see(run, last),
        "path": lambda: StepGraph(run.links).path(0, last),
        "ancestors": lambda: StepGraph(run.links).ancestors(last),
        "descendants": lambda: StepGraph(run.links).descendants(0),
        "concurrent": lambda: StepGraph(run.links).concurrent(middle, last),
        "between": lambda: StepGraph(run.links).between(0, last),
    }
    for name, ask in questions.items():
        taken, title = milliseconds(ask), f"{name}, {steps:,} steps"
        yield Figure(title, taken, "CPU ms", most=MOST, of_full_size=not quick)


def long_run(name: str, *, steps: int) -> Transcript:
    """A made-up run as the door would read it."""
    (taken,) = intake.take(documents.content(name, steps=steps)).runs
    return taken.transcript
