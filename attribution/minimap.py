"""The causal minimap: one lane per acting actor, steps in causal order, as SVG geometry.

Drawn from structure alone, over the whole run. When there are more steps than columns, a column
stands for several steps of a lane and links to the first of them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass

from attribution.sides import Marks
from traces.causality import StepGraph
from traces.display import visible
from traces.transcript import LinkKind, StepStatus, Transcript

WIDTH = 1408
NAMES = 128
LANE = 17
TOP = 12
COLUMNS = 640
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
        keys = dict.fromkeys(step.actor for step in transcript.steps)
        self.lane = {key: TOP + index * LANE for index, key in enumerate(keys)}
        self.slot = (WIDTH - NAMES - 8) / max(1, len(transcript.steps))

    def x(self, step: int) -> float:
        return round(NAMES + step * self.slot, 1)

    def y(self, step: int) -> int:
        return self.lane[self.transcript.steps[step].actor]

    def minimap(self) -> Minimap:
        links = [link for link in self.transcript.links if link.kind in DRAWN]
        return Minimap(
            lanes=tuple((self._name(key), y) for key, y in self.lane.items()),
            boxes=tuple(self._boxes()),
            curves=tuple(
                self._curve(link.source, link.target, "inferred" if link.rule else link.kind.value)
                for link in links
                if self.y(link.source) != self.y(link.target)
            )
            if len(self.transcript.steps) <= COLUMNS
            else (),
            path=tuple(self._path()),
            gaps=tuple(
                sorted({self.x(g.step) for g in self.transcript.gaps if g.step is not None})
            ),
            height=TOP + LANE * len(self.lane),
            total=len(self.transcript.steps),
        )

    def _name(self, key: str) -> str:
        actor = self.transcript.actor_by_key[key]
        alone = sum(self.transcript.actor_by_key[k].role == actor.role for k in self.lane) == 1
        name = visible(actor.role if alone or not actor.instance else key)
        return name if len(name) <= 18 else f"{name[:17]}…"

    def _boxes(self) -> Iterable[Box]:
        taken: set[tuple[str, int]] = set()
        for step in self.transcript.steps:
            column = (step.actor, int(step.number * self.slot * COLUMNS / WIDTH))
            special, named = self._classes(step.number), self.marks.candidates.get(step.number, ())
            crowded = len(self.transcript.steps) > COLUMNS and column in taken
            if crowded and not (special or named):
                continue
            taken.add(column)
            yield Box(
                step=step.number,
                x=self.x(step.number),
                y=self.y(step.number),
                width=round(max(2.0, min(26.0, self.slot * 0.82)), 1),
                title=visible(f"#{step.number} {step.actor} {step.kind} {step.tool or ''}".strip()),
                classes=special,
                candidates=named,
            )

    def _classes(self, number: int) -> str:
        step, marks = self.transcript.steps[number], self.marks
        found = {
            "decisive": marks.decisive == number,
            "exposed": marks.exposing == number,
            "carrier": number in marks.carriers,
            "missed": number in marks.missed,
            "error": step.status in BAD,
            "retry": bool(step.attempt and step.attempt > 1),
            "cited": any(at == number for at, _ in marks.cited),
        }
        return " ".join(name for name, there in found.items() if there)

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
