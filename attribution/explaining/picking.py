"""Which two explanations the address holds, and the links that change it. Plain Python."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from attribution.explaining.explanation import Explanation
from attribution.place import Place, Query

# `c3`: the third candidate, `k12`: the claim with this id, `d`: the reader's own draft.
KEY = re.compile(r"c[1-9][0-9]{0,5}|k[0-9]{1,18}|d")
LETTERS = ("A", "B")


class Pick(NamedTuple):
    """A control beside an explanation. `letter` is its own if it is picked."""

    key: str
    name: str
    query: str
    letter: str = ""


def keys_of(text: str) -> tuple[str, ...]:
    """The first two different keys in the text of the parameter `explain`."""
    found = dict.fromkeys(key for key in text.split(",") if KEY.fullmatch(key))
    return tuple(found)[:2]


def place_of(query: Query) -> Place:
    """The place of an address; a form may name the two explanations apart, as `a` and `b`."""
    place = Place.from_query(query)
    apart = [value for name in ("a", "b") for value in query.getlist(name)[-1:]]
    if not apart:
        return place
    others = [pair for pair in place.given if pair[0] != "explain"]
    keys = ",".join(keys_of(",".join(apart)))
    return replace(place, given=(*others, *([("explain", keys)] if keys else [])))


@dataclass(frozen=True)
class Picked:
    """What can be compared, in the order of the page, and what the address picks of it.

    Only what the reader may see is `known`: another key is the same as one that never was.
    """

    known: Mapping[str, Explanation]
    place: Place

    @property
    def wanted(self) -> tuple[str, ...]:
        return keys_of(self.place.value("explain"))

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(key for key in self.wanted if key in self.known)

    @property
    def unknown(self) -> bool:
        """Whether the address names something that is not there, or not for this reader."""
        return len(self.keys) < len(self.wanted)

    @property
    def chosen(self) -> list[Explanation]:
        return [self.known[key] for key in self.keys]

    @property
    def picks(self) -> dict[str, Pick]:
        return {key: self._pick(key) for key in self.known} if len(self.known) > 1 else {}

    @property
    def without(self) -> str:
        """The address without a comparison."""
        return self.place.query(explain=None)

    @property
    def swapped(self) -> str:
        return self._query(reversed(self.keys))

    def _pick(self, key: str) -> Pick:
        keys = self.keys
        letter = LETTERS[keys.index(key)] if key in keys else ""
        # A third one takes the place of the second.
        new = [each for each in keys if each != key] if letter else [*keys[:1], key]
        return Pick(key, self.known[key].name, self._query(new), letter)

    def _query(self, keys: Iterable[str]) -> str:
        text = ",".join(keys)
        return self.place.query(explain=text or None)
