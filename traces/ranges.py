"""Many step numbers in few words: "0-14, 17, 20-33". Plain Python."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Range(NamedTuple):
    """Steps from `first` to `last`, both in it."""

    first: int
    last: int

    def __str__(self) -> str:
        return str(self.first) if self.first == self.last else f"{self.first}-{self.last}"


class Ranges(tuple[Range, ...]):
    """Step numbers in order, as ranges; a page shows some of them and counts the rest."""

    __slots__ = ()
    FEW, SHOWN, FOLDED = 5, 20, 30

    @property
    def size(self) -> int:
        """How many steps there are in all ranges."""
        return sum(last - first + 1 for first, last in self)

    @property
    def few(self) -> Ranges:
        return Ranges(self[: self.FEW])

    @property
    def after_few(self) -> int:
        """How many steps are in the ranges after the few."""
        return self.size - self.few.size

    @property
    def shown(self) -> Ranges:
        return Ranges(self[: self.SHOWN])

    @property
    def more(self) -> int:
        """How many steps are in the ranges after those shown."""
        return self.size - self.shown.size

    @property
    def folded(self) -> Ranges:
        return Ranges(self[self.SHOWN : self.SHOWN + self.FOLDED])

    @property
    def beyond(self) -> int:
        """How many steps are in the ranges that are neither shown nor folded."""
        return self.more - self.folded.size

    @property
    def last_step(self) -> int:
        return self[-1].last

    def __str__(self) -> str:
        return ", ".join(map(str, self))


def ranges(numbers: Iterable[int]) -> Ranges:
    """The numbers, each once and in order, with neighbours drawn together."""
    found: list[Range] = []
    for number in sorted(set(numbers)):
        if found and found[-1].last == number - 1:
            found[-1] = Range(found[-1].first, number)
        else:
            found.append(Range(number, number))
    return Ranges(found)
