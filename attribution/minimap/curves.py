"""Links between rows as curves: who handed over to whom, and the way a claim says it went."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import breadth_first_order

from attribution.drawn_steps import Marks
from attribution.minimap.layers import Layer
from attribution.minimap.scale import Scale
from traces.outline import RELATIONS, Outline
from traces.transcript import LinkKind

Places = NDArray[np.intp]
DRAWN = (LinkKind.HANDOFF, LinkKind.SPAWN, LinkKind.JOIN, LinkKind.RETRY_OF)
INFERRED = "inferred"
# Curves on one map, and stretches of a run that they are gathered by if there are more.
MOST, STRETCHES = 90, 120
# Steps of a claim's path.
STOPS = 40


class Curves(NamedTuple):
    """A layer for each kind of link, and how many links are in none of them."""

    layers: tuple[Layer, ...]
    left_out: int


def curves(scale: Scale) -> Curves:
    """Forks, joins, hand-overs and retries from one actor to another.

    Very many are gathered by where they begin and end, and the most frequent ones drawn.
    """
    outline = scale.outline
    source, target = outline.source, outline.target
    wanted = np.array([kind in DRAWN for kind in RELATIONS])[outline.relation]
    between = outline.actor[source] != outline.actor[target]
    links: Places = np.flatnonzero(wanted & between)
    apart = links[scale.row[source[links]] != scale.row[target[links]]]
    chosen, told = (apart, len(apart)) if len(apart) <= MOST else _frequent(scale, apart)
    drawn: defaultdict[str, list[int]] = defaultdict(list)
    for link in np.sort(chosen).tolist():
        kind = RELATIONS[outline.relation[link]].value
        drawn[kind if outline.recorded[link] else INFERRED].append(link)
    found = tuple(
        Layer(name, "".join(curve(scale, int(source[n]), int(target[n])) for n in own), len(own))
        for name, own in drawn.items()
    )
    return Curves(found, len(links) - told)


def _frequent(scale: Scale, links: Places) -> tuple[Places, int]:
    """Of links that begin and end close to each other one each, and how many all stand for."""
    outline = scale.outline
    per = -(-len(outline) // STRETCHES)
    kind = np.where(outline.recorded, outline.relation, len(RELATIONS))[links].astype(np.int64)
    key = kind
    for end in (outline.source[links], outline.target[links]):
        key = (key * scale.rows + scale.row[end]) * STRETCHES + end // per
    keys, counts = np.unique(key, return_counts=True)
    best = np.argsort(-counts, kind="stable")[:MOST]
    wanted = np.sort(keys[best])
    place = np.minimum(np.searchsorted(wanted, key), len(wanted) - 1)
    among = np.flatnonzero(wanted[place] == key)
    first = np.zeros(len(wanted), dtype=np.intp)
    # Assigned from the end, the earliest stays.
    first[place[among[::-1]]] = among[::-1]
    return links[first], int(counts[best].sum())


def path(scale: Scale, marks: Marks) -> Iterator[Layer]:
    """A claim's chain, from the first upstream step over the carriers to the exposure."""
    size = len(scale.outline)
    ends = [n for n in (marks.decisive, marks.exposing) if n is not None]
    stops = sorted({n for n in (*ends, *marks.carriers) if 0 <= n < size})
    ways: defaultdict[str, list[str]] = defaultdict(list)
    for a, b in itertools.pairwise(_few(stops)):
        ways["" if joined(scale.outline, a, b) else INFERRED].append(curve(scale, a, b))
    yield from (Layer(name, "".join(own), len(own)) for name, own in ways.items())


def _few(stops: Sequence[int]) -> Sequence[int]:
    """At most STOPS of them, the first and the last always there."""
    if len(stops) <= STOPS:
        return stops
    places = np.linspace(0, len(stops) - 1, STOPS).astype(int)
    return [stops[place] for place in places.tolist()]


def joined(outline: Outline, a: int, b: int) -> bool:
    """Whether recorded links lead from one step to a later one."""
    first, last = np.searchsorted(outline.target, [a + 1, b + 1])
    within = outline.recorded[first:last] & (outline.source[first:last] >= a)
    source, target = outline.source[first:last][within], outline.target[first:last][within]
    size = b - a + 1
    ones = np.ones(len(source), dtype=np.int8)
    graph = csr_matrix((ones, (source - a, target - a)), shape=(size, size))
    return bool((breadth_first_order(graph, 0, return_predecessors=False) == b - a).any())


def curve(scale: Scale, source: int, target: int) -> str:
    x1, x2 = scale.x(source + 1), scale.x(target)
    y1, y2 = scale.y_of(source), scale.y_of(target)
    bend = min(40, max(6, (x2 - x1) // 2))
    return f"M{x1} {y1}C{x1 + bend} {y1} {x2 - bend} {y2} {x2} {y2}"
