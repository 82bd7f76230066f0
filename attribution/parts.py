"""One part of a step, ready for a template: its text, its facts, and what differs in them."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from attribution.alignment import word_diff
from traces.display import MOST, Piece, Shown, pieces, shown, visible
from traces.facts import Fact, fact_lines, facts, main_text, with_facts
from traces.payload_views import PayloadView, payload_view
from traces.payloads import references
from traces.transcript import Capture, Part, PartKind, Step

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

type_of_ranges = Sequence[tuple[int, int]]


@dataclass(frozen=True)
class FactView:
    """A fact and its place in the part's text; without a `start` it cannot be cited.

    `hidden` is how many of its characters are not shown.
    """

    label: str
    value: str
    start: int | None
    pieces: tuple[Piece, ...]
    hidden: int = 0


@dataclass(frozen=True)
class Asked:
    """A step that a model call asks for. `rule` says how that was inferred, if it was."""

    number: int
    words: str
    rule: str = ""


@dataclass(frozen=True)
class PartView:
    """`diff` holds all of the part, facts included; there are no `facts` beside it."""

    position: int
    kind: str
    label: str
    observed: bool
    shown: Shown
    diff: tuple[tuple[str, str], ...]
    facts: tuple[FactView, ...]
    capture: tuple[tuple[str, str], ...]
    payloads: tuple[PayloadView, ...] = ()
    asks: tuple[Asked, ...] = ()

    def asking(self, asks: tuple[Asked, ...]) -> PartView:
        """The same of a call without words: what it asks for says why there are none."""
        capture = tuple(pair for pair in self.capture if pair != ("text", Capture.ABSENT.value))
        return replace(self, asks=asks, capture=capture)


def view(
    part: Part, position: int, *, observed: bool, cited: type_of_ranges, other: Part | None
) -> PartView:
    """The part as it is drawn; against its counterpart `other` with what differs, if that reads."""
    diff = _difference(part, other)
    return PartView(
        position=position,
        kind=part.kind.value,
        label=LABELS[part.kind],
        observed=observed,
        shown=shown(main_text(part), lines=OPEN_LINES, cited=cited),
        diff=diff,
        facts=() if diff else tuple(_fact(fact, part.text, cited) for fact in facts(part)),
        capture=tuple(sorted(part.capture.items())),
        payloads=tuple(dict.fromkeys(map(payload_view, references(part)))),
    )


def _fact(fact: Fact, text: str, cited: type_of_ranges) -> FactView:
    length = min(len(fact.value), MOST)
    if fact.start is None:
        drawn = pieces(fact.value, start=0, end=length, cited=())
    else:
        drawn = pieces(text, start=fact.start, end=fact.start + length, cited=cited)
    hidden = len(fact.value) - length
    return FactView(fact.label, visible(fact.value[:length]), fact.start, tuple(drawn), hidden)


def _difference(part: Part, other: Part | None) -> tuple[tuple[str, str], ...]:
    if other is None:
        return ()
    theirs, ours = _whole(other), _whole(part)
    if theirs == ours or max(len(theirs), len(ours)) > DIFFABLE:
        return ()
    return tuple((op, visible(text)) for op, text in word_diff(theirs, ours))


def _whole(part: Part) -> str:
    """Text and facts, also of a part whose format keeps them apart."""
    return with_facts(main_text(part), fact_lines(part.data))


def counterparts(step: Step, against: Step | None) -> Iterator[Part | None]:
    """For each part of the step the other step's part of the same kind, of states the same one."""
    waiting: defaultdict[tuple[str, str], deque[Part]] = defaultdict(deque)
    for part in against.parts if against else ():
        waiting[_object(part)].append(part)
    for part in step.parts:
        alike = waiting[_object(part)]
        yield alike.popleft() if alike else None


def _object(part: Part) -> tuple[str, str]:
    artifact = part.data.get("artifact") if part.kind is PartKind.STATE else ""
    return part.kind.value, str(artifact or "")
