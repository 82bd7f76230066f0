"""One explanation of a failure against the record: its path, and what lies after its step.

Plain Python. Nothing is judged here: what is told is order, reach and overlap.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from attribution.explaining.ways import Hop, Into, Way, Ways
from traces.outline import VERDICTS, Outline, Truths
from traces.transcript import PartKind

# Carriers of one explanation that its path is drawn through; each costs a walk over the run.
MOST_CARRIERS = 12


class Quoted(NamedTuple):
    """A quote: characters `start` to `end` of a part of a step."""

    step: int
    part: int
    start: int
    end: int
    text: str

    def overlaps(self, other: Quoted) -> bool:
        same = (self.step, self.part) == (other.step, other.part)
        return same and self.start < other.end and other.start < self.end


@dataclass(frozen=True)
class Explanation:
    """A candidate, a claim or a draft, as far as explanations are compared.

    `exposing` is the step that it says exposed the failure, else the one the failure names. `by`
    says whose it is and how good they are, `contracts` what its actor was bound to, and
    `turned_down` the steps that it considered instead, with why not.
    """

    key: str
    name: str
    step: int | None = None
    part: str = ""
    exposing: int | None = None
    carriers: tuple[int, ...] = ()
    quotes: tuple[Quoted, ...] = ()
    says: str = ""
    by: str = ""
    contracts: tuple[str, ...] = ()
    turned_down: tuple[tuple[int, str], ...] = ()

    def within(self, size: int) -> Explanation:
        """Without steps that a run of this many has not: a draft may name any number."""
        return replace(
            self,
            step=_in(self.step, size),
            exposing=_in(self.exposing, size),
            carriers=tuple(sorted({step for step in self.carriers if step < size})),
            quotes=tuple(quote for quote in self.quotes if quote.step < size),
            turned_down=tuple(row for row in self.turned_down if row[0] < size),
        )


@dataclass(frozen=True)
class Signs:
    """Steps where something went wrong: they exposed a failure, ended badly or failed a check."""

    exposing: frozenset[int]
    bad: Truths
    unchecked: Truths
    all: Truths = field(init=False)

    def __post_init__(self) -> None:
        found = self.bad | self.unchecked
        found[list(self.exposing)] = True
        object.__setattr__(self, "all", found)

    def words(self, step: int) -> str:
        named = {
            "exposed the failure": step in self.exposing,
            "ended badly": bool(self.bad[step]),
            "a check failed": bool(self.unchecked[step]),
        }
        return ", ".join(words for words, there in named.items() if there)


def signs_of(outline: Outline, exposing: Iterable[int | None]) -> Signs:
    return Signs(
        frozenset(step for step in exposing if step is not None and step < len(outline)),
        bad=outline.failing | outline.having(PartKind.ERROR),
        unchecked=outline.verdict == VERDICTS.index("failed"),
    )


class Account:
    """An explanation, and what the record says to it. Each part is found when first asked for."""

    def __init__(
        self, letter: str, explanation: Explanation, outline: Outline, ways: Ways, signs: Signs
    ) -> None:
        self.letter, self.outline, self.ways, self.signs = letter, outline, ways, signs
        self.explanation = explanation.within(len(outline))

    @property
    def step(self) -> int | None:
        return self.explanation.step

    @property
    def role(self) -> str:
        return "" if self.step is None else self.outline.lane(self.step).role

    @cached_property
    def surely_after(self) -> Truths:
        """Steps that recorded links lead to from the step."""
        return self._after(recorded=True)

    @cached_property
    def after(self) -> Truths:
        """Also those that guesses lead to."""
        return self._after(recorded=False)

    def _after(self, *, recorded: bool) -> Truths:
        steps = [] if self.step is None else [self.step]
        return self.outline.descendants(*steps, recorded=recorded, memory=not recorded)

    @cached_property
    def here(self) -> Truths:
        there = np.zeros(len(self.outline), dtype=bool)
        there[[] if self.step is None else [self.step]] = True
        return there

    # Every sign is in exactly one of these four.
    @property
    def at_it(self) -> list[int]:
        return _numbers(self.signs.all & self.here)

    @property
    def explained(self) -> list[int]:
        return _numbers(self.signs.all & self.surely_after)

    @property
    def perhaps_explained(self) -> list[int]:
        return _numbers(self.signs.all & self.after & ~self.surely_after)

    @property
    def unexplained(self) -> list[int]:
        return _numbers(self.signs.all & ~self.after & ~self.here)

    @property
    def passed(self) -> list[int]:
        """Checks that passed on what the step can have led to, before the failure was exposed."""
        passed = (self.outline.verdict == VERDICTS.index("passed")) & self.after
        return _numbers(passed[: self.explanation.exposing])

    @property
    def reach(self) -> str:
        """How the exposing step is reached: here, recorded, guessed, not at all; "" without one."""
        step, exposing = self.step, self.explanation.exposing
        if step is None or exposing is None:
            return ""
        if step == exposing:
            return "here"
        if self.surely_after[exposing]:
            return "recorded"
        return "guessed" if self.after[exposing] else "not at all"

    @cached_property
    def direct(self) -> Way | None:
        """The best supported way from the step to what exposed the failure."""
        step, exposing = self.step, self.explanation.exposing
        return None if step is None or exposing is None else self.ways.path(step, exposing)

    @property
    def carriers(self) -> tuple[int, ...]:
        return self.explanation.carriers

    @property
    def undrawn(self) -> list[int]:
        """Carriers that its path is not drawn through: misplaced, not linked, or one too many."""
        return [step for step in self.carriers if step not in self.steps]

    @cached_property
    def way(self) -> Way:
        """The path over the carriers. Those beside each other make it branch."""
        first, last = self.step, self.explanation.exposing
        if first is None or last is None or first >= last:
            return Way()
        carriers = [step for step in self.carriers if first < step < last][:MOST_CARRIERS]
        if not carriers:
            return self.direct or Way()
        stops = [first, *carriers, last]
        into = {stop: self.ways.into(stop, first=first) for stop in stops[1:]}
        return Way(tuple(sorted(set(_hops(stops, into)), key=lambda hop: (hop.target, hop.source))))

    @cached_property
    def steps(self) -> frozenset[int]:
        """The steps of the path, with its own two ends."""
        ends = {self.step, self.explanation.exposing} - {None}
        return frozenset({*self.way.steps, *(end for end in ends if end is not None)})


def _hops(stops: list[int], into: dict[int, Into]) -> Iterable[Hop]:
    """Into each stop from the best stop before it; into the last also from loose ends."""
    reached, went_on = [stops[0]], {stops[0]}
    for stop in stops[1:]:
        leading = [source for source in reached if into[stop].leads(source)]
        if leading:
            chosen = min(leading, key=lambda step: (into[stop].guesses(step), -step))
            yield from into[stop].hops(chosen)
            reached.append(stop)
            went_on.add(chosen)
    last = stops[-1]
    for stop in reached:
        if stop not in went_on and stop != last and into[last].leads(stop):
            yield from into[last].hops(stop)


def _in(step: int | None, size: int) -> int | None:
    return step if step is not None and 0 <= step < size else None


def _numbers(steps: Truths) -> list[int]:
    return np.flatnonzero(steps).tolist()
