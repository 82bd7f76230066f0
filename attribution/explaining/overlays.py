"""The paths of explanations as geometry on the minimap, whatever its scale. Plain Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from attribution.explaining.explanation import Account

# Curves of one path; a longer one is drawn in longer strides.
MOST_CURVES = 120
# Units below or above the middle of a lane: the first path runs above it, the second below.
APART = {"A": -3, "B": 3}


class Path(NamedTuple):
    """The links of a path as (source, target, guessed), in order, and its two ends."""

    name: str
    ends: tuple[int, ...]
    links: tuple[tuple[int, int, bool], ...]


class Curve(NamedTuple):
    d: str
    guessed: bool


class Overlay(NamedTuple):
    """A path as it is drawn: its curves, and where its letter stands at each end."""

    name: str
    curves: tuple[Curve, ...]
    ends: tuple[tuple[float, float], ...]


def path_of(account: Account) -> Path:
    ends = (account.step, account.explanation.exposing)
    links = ((hop.source, hop.target, bool(hop.rule)) for hop in account.way.hops)
    known = (end for end in ends if end is not None)
    return Path(account.letter, tuple(dict.fromkeys(known)), tuple(links))


def overlay(path: Path, x: Callable[[int], float], y: Callable[[int], float]) -> Overlay:
    """`x` and `y` say where the middle of a step's box stands on the map."""
    apart = APART[path.name]

    def at(step: int) -> tuple[float, float]:
        return round(float(x(step)), 1), round(float(y(step) + apart), 1)

    curves = tuple(
        Curve(_bow(at(source), at(target)), guessed)
        for source, target, guessed in _strides(path.links)
    )
    return Overlay(path.name, curves, tuple(at(step) for step in path.ends))


def _strides(links: Sequence[tuple[int, int, bool]]) -> list[tuple[int, int, bool]]:
    """Of a path with very many links one stretch for several; guessed if any of them is."""
    stride = -(-len(links) // MOST_CURVES) or 1
    groups = [links[n : n + stride] for n in range(0, len(links), stride)]
    return [(group[0][0], group[-1][1], any(link[2] for link in group)) for group in groups]


def _bow(start: tuple[float, float], end: tuple[float, float]) -> str:
    (x1, y1), (x2, y2) = start, end
    bend = round(min(40.0, max(0.0, (x2 - x1) / 2)), 1)
    return f"M{x1} {y1}C{round(x1 + bend, 1)} {y1} {round(x2 - bend, 1)} {y2} {x2} {y2}"
