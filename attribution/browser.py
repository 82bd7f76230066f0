"""The trace browser's view of a run: aligned rows, ready for a template. Plain Python.

The left side is the run under review, whose text can be cited; the right side is what it is
compared with. A page shows a window of rows, and says which.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from attribution.alignment import Alignment, Divergence, align, word_diff
from traces.causality import StepGraph
from traces.display import Shown, shown, visible
from traces.transcript import Gap, Link, Part, PartKind, Step, Transcript

WINDOW = 200
OPEN_LINES = 8
# Beyond this many steps a side, aligning would keep a person waiting.
ALIGNABLE = 5_000
# Of the heaviest divergence's score: what weighs less is drawn, but neither named nor stopped at.
TELLING = 0.5
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
        )
        return tuple((name, words) for name, words, there in found if there)


@dataclass(frozen=True)
class RowView:
    left: StepView | None
    right: StepView | None
    kind: str
    divergence: int | None
    explanation: str
    main: bool = False


@dataclass(frozen=True)
class Browser:
    """A window of rows over a run, side by side with another if there is one."""

    rows: tuple[RowView, ...]
    first: int
    last: int
    total: int
    aligned: int
    divergences: tuple[tuple[int, str], ...]
    comparable: bool

    @property
    def previous_window(self) -> int | None:
        return max(0, self.first - WINDOW) if self.first else None

    @property
    def next_window(self) -> int | None:
        return self.last + 1 if self.last + 1 < self.total else None


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


def browse(
    left: Transcript,
    right: Transcript | None,
    *,
    marks: Marks,
    around: int = 0,
) -> Browser:
    """Build the window that holds step `around` of the run under review."""
    sizes = [len(side.steps) for side in (left, right) if side]
    alignment = align(left, right) if right and max(sizes) <= ALIGNABLE else None
    first = max(0, min(around, len(left.steps) - 1)) // WINDOW * WINDOW
    last = min(first + WINDOW, len(left.steps)) - 1
    rows = tuple(_rows(left, right, alignment, marks=marks, first=first, last=last))
    return Browser(
        rows=rows,
        first=first,
        last=last,
        total=len(left.steps),
        aligned=_aligned(alignment),
        divergences=_divergences(alignment),
        comparable=alignment is not None,
    )


def _rows(
    left: Transcript,
    right: Transcript | None,
    alignment: Alignment | None,
    *,
    marks: Marks,
    first: int,
    last: int,
) -> Iterable[RowView]:
    ours = Side(left, marks)
    if alignment is None or right is None:
        for step in left.steps[first : last + 1]:
            yield RowView(ours.view(step), None, "alone", None, "")
        return
    theirs = Side(right, Marks())
    told = {d.row: (n, d.sentence) for n, d in enumerate(_telling(alignment))}
    for index in _window(alignment, first, last):
        row = alignment.rows[index]
        mine = None if row.left is None else left.steps[row.left]
        other = None if row.right is None else right.steps[row.right]
        changed = mine if row.kind == "changed" else None
        number, sentence = told.get(index, (None, ""))
        yield RowView(
            left=ours.view(mine) if mine else None,
            right=theirs.view(other, against=changed) if other else None,
            kind=row.kind.value,
            divergence=number,
            explanation=sentence,
            main=alignment.first_divergence is not None and alignment.first_divergence.row == index,
        )


def _window(alignment: Alignment, first: int, last: int) -> range:
    """Rows from the one that holds step `first` to the one before step `last + 1`."""
    at = {row.left: index for index, row in enumerate(alignment.rows) if row.left is not None}
    begin = 0 if first == 0 else at[first]
    return range(begin, at.get(last + 1, len(alignment.rows)))


def _aligned(alignment: Alignment | None) -> int:
    rows = alignment.rows if alignment else ()
    return sum(row.left is not None and row.right is not None for row in rows)


def _divergences(alignment: Alignment | None) -> tuple[tuple[int, str], ...]:
    """Where each divergence is (a step of the run under review) and what it is."""
    if alignment is None:
        return ()
    return tuple(
        (_step_at(alignment, divergence.row), divergence.sentence)
        for divergence in _telling(alignment)
    )


def _telling(alignment: Alignment) -> list[Divergence]:
    best = alignment.first_divergence
    return [d for d in alignment.divergences if best and d.score >= TELLING * best.score]


def _step_at(alignment: Alignment, row: int) -> int:
    """The step of the left side at a row, or the nearest one before it."""
    lefts = (r.left for r in reversed(alignment.rows[: row + 1]))
    return next((left for left in lefts if left is not None), 0)


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
    seconds = (at - began).total_seconds()
    sign, seconds = ("-" if seconds < 0 else ""), abs(seconds)
    hours, minutes = int(seconds // 3600), int(seconds // 60 % 60)
    return f"{sign}{f'{hours}:' if hours else ''}{minutes:02d}:{seconds % 60:04.1f}"
