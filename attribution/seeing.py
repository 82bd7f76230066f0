"""What one actor could see at one of its steps, and what the others did at that moment.

Plain Python over an outline. What could be seen is an upper bound by cause: see
`traces.causality.could_see`. What others did is by recorded clocks, and says nothing of cause.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attribution.minimap import Strip, label
from attribution.minimap.scale import TOLD, cut
from traces.outline import RELATIONS, Outline, Truths
from traces.transcript import LinkKind

# Steps that are listed of those it could see and of those it took in, and other actors.
LISTED, NEIGHBOURS = 12, 12


@dataclass(frozen=True)
class Named:
    step: int
    label: str
    taken_in: bool = False


@dataclass(frozen=True)
class Neighbour:
    """Another actor's last step that began before a moment, and its first after it."""

    actor: str
    before: Named | None
    after: Named | None


@dataclass(frozen=True, eq=False)
class Seen:
    """`steps` could be seen; of them `last` are listed. `taken_in` ones surely were: recorded
    links say that the step, or one that the same actor took before it, consumed them.

    `timed` is whether it is known when the step began; without it there are no neighbours.
    """

    step: int
    label: str
    steps: Truths
    taken_in: Truths
    last: tuple[Named, ...]
    earlier_unseen: int
    timed: bool
    neighbours: tuple[Neighbour, ...]
    more_neighbours: int

    @property
    def count(self) -> int:
        return int(self.steps.sum())

    @property
    def sure(self) -> int:
        return int(self.taken_in.sum())

    @property
    def more(self) -> int:
        return self.count - len(self.last)


def seen_at(outline: Outline, step: int) -> Seen:
    steps = outline.could_see(step)
    taken = taken_in(outline, step)
    found, more, timed = neighbours(outline, step)
    last = np.flatnonzero(steps)[-LISTED:].tolist()
    return Seen(
        step,
        label(outline, step),
        steps,
        taken,
        last=tuple(Named(n, label(outline, n), bool(taken[n])) for n in reversed(last)),
        earlier_unseen=step - int(steps[:step].sum()),
        timed=timed,
        neighbours=found,
        more_neighbours=more,
    )


def strip(found: Seen) -> Strip:
    """The steps that could be seen, as ticks below the map."""
    return Strip(f"seen by #{found.step}", found.steps.nonzero()[0])


def taken_in(outline: Outline, step: int) -> Truths:
    """Steps whose content recorded links bring to this step, or to its actor before it."""
    own = outline.actor[: step + 1] == outline.actor[step]
    consumes = outline.relation == RELATIONS.index(LinkKind.CONSUMES)
    links = np.flatnonzero(outline.recorded & consumes & (outline.target <= step))
    found = np.zeros(len(outline), dtype=bool)
    found[outline.source[links[own[outline.target[links]]]]] = True
    found[step] = False
    return found


def neighbours(outline: Outline, step: int) -> tuple[tuple[Neighbour, ...], int, bool]:
    """Of the actors that acted nearest to this step by the clock what each did before and after;
    how many more actors there are; and whether the moment is known.
    """
    if np.isnan(outline.began[step]):
        return (), 0, False
    order, place = _by_clock(outline)
    here, size = int(place[step]), len(order)
    acting = outline.actor[order]
    before = np.full(len(outline.lanes), -1)
    before[acting[:here]] = np.arange(here)
    after = np.full(len(outline.lanes), size)
    # Assigned from the end, the earliest stays.
    after[acting[:here:-1]] = np.arange(size - 1, here, -1)
    since = np.where(before >= 0, here - before, size + 1)
    until = np.where(after < size, after - here, size + 1)
    distance = np.minimum(since, until)
    distance[outline.actor[step]] = size + 1
    nearest = np.argsort(distance, kind="stable")[: int((distance <= size).sum())]
    found = tuple(
        Neighbour(
            cut(outline.lanes[lane].name, TOLD),
            _named(outline, order, int(before[lane])),
            _named(outline, order, int(after[lane])),
        )
        for lane in nearest[:NEIGHBOURS].tolist()
    )
    return found, len(nearest) - len(found), True


def _by_clock(outline: Outline) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Steps whose beginning is known in order of it, equal ones by number; and where each is."""
    known = np.flatnonzero(~np.isnan(outline.began))
    order = known[np.argsort(outline.began[known], kind="stable")]
    place = np.zeros(len(outline), dtype=np.intp)
    place[order] = np.arange(len(order))
    return order, place


def _named(outline: Outline, order: NDArray[np.intp], place: int) -> Named | None:
    if not 0 <= place < len(order):
        return None
    return Named(int(order[place]), label(outline, int(order[place])))
