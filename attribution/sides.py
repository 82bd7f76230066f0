"""One run in the trace browser: its steps, with the reader's marks, ready for a template.

Plain Python. Everything that comes from the trace leaves here with its invisible characters
written out, or in pieces that name them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from attribution import parts
from attribution.parts import Asked, PartView
from traces.causality import StepGraph
from traces.display import visible
from traces.transcript import Actor, Gap, Link, LinkKind, Step, StepKind, Transcript

# Of a step's parts, how many a page shows besides those that are cited.
MOST_PARTS = 60
# Why these are empty stands on the step's own page; on each row it would be noise.
TIMES = frozenset({"started_at", "ended_at", "recorded_at"})
ASKED = frozenset({StepKind.TOOL, StepKind.HANDOFF})


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
    kind: str = ""
    replaces: str = ""

    @property
    def number(self) -> int:
        return self.step.number

    @property
    def hidden_parts(self) -> int:
        return len(self.step.parts) - len(self.parts)

    @property
    def unfilled(self) -> tuple[tuple[str, str], ...]:
        """Fields of the step that are empty, and why; not its times."""
        empty = self.step.capture.items()
        return tuple(sorted((name, state) for name, state in empty if name not in TIMES))

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
        self.first = {step.actor: step.number for step in reversed(transcript.steps)}
        self.colour_of = {role: index % 8 for index, role in enumerate(roles)}
        times = [step.started_at for step in transcript.steps if step.started_at]
        self.began = transcript.started_at or (min(times) if times else None)

    def view(self, step: Step, *, kind: str = "", against: Step | None = None) -> StepView:
        """The step as it is drawn: `kind` of its row, and with what differs from `against`."""
        actor = self.transcript.actor_of(step)
        return StepView(
            step=step,
            role=visible(actor.role),
            instance=visible((actor.instance or "").removeprefix(f"{actor.role}/")),
            colour=self.colour_of[actor.role],
            offset=elapsed(self.began, step.started_at),
            parts=tuple(self._parts(step, actor, against)),
            inputs=tuple(self.graph.inputs.get(step.number, ())),
            gaps=tuple(self.gaps.get(step.number, ())),
            marks=self.marks,
            kind=kind,
            replaces=self._replaced(step, actor),
        )

    def _replaced(self, step: Step, actor: Actor) -> str:
        """The instance that this one was started instead of, where it first acts."""
        if actor.replaces is None or self.first[step.actor] != step.number:
            return ""
        return visible(actor.replaces)

    def _asks(self, step: Step) -> Iterator[Asked]:
        """What a model call without words asks for: the calls of its actor that build on it."""
        if step.kind is not StepKind.DECISION or any(part.text for part in step.parts):
            return
        for link in self.graph.outputs.get(step.number, ()):
            other = self.transcript.steps[link.target]
            if link.kind is LinkKind.CONSUMES and other.kind in ASKED and other.actor == step.actor:
                yield Asked(other.number, visible(other.tool or other.kind.value), link.rule)

    def _parts(self, step: Step, actor: Actor, against: Step | None) -> Iterator[PartView]:
        others = parts.counterparts(step, against)
        asks = tuple(self._asks(step))
        for position, (part, other) in enumerate(zip(step.parts, others, strict=True)):
            cited = self.marks.cited.get((step.number, position), ())
            if position < MOST_PARTS or cited:
                observed = part.is_observation(actor)
                drawn = parts.view(part, position, observed=observed, cited=cited, other=other)
                yield drawn.asking(asks) if asks and position == 0 else drawn


def elapsed(began: datetime | None, at: datetime | None) -> str:
    """Time since the run began, as hours, minutes and seconds to a tenth; empty if not known."""
    if began is None or at is None:
        return ""
    tenths = round((at - began) / timedelta(milliseconds=100))
    sign, tenths = ("-" if tenths < 0 else ""), abs(tenths)
    minutes, tenths = divmod(tenths, 600)
    hours, minutes = divmod(minutes, 60)
    return f"{sign}{f'{hours}:' if hours else ''}{minutes:02d}:{tenths / 10:04.1f}"
