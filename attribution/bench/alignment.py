"""Two runs of 5,000 to 50,000 steps side by side: a story retold, and one with nothing in common.

And the parts of it that could grow with the square of something: long texts, many actors.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from attribution import minimap
from attribution.alignment import align
from attribution.alignment.aligned import Aligned
from attribution.alignment.words import word_diff
from attribution.comparing import ALIGNABLE
from attribution.drawn_steps import Marks
from traces.bench.figures import Figure
from traces.bench.watch import milliseconds
from traces.outline import outline_of
from traces.transcript import Actor, ActorKind, Part, PartKind, Step, StepKind, Transcript

QUICK, SIZES = 500, (5_000, 10_000, 50_000)
ACTORS = ("planner", "coder", "verifier")
# CPU milliseconds; of two runs, for each 5,000 steps: the time grows with the length.
RETOLD, UNLIKE, WORDS, MAP = 2_000, 4_000, 1_000, 5_000
# What opening two runs that are compared already may cost.
STORED = 100


def bench(*, quick: bool) -> Iterator[Figure]:
    tries = 1 if quick else 2
    for steps in (QUICK,) if quick else SIZES:
        yield from side_by_side(steps, of_full_size=not quick)
    left = " ".join(f"word{n}" for n in range(60_000))
    right = " ".join(f"word{n if n % 3 else -n}" for n in range(60_000))
    taken = milliseconds(lambda: word_diff(left, right), times=tries)
    yield Figure("words of two texts, 60,000 each", taken, "CPU ms", most=WORDS)
    crowd = outline_of(crowded(2_000 if quick else 20_000))
    taken = milliseconds(lambda: minimap.draw(crowd, Marks()), times=tries)
    drawn = f"map of {len(crowd.lanes):,} actors"
    yield Figure(drawn, taken, "CPU ms", most=MAP, of_full_size=not quick)


def side_by_side(steps: int, *, of_full_size: bool) -> Iterator[Figure]:
    """Both pairs of runs of this length, and what it takes to read the longer answer again."""
    run, other = story(steps, seed=1), story(steps, seed=4)
    again = retold(run, seed=2)
    size, share = f"{steps:,} x {steps:,}", max(1, steps // SIZES[0])
    for name, beside, for_each in (("retold", again, RETOLD), ("nothing in common", other, UNLIKE)):
        taken = milliseconds(partial(align, run, beside), times=1)
        limit = for_each * share
        yield Figure(f"{size}, {name}", taken, "CPU ms", most=limit, of_full_size=of_full_size)
    stored = Aligned.of(align(run, other)).pack()
    taken = milliseconds(lambda: Aligned.unpack(stored).telling, times=2)
    # Of longer runs nothing is stored.
    most = STORED if steps <= ALIGNABLE else None
    yield Figure(f"{size}, stored", taken, "CPU ms", most=most, of_full_size=of_full_size)


def story(count: int, *, seed: int) -> Transcript:
    """Steps of three actors, each with a hundred words of its own."""
    chance = random.Random(seed)  # noqa: S311
    vocabulary = ["".join(chance.choices("abcdefghijklmnoprstuvw", k=7)) for _ in range(3_000)]
    texts = (" ".join(chance.choices(vocabulary, k=100)) for _ in range(count))
    steps = [says(number, text, chance.choice(ACTORS)) for number, text in enumerate(texts)]
    return run_of(steps, {name: Actor(name, name, ActorKind.AGENT, "1") for name in ACTORS})


def retold(run: Transcript, *, seed: int) -> Transcript:
    """The same story: some steps gone, some words of every second step other ones."""
    chance = random.Random(seed)  # noqa: S311
    kept = [step for step in run.steps if chance.random() > 0.04]
    steps = []
    for number, step in enumerate(kept):
        words = step.text.split()
        if chance.random() < 0.5:
            words = [word if chance.random() < 0.85 else word[::-1] for word in words]
        steps.append(says(number, " ".join(words), step.actor))
    return replace(run, external_id="retold", steps=tuple(steps))


def crowded(count: int) -> Transcript:
    """A run in which each step has an actor of its own."""
    actors = {f"a/{n}": Actor(f"a/{n}", "a", ActorKind.AGENT, f"a/{n}") for n in range(count)}
    return run_of([says(n, "x", key) for n, key in enumerate(actors)], actors)


def says(number: int, text: str, actor: str) -> Step:
    parts = (Part(PartKind.MESSAGE, text),)
    return Step(number, f"s{number}", actor, StepKind.MESSAGE, parts)


def run_of(steps: list[Step], actors: dict[str, Actor]) -> Transcript:
    return Transcript("bench", "bench", tuple(actors.values()), tuple(steps))
