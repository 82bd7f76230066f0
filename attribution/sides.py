"""One run in the trace browser: its steps, with the reader's marks, ready for a template.

Plain Python. Everything that comes from the trace leaves here with its invisible characters
written out, or in pieces that name them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from attribution.alignment import word_diff
from traces.causality import StepGraph
from traces.display import Shown, shown, visible
from traces.transcript import Gap, Link, Part, PartKind, Step, Transcript

OPEN_LINES = 8
# Characters. Longer texts are shown as they are; their difference would not be readable.
DIFFABLE = 4_000

LABELS = {
    PartKind.INPUT: "input",
    PartKind.DECISION: "decision",
    PartKind.INTERPRETATION: "says",
    PartKind.MESSAGE: "message",
    PartKind.TOOL_REQUEST: "request",
    PartKind.TOOL_RESPONSE: "response",
    PartKind.STATE: "state",
    PartKind.VERIFICATION: "check",
    PartKind.ERROR: "error",
}
FACTS = (
    "to", "chosen", "decided_by", "environment", "side_effects", "check", "verdict",
    "expected", "observed", "artifact", "before", "after", "accepted", "rule",
)  # fmt: skip


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


@dataclass(frozen=True)
class PartView:
    position: int
    kind: str
    label: str
    observed: bool
    shown: Shown
    diff: tuple[tuple[str, str], ...]
    facts: tuple[tuple[str, str], ...]
    rejected: tuple[tuple[str, str], ...]
    capture: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class StepView:
    step: Step
    role: str
    instance: str
    colour: int
    offset: str
    parts: tuple[PartView, ...]
    inputs: tuple[Link, ...]
    gaps: tuple[Gap, ...]
    marks: Marks

    @property
    def number(self) -> int:
        return self.step.number

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


class Side:
    """Turns the steps of one transcript into views; knows colours, links and gaps once."""

    def __init__(self, transcript: Transcript, marks: Marks) -> None:
        self.transcript = transcript
        self.marks = marks
        self.graph = StepGraph(transcript.links)
        self.gaps: dict[int | None, list[Gap]] = defaultdict(list)
        for gap in transcript.gaps:
            self.gaps[gap.step].append(gap)
        acting = dict.fromkeys(step.actor for step in transcript.steps)
        roles = dict.fromkeys(transcript.actor_by_key[key].role for key in acting)
        self.colour_of = {role: index % 8 for index, role in enumerate(roles)}
        times = [step.started_at for step in transcript.steps if step.started_at]
        self.began = transcript.started_at or (min(times) if times else None)

    def view(self, step: Step, *, against: Step | None = None) -> StepView:
        actor = self.transcript.actor_of(step)
        return StepView(
            step=step,
            role=visible(actor.role),
            instance=visible((actor.instance or "").removeprefix(f"{actor.role}/")),
            colour=self.colour_of[actor.role],
            offset=elapsed(self.began, step.started_at),
            parts=tuple(
                self._part(step, position, part, against)
                for position, part in enumerate(step.parts)
            ),
            inputs=tuple(self.graph.inputs.get(step.number, ())),
            gaps=tuple(self.gaps.get(step.number, ())),
            marks=self.marks,
        )

    def _part(self, step: Step, position: int, part: Part, against: Step | None) -> PartView:
        cited = self.marks.cited.get((step.number, position), ())
        return PartView(
            position=position,
            kind=part.kind.value,
            label=LABELS[part.kind],
            observed=part.is_observation(self.transcript.actor_of(step)),
            shown=shown(part.text, lines=OPEN_LINES, cited=cited),
            diff=_difference(part, position, against),
            facts=tuple(
                (name.replace("_", " "), visible(str(part.data[name])))
                for name in FACTS
                if part.data.get(name) not in (None, "", [])
            ),
            rejected=tuple(_rejected(part.data.get("rejected"))),
            capture=tuple(sorted(part.capture.items())),
        )


def _difference(part: Part, position: int, against: Step | None) -> tuple[tuple[str, str], ...]:
    if against is None or position >= len(against.parts):
        return ()
    other = against.parts[position]
    if other.kind != part.kind or other.text == part.text:
        return ()
    if max(len(other.text), len(part.text)) > DIFFABLE:
        return ()
    return tuple((op, visible(text)) for op, text in word_diff(other.text, part.text))


def _rejected(value: Any) -> Iterable[tuple[str, str]]:
    for item in value if isinstance(value, list | tuple) else ():
        if isinstance(item, Mapping):
            yield visible(str(item.get("option", ""))), visible(str(item.get("reason", "")))


def elapsed(began: datetime | None, at: datetime | None) -> str:
    """Time since the run began, as hours, minutes and seconds to a tenth; empty if not known."""
    if began is None or at is None:
        return ""
    tenths = round((at - began) / timedelta(milliseconds=100))
    sign, tenths = ("-" if tenths < 0 else ""), abs(tenths)
    minutes, tenths = divmod(tenths, 600)
    hours, minutes = divmod(minutes, 60)
    return f"{sign}{f'{hours}:' if hours else ''}{minutes:02d}:{tenths / 10:04.1f}"
