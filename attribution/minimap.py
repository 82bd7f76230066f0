"""The causal minimap: one lane per acting actor, steps in causal order, as SVG geometry.

Drawn from structure alone, over the whole run, and bounded however long that is. When there are
more steps than boxes, a column stands for several steps of a lane and links to the first of each
kind. When there are more actors than lanes, those with few steps share the last one.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from attribution.sides import Marks
from traces.causality import StepGraph
from traces.display import visible
from traces.transcript import LinkKind, Step, StepStatus, Transcript

WIDTH = 1408
NAMES = 128
LANE = 17
TOP = 12
COLUMNS = 640
LANES = 40
BOXES = 2 * COLUMNS
# Characters of a box's title; a hostile actor's name can be as long as a book.
TITLE = 120
DRAWN = frozenset({LinkKind.HANDOFF, LinkKind.SPAWN, LinkKind.JOIN, LinkKind.RETRY_OF})
BAD = frozenset({StepStatus.ERROR, StepStatus.TIMEOUT, StepStatus.CANCELLED})


@dataclass(frozen=True)
class Box:
    """One step, or several of a lane when the run is longer than the map is wide."""

    step: int
    x: float
    y: int
    width: float
    title: str
    classes: str
    candidates: tuple[int, ...] = ()

    @property
    def top(self) -> int:
        return self.y - 4

    @property
    def middle(self) -> float:
        return round(self.x + self.width / 2, 1)


@dataclass(frozen=True)
class Curve:
    d: str
    classes: str


@dataclass(frozen=True)
class Minimap:
    lanes: tuple[tuple[str, int], ...]
    boxes: tuple[Box, ...]
    curves: tuple[Curve, ...]
    path: tuple[Curve, ...]
    gaps: tuple[float, ...]
    height: int
    total: int
    others: int = 0

    @property
    def marked(self) -> list[Box]:
        return [box for box in self.boxes if box.candidates]

    @property
    def bottom(self) -> int:
        return self.height - 4


def draw(transcript: Transcript, marks: Marks) -> Minimap:
    return _Drawing(transcript, marks).minimap()


class _Drawing:
    def __init__(self, transcript: Transcript, marks: Marks) -> None:
        self.transcript, self.marks = transcript, marks
        steps = Counter(step.actor for step in transcript.steps)
        busiest = {key for key, _ in steps.most_common(LANES)}
        self.own = {key: TOP + n * LANE for n, key in enumerate(k for k in steps if k in busiest)}
        self.others = len(steps) - len(self.own)
        self.shared = TOP + len(self.own) * LANE
        self.slot = (WIDTH - NAMES - 8) / max(1, len(transcript.steps))

    def x(self, step: int) -> float:
        return round(NAMES + step * self.slot, 1)

    def y(self, step: int) -> int:
        return self.own.get(self.transcript.steps[step].actor, self.shared)

    @cached_property
    def crowded(self) -> bool:
        return len(self.transcript.steps) > BOXES

    @cached_property
    def columns(self) -> int:
        return min(COLUMNS, BOXES // max(1, len(self.own) + bool(self.others)))

    @cached_property
    def cited(self) -> set[int]:
        return {step for step, _ in self.marks.cited}

    @cached_property
    def actors_of_role(self) -> Counter[str]:
        acting = dict.fromkeys(step.actor for step in self.transcript.steps)
        return Counter(self.transcript.actor_by_key[key].role for key in acting)

    def minimap(self) -> Minimap:
        return Minimap(
            lanes=tuple(self._lanes()),
            boxes=tuple(self._boxes()),
            curves=tuple(itertools.islice(self._curves(), BOXES)),
            path=tuple(self._path()),
            gaps=tuple(sorted(self._gaps())),
            height=self.shared + LANE * bool(self.others),
            total=len(self.transcript.steps),
            others=self.others,
        )

    def _lanes(self) -> Iterable[tuple[str, int]]:
        yield from ((self._name(key), y) for key, y in self.own.items())
        if self.others:
            yield f"{self.others} other{'' if self.others == 1 else 's'}", self.shared

    def _curves(self) -> Iterable[Curve]:
        few = len(self.transcript.steps) <= COLUMNS
        for link in self.transcript.links if few else ():
            if link.kind in DRAWN and self.y(link.source) != self.y(link.target):
                classes = "inferred" if link.rule else link.kind.value
                yield self._curve(link.source, link.target, classes)

    def _gaps(self) -> set[float]:
        xs = {self.x(gap.step) for gap in self.transcript.gaps if gap.step is not None}
        return {float(round(x)) for x in xs} if self.crowded else xs

    def _name(self, key: str) -> str:
        actor = self.transcript.actor_by_key[key]
        alone = self.actors_of_role[actor.role] == 1
        name = visible(actor.role if alone or not actor.instance else key)
        return name if len(name) <= 18 else f"{name[:17]}…"

    def _boxes(self) -> Iterable[Box]:
        taken: set[tuple[int, int, str]] = set()
        for step in self.transcript.steps:
            column = int(step.number * self.slot * self.columns / (WIDTH - NAMES))
            named = self.marks.candidates.get(step.number, ())
            troubles, marks = self._troubles(step), self._marks(step.number)
            place = self.y(step.number), column, troubles
            if self.crowded and place in taken and not (marks or named):
                continue
            taken.add(place)
            yield Box(
                step=step.number,
                x=self.x(step.number),
                y=self.y(step.number),
                width=round(max(2.0, min(26.0, self.slot * 0.82)), 1),
                title=_title(step),
                classes=f"{marks} {troubles}".strip(),
                candidates=named,
            )

    def _troubles(self, step: Step) -> str:
        retried = bool(step.attempt and step.attempt > 1)
        return _names(error=step.status in BAD, retry=retried)

    def _marks(self, number: int) -> str:
        marks = self.marks
        return _names(
            decisive=marks.decisive == number,
            exposed=marks.exposing == number,
            carrier=number in marks.carriers,
            missed=number in marks.missed,
            cited=number in self.cited,
        )

    def _path(self) -> Iterable[Curve]:
        """The claim's chain, from the first upstream step over the carriers to the exposure."""
        ends = [n for n in (self.marks.decisive, self.marks.exposing) if n is not None]
        stops = sorted({*ends, *self.marks.carriers})
        graph = StepGraph(self.transcript.links).recorded_only()
        for a, b in itertools.pairwise(stops):
            yield self._curve(a, b, "" if b in graph.descendants(a) else "inferred")

    def _curve(self, source: int, target: int, classes: str) -> Curve:
        x1, x2 = round(self.x(source) + self.slot * 0.8, 1), self.x(target)
        y1, y2 = self.y(source), self.y(target)
        bend = round(min(40.0, max(6.0, (x2 - x1) / 2)), 1)
        d = f"M{x1} {y1}C{round(x1 + bend, 1)} {y1} {round(x2 - bend, 1)} {y2} {x2} {y2}"
        return Curve(d, classes)


def _names(**found: bool) -> str:
    return " ".join(name for name, there in found.items() if there)


def _title(step: Step) -> str:
    title = f"#{step.number} {step.actor[:TITLE]} {step.kind} {step.tool or ''}".strip()
    return visible(title if len(title) <= TITLE else f"{title[: TITLE - 1]}…")
