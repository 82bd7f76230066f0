"""What a bench yields: a number with its unit and, where the design promises one, its target."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured number. Without `least` and `most` it is only for orientation.

    `of_full_size` says whether what was measured has the size that the target is for. `of` names
    one of several things of which the same is measured: a table has a column for each.
    """

    name: str
    value: float
    unit: str
    least: float | None = None
    most: float | None = None
    of_full_size: bool = True
    of: str = ""

    @property
    def target(self) -> str:
        if self.least is not None:
            return f">= {self.least:g}"
        return "" if self.most is None else f"<= {self.most:g}"

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None where there is none, or it is for another size."""
        if not self.of_full_size:
            return None
        if self.least is not None:
            return self.value >= self.least
        return None if self.most is None else self.value <= self.most


class Bench(Protocol):
    def __call__(self, *, quick: bool) -> Iterator[Figure]: ...
