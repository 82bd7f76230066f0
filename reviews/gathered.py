"""Small things that a dossier hands to pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

from attribution.models import Candidate
from traces.outline import Outline


@dataclass(frozen=True)
class Explanation:
    """A candidate as the page shows it: its number there and how good its attributor is."""

    number: int
    candidate: Candidate
    role: str
    measured: str


class RolesByStep(Sequence[str]):
    """The role behind each step; made when asked for, since a run may be very long."""

    def __init__(self, outline: Outline) -> None:
        self.outline = outline

    def __len__(self) -> int:
        return len(self.outline)

    @overload
    def __getitem__(self, step: int) -> str: ...
    @overload
    def __getitem__(self, step: slice) -> list[str]: ...
    def __getitem__(self, step: int | slice) -> str | list[str]:
        if isinstance(step, slice):
            return [self[n] for n in range(*step.indices(len(self)))]
        return self.outline.lane(step).role
