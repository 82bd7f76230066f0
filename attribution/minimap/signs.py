"""The reader's own marks and the numbered candidates: a sign and a link each, the first of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from attribution.drawn_steps import Marks
from attribution.minimap.scale import Scale, cut

MOST_SIGNS = 24
# Characters of an actor's name in a title.
NAME = 24
# By kind, around the middle of its step: what each looks like, and what it is called.
SHAPES = {
    "decisive": ("M0-9l4 4-4 4-4-4zM-1-1h2v9h-2z", "first upstream"),
    "exposing": ("M-4-9h8v7h-8zM-1-2h2v10h-2z", "exposed it"),
    "candidate": ("M-6.5 0a6.5 6.5 0 1 0 13 0a6.5 6.5 0 1 0-13 0", "candidate"),
    "carrier": ("M-3-4l7 4-7 4z", "carried it"),
    "missed": ("M0 4l-4-7h8z", "missed here"),
    "cited": ("M-2-8v4M2-8v4M-4 6h8", "cited"),
    "considered": ("M-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0", "considered"),
}


class Sign(NamedTuple):
    """A mark on the map. `text` stands on it: the number of a candidate."""

    kind: str
    step: int
    x: int
    y: int
    title: str
    text: str = ""

    @property
    def shape(self) -> str:
        return SHAPES[self.kind][0]


def signs(scale: Scale, marks: Marks) -> tuple[tuple[Sign, ...], int]:
    """The signs that weigh most, in the order they are drawn, and how many there are beyond."""
    size = len(scale.outline)
    found = [each for each in _marked(marks) if 0 <= each[1] < size]
    shown = (_sign(scale, *each) for each in reversed(found[:MOST_SIGNS]))
    return tuple(shown), max(0, len(found) - MOST_SIGNS)


def _marked(marks: Marks) -> Iterator[tuple[str, int, str]]:
    """Kind, step and text of each, the weightiest first."""
    if marks.decisive is not None:
        yield "decisive", marks.decisive, ""
    if marks.exposing is not None:
        yield "exposing", marks.exposing, ""
    best = sorted((numbers, step) for step, numbers in marks.candidates.items() if numbers)
    yield from (("candidate", step, ", ".join(map(str, numbers[:3]))) for numbers, step in best)
    several = {
        "cited": {step for step, _ in marks.cited},
        "carrier": marks.carriers,
        "missed": marks.missed,
        "considered": marks.considered,
    }
    for kind, steps in several.items():
        yield from ((kind, step, "") for step in sorted(steps))


def _sign(scale: Scale, kind: str, step: int, text: str) -> Sign:
    words = f"{SHAPES[kind][1]} {text}".strip()
    actor = cut(scale.outline.lane(step).name, NAME)
    title = f"{words}: #{step} {actor}"
    return Sign(kind, step, scale.middle(step), scale.y_of(step), title, text.partition(",")[0])
