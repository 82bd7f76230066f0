"""The map as a whole, ready for its template."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import NamedTuple

from attribution.drawn_steps import Marks
from attribution.minimap.curves import curves, path
from attribution.minimap.layers import Layer, gaps, layers, verdicts
from attribution.minimap.lighting import Lit, lit_layers
from attribution.minimap.scale import NAMES, PLOT, Scale, label
from attribution.minimap.signs import Sign, signs
from attribution.minimap.ticks import STRIP, Strip, Ticks, strips
from traces.outline import Outline

# Steps that have a link each; a longer run has links to this many stretches of it.
ALONE, STRETCHES = 90, 60
# Bytes that all titles of links may take up, and what the address may add to all of them.
TITLES, ADDRESSES = 9_000, 8_000


class Hit(NamedTuple):
    """A link that works without a script: an area, and the step it leads to."""

    step: int
    title: str
    d: str


@dataclass(frozen=True)
class LitLayers:
    """The overlay for a selected step, and where that stands."""

    step: int
    x: int
    y: int
    width: int
    layers: tuple[Layer, ...]
    counts: Mapping[str, int]
    ranges: str

    @property
    def top(self) -> int:
        return self.y - 6

    @property
    def words(self) -> str:
        """How many steps stand before the selected one, after it, or neither."""
        said = []
        for side in ("before", "after"):
            sure, guessed = self.counts.get(side, 0), self.counts.get(f"perhaps_{side}", 0)
            words = [f"{sure} recorded"] if sure else []
            words += [f"{guessed} by memory or guess"] if guessed else []
            said.append(f"{side} it: {', '.join(words) or 'none'}")
        return "; ".join([*said, f"neither: {self.counts.get('neither', 0)}"])


@dataclass(frozen=True)
class Minimap:
    """Geometry in units of the view box. Rows are `lanes`: a name and the height of its middle."""

    lanes: tuple[tuple[str, int], ...]
    layers: tuple[Layer, ...]
    verdicts: tuple[Layer, ...]
    curves: tuple[Layer, ...]
    path: tuple[Layer, ...]
    gaps: str
    hits: tuple[Hit, ...]
    signs: tuple[Sign, ...]
    strips: tuple[Ticks, ...]
    lit: LitLayers | None
    height: int
    total: int
    per_column: int
    stretch: int
    others: int = 0
    undrawn: int = 0
    more_signs: int = 0
    told: str = ""

    @property
    def rails(self) -> str:
        """The lines that lanes run along."""
        return "".join(f"M{NAMES} {y}h{PLOT}" for _, y in self.lanes)

    @property
    def strips_height(self) -> int:
        return STRIP * len(self.strips)


def draw(
    outline: Outline,
    marks: Marks,
    *,
    gaps: Collection[int] = (),
    selected: int | None = None,
    lit: Lit | None = None,
    strips: Sequence[Strip] = (),
    kept: str = "",
) -> Minimap:
    """The whole run as a map. `kept` is what links keep of the address, to know how long it is."""
    return _Drawing(outline, marks).minimap(gaps, selected, lit, strips, kept)


class _Drawing:
    def __init__(self, outline: Outline, marks: Marks) -> None:
        self.outline, self.marks, self.scale = outline, marks, Scale(outline)

    def minimap(
        self,
        gap_steps: Collection[int],
        selected: int | None,
        lit: Lit | None,
        found: Sequence[Strip],
        kept: str,
    ) -> Minimap:
        scale, size = self.scale, len(self.outline)
        links, (shown, more) = curves(scale), signs(scale, self.marks)
        here = selected if selected is not None and 0 <= selected < size else None
        hits, stretch = self._hits(kept)
        return Minimap(
            lanes=tuple(scale.names()),
            layers=tuple(layers(scale)),
            verdicts=tuple(verdicts(scale)),
            curves=links.layers,
            path=tuple(path(scale, self.marks)),
            gaps=gaps(scale, gap_steps),
            hits=hits,
            signs=shown,
            strips=strips(found, size),
            lit=None if here is None else overlay(scale, here, lit),
            height=scale.height,
            total=size,
            per_column=scale.per_column,
            stretch=stretch,
            others=scale.others,
            undrawn=links.left_out,
            more_signs=more,
            told="" if here is None else label(self.outline, here),
        )

    def _hits(self, kept: str) -> tuple[tuple[Hit, ...], int]:
        """Areas with a link, and how many steps each stands for: fewer if the address is long."""
        size = len(self.outline)
        most = max(8, ADDRESSES // max(1, len(escape(kept))))
        if size <= min(ALONE, most):
            return tuple(self._steps()), 1
        per = -(-size // min(STRETCHES, most))
        return tuple(self._stretches(per)), per

    def _steps(self) -> Iterator[Hit]:
        scale, size = self.scale, len(self.outline)
        for step, title in enumerate(fitting([label(self.outline, n) for n in range(size)])):
            x, width, y = scale.x(step), scale.x(step + 1) - scale.x(step), scale.y_of(step)
            yield Hit(step, title, f"M{x} {y - 8}h{width}v16h-{width}z")

    def _stretches(self, per: int) -> Iterator[Hit]:
        scale, size = self.scale, len(self.outline)
        for first in range(0, size, per):
            last = min(first + per, size) - 1
            x, end = scale.x(first), scale.x(last + 1)
            yield Hit(first, f"#{first} to #{last}", f"M{x} 0H{end}V{scale.height}H{x}z")


def overlay(scale: Scale, step: int, lit: Lit | None) -> LitLayers:
    """The selected step, and the steps that light up with it."""
    x, width = scale.x(step), max(3, scale.x(step + 1) - scale.x(step))
    if lit is None:
        return LitLayers(step, x, scale.y_of(step), width, (), {}, "")
    ranges = json.dumps(lit.ranges, separators=(",", ":"))
    drawn = tuple(lit_layers(scale, lit))
    return LitLayers(step, x, scale.y_of(step), width, drawn, lit.counts, ranges)


def fitting(titles: Sequence[str], room: int = TITLES) -> list[str]:
    """The titles, cut until all of them together take no more bytes than there is room for."""
    for most in (120, 60, 30, 16):
        short = [title if len(title) <= most else f"{title[: most - 1]}…" for title in titles]
        if sum(len(escape(title).encode()) for title in short) <= room:
            break
    return short
