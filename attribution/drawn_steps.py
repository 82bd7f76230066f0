"""A step as the trace browser draws it, with the reader's marks. Plain Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import NamedTuple

from attribution.parts import PartView
from traces.transcript import Gap, LinkKind, Step

# Why these are empty stands on the step's own page; on each row it would be noise.
TIMES = frozenset({"started_at", "ended_at", "recorded_at"})


@dataclass(frozen=True)
class Marks:
    """What the reader has marked in this run so far, for the left side."""

    decisive: int | None = None
    exposing: int | None = None
    carriers: frozenset[int] = frozenset()
    missed: frozenset[int] = frozenset()
    considered: frozenset[int] = frozenset()
    candidates: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    cited: Mapping[tuple[int, int], Sequence[tuple[int, int]]] = field(default_factory=dict)


class Into(NamedTuple):
    """A link into a step: where from, of which kind, and by which rule if it was inferred."""

    source: int
    kind: LinkKind
    rule: str


@dataclass(frozen=True)
class StepView:
    """A step as it is drawn, and the address of its own page.

    `grey` ones stand there for context: without their content.
    """

    step: Step
    role: str
    instance: str
    colour: int
    offset: str
    parts: tuple[PartView, ...]
    inputs: tuple[Into, ...]
    more_inputs: int
    gaps: tuple[Gap, ...]
    marks: Marks
    kind: str = ""
    replaces: str = ""
    grey: bool = False
    address: str = ""

    @property
    def number(self) -> int:
        return self.step.number

    @property
    def hidden_parts(self) -> int:
        return 0 if self.grey else len(self.step.parts) - len(self.parts)

    @property
    def retry_of(self) -> int | None:
        return next((link.source for link in self.inputs if link.kind is LinkKind.RETRY_OF), None)

    @property
    def unfilled(self) -> tuple[tuple[str, str], ...]:
        """Fields of the step that are empty, and why; not its times."""
        empty = self.step.capture.items()
        return tuple(sorted((name, state) for name, state in empty if name not in TIMES))

    @property
    def took(self) -> str:
        """How long the step ran; empty if not known, or too short to tell."""
        return elapsed(self.step.started_at, self.step.ended_at) if self.lasted else ""

    @property
    def lasted(self) -> bool:
        began, ended = self.step.started_at, self.step.ended_at
        return began is not None and ended is not None and ended - began >= timedelta(seconds=0.1)

    @property
    def differs(self) -> bool:
        """Whether it is drawn with what differs from the step it is compared with."""
        return any(part.diff for part in self.parts)

    @property
    def candidates(self) -> tuple[int, ...]:
        return self.marks.candidates.get(self.number, ())

    @property
    def roles(self) -> tuple[tuple[str, str], ...]:
        """The reader's own marks on this step, as (class, words)."""
        n, marks = self.number, self.marks
        found = (
            ("first", "first upstream", marks.decisive == n),
            ("exposing", "exposed it", marks.exposing == n),
            ("carrier", "carried it", n in marks.carriers),
            ("missed", "missed here", n in marks.missed),
            ("considered", "considered", n in marks.considered),
        )
        return tuple((name, words) for name, words, there in found if there)


def elapsed(began: datetime | None, at: datetime | None) -> str:
    """Time since the run began, as hours, minutes and seconds to a tenth; empty if not known."""
    if began is None or at is None:
        return ""
    tenths = round((at - began) / timedelta(milliseconds=100))
    sign, tenths = ("-" if tenths < 0 else ""), abs(tenths)
    minutes, tenths = divmod(tenths, 600)
    hours, minutes = divmod(minutes, 60)
    return f"{sign}{f'{hours}:' if hours else ''}{minutes:02d}:{tenths / 10:04.1f}"
