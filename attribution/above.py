"""The forms above the step list: what can be asked for, with how many steps each choice has.

Plain Python. Of very many actors those with most steps are offered; others are asked for by name.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from attribution.filters import FAILED, RETRY, Filter, Listing, in_state, named
from attribution.place import Place
from traces.display import visible
from traces.outline import KINDS, PARTS, STATUSES, Outline

# Actors that are offered by name; characters of a name on the page.
OFFERED, LONGEST = 20, 60
NAMES = ("actor", "part", "kind", "status", "text", "open")


@dataclass(frozen=True)
class Choice:
    value: str
    label: str
    steps: int
    chosen: bool


@dataclass(frozen=True)
class Group:
    """The choices of one parameter, and how many further ones can be asked for by name."""

    name: str
    title: str
    choices: tuple[Choice, ...]
    further: int = 0

    @property
    def chosen(self) -> list[Choice]:
        return [choice for choice in self.choices if choice.chosen]


class FilterForm:
    """The filter's form for one page. `unread` payloads could not be searched for its text."""

    def __init__(
        self, outline: Outline, wanted: Filter, listing: Listing, place: Place, *, unread: int = 0
    ) -> None:
        self.outline, self.wanted, self.listing = outline, wanted, listing
        self.place, self.unread = place, unread

    @cached_property
    def groups(self) -> list[Group]:
        groups = (self._actors(), self._parts(), self._kinds(), self._statuses())
        return [group for group in groups if len(group.choices) > 1 or group.chosen]

    @property
    def fields(self) -> list[tuple[str, str]]:
        """What else the address holds, for hidden inputs."""
        return self.place.fields(*NAMES)

    @property
    def clear(self) -> str:
        """The address without the filter."""
        return self.place.query(**dict.fromkeys(NAMES))

    @property
    def folded_again(self) -> str:
        """The address with nothing opened by hand."""
        return self.place.query(open=None)

    @property
    def strangers(self) -> list[str]:
        """Names that are asked for and that no actor has."""
        asked = sorted(self.wanted.actors)
        return [visible(_short(name)) for name in asked if not named(self.outline, [name]).any()]

    def _actors(self) -> Group:
        lanes = self.outline.lanes
        steps = np.bincount(self.outline.actor, minlength=len(lanes))
        busiest = np.sort(np.argsort(-steps, kind="stable")[:OFFERED])
        offered = {lanes[n].key: (lanes[n].name, int(steps[n])) for n in busiest.tolist()}
        for name in sorted(self.wanted.actors - offered.keys()):
            offered[name] = name, int(steps[named(self.outline, [name])].sum())
        chosen = self.wanted.actors
        choices = (
            Choice(key, visible(_short(name)), count, key in chosen)
            for key, (name, count) in offered.items()
        )
        return Group("actor", "Actor", tuple(choices), max(0, len(lanes) - OFFERED))

    def _parts(self) -> Group:
        counts = ((kind, int(self.outline.having(kind).sum())) for kind in PARTS)
        return Group("part", "Part", _choices(counts, self.wanted.parts))

    def _kinds(self) -> Group:
        counts = zip(KINDS, _tally(self.outline.kind, len(KINDS)), strict=True)
        return Group("kind", "Step", _choices(counts, self.wanted.kinds))

    def _statuses(self) -> Group:
        tally = _tally(self.outline.status, len(STATUSES))
        both = ((name, int(in_state(self.outline, name).sum())) for name in (FAILED, RETRY))
        plain = zip(STATUSES, tally, strict=True)
        return Group("status", "Status", _choices([*both, *plain], self.wanted.statuses))


class FindForm:
    """The field that searches the whole run, on any page of it."""

    def __init__(self, place: Place) -> None:
        self.place = place

    @property
    def words(self) -> str:
        return self.place.value("find")

    @property
    def fields(self) -> list[tuple[str, str]]:
        """What else the address holds, for hidden inputs."""
        return self.place.fields("find")


def _tally(column: NDArray[np.uint8], size: int) -> list[int]:
    counts: list[int] = np.bincount(column, minlength=size).tolist()
    return counts


def _choices(counts: Iterable[tuple[str, int]], chosen: Iterable[str]) -> tuple[Choice, ...]:
    """Those that some step has, or that are asked for all the same."""
    asked = set(map(str, chosen))
    return tuple(
        Choice(str(value), str(value).replace("_", " "), count, str(value) in asked)
        for value, count in counts
        if count or str(value) in asked
    )


def _short(name: str) -> str:
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"
