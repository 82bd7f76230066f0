"""One part of a step, ready for a template: its value, its facts, and what differs in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from attribution.alignment import word_diff
from attribution.rendering import changes
from attribution.rendering.cutting import ROW, Budget
from attribution.rendering.modes import JSON, RAW, RENDERED
from attribution.rendering.repeated import repeated_prefix
from attribution.rendering.safe import EMPTY, Html
from attribution.rendering.value import Value, Wish, value_of
from traces.display import MOST, Piece, pieces, visible
from traces.facts import Fact, fact_lines, facts, main_text, with_facts
from traces.payload_views import PayloadView, payload_view
from traces.payloads import references
from traces.transcript import Capture, Part, PartKind

# Characters. Longer texts are shown as they are; their difference would not be readable.
DIFFABLE = 4_000
# Pieces of a difference, and characters that stay of a stretch between two that is alike.
MOST_PIECES, ALIKE = 60, 240

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


class Before(NamedTuple):
    """What the same actor's part of this kind said before, and at which step."""

    text: str
    step: int


class Folded(NamedTuple):
    """Lines at the beginning that the actor already had at an earlier step."""

    lines: int
    step: int


@dataclass(frozen=True)
class Showing:
    """How parts of one step are shown.

    `address` is what the addresses of its parts begin with ("/p/x/runs/<run>/steps/3/parts/");
    without it nothing links anywhere. `modes` says by kind of part how it is shown. `citable`:
    see `attribution.rendering.value.Wish`.
    """

    address: str = ""
    modes: Mapping[str, str] = field(default_factory=dict)
    budget: Budget = ROW
    citable: int | None = None


@dataclass(frozen=True)
class PartView:
    """`diff` holds all of the part, facts included; there are no `facts` beside it.

    `change` is the state before and after, `told` how a tool fared, `folded` what `value` leaves
    out at its beginning, `address` the part's own page.
    """

    position: int
    kind: str
    label: str
    observed: bool
    value: Value
    diff: tuple[tuple[str, str], ...]
    facts: tuple[FactView, ...]
    capture: tuple[tuple[str, str], ...]
    payloads: tuple[PayloadView, ...] = ()
    asks: tuple[Asked, ...] = ()
    change: Html = EMPTY
    told: str = ""
    folded: Folded | None = None
    address: str = ""

    @property
    def run_address(self) -> str:
        """The run's own page, under which its payloads are."""
        return self.address.rpartition("steps/")[0]

    def asking(self, asks: tuple[Asked, ...]) -> PartView:
        """The same of a call without words: what it asks for says why there are none."""
        capture = tuple(pair for pair in self.capture if pair != ("text", Capture.ABSENT.value))
        return replace(self, asks=asks, capture=capture)


def view(
    part: Part,
    position: int,
    *,
    observed: bool,
    cited: type_of_ranges,
    other: Part | None,
    before: Before | None = None,
    showing: Showing | None = None,
) -> PartView:
    """The part as it is drawn; against its counterpart `other` with what differs, if that reads,
    and with what its actor already had `before` folded.
    """
    showing = showing or Showing()
    mode = showing.modes.get(part.kind.value, RENDERED)
    whole = mode == RAW
    text = part.text if whole else main_text(part)
    repeated = repeated_prefix(text, before.text) if before and mode != JSON else None
    wish = Wish(
        mode=mode,
        budget=showing.budget,
        start=repeated.characters if repeated else 0,
        address=f"{showing.address}{position}/" if showing.address else "",
        cited=[(start, min(end, len(text))) for start, end in cited if start < len(text)],
        data=part.data,
        citable=showing.citable,
    )
    diff = _difference(part, other)
    change = EMPTY if whole or diff else _change(part, showing)
    value = value_of(text, wish)
    return PartView(
        position=position,
        kind=part.kind.value,
        label=LABELS[part.kind],
        observed=observed,
        value=replace(value, modes=value.modes or (RENDERED, RAW)) if change else value,
        diff=diff,
        facts=() if diff or whole else tuple(_facts(part, wish, cited, is_told=bool(change))),
        capture=tuple(sorted(part.capture.items())),
        payloads=tuple(dict.fromkeys(map(payload_view, references(part)))),
        change=change,
        told=_told(part),
        folded=Folded(repeated.lines, before.step) if repeated and before else None,
        address=wish.address,
    )


def _change(part: Part, showing: Showing) -> Html:
    """The state before and after as a difference."""
    change = changes.change_in(part.data) if part.kind is PartKind.STATE else None
    return changes.drawn(change, showing.budget.elements) if change else EMPTY


def _facts(part: Part, wish: Wish, cited: type_of_ranges, *, is_told: bool) -> Iterator[FactView]:
    """The part's facts; without the state before and after if their difference is shown instead."""
    for fact in facts(part):
        start, end = fact.start or 0, (fact.start or 0) + len(fact.value)
        is_cited = fact.start is not None and any(a < end and b > start for a, b in cited)
        if is_told and fact.label in ("before", "after") and not is_cited:
            continue
        beyond = wish.citable is not None and end > wish.citable
        yield _fact(replace(fact, start=None) if beyond else fact, part.text, cited)


def _fact(fact: Fact, text: str, cited: type_of_ranges) -> FactView:
    length = min(len(fact.value), MOST)
    if fact.start is None:
        drawn = pieces(fact.value, start=0, end=length, cited=())
    else:
        drawn = pieces(text, start=fact.start, end=fact.start + length, cited=cited)
    hidden = len(fact.value) - length
    return FactView(fact.label, visible(fact.value[:length]), fact.start, tuple(drawn), hidden)


def _told(part: Part) -> str:
    """How a tool fared, in one line: "status error · exit code 2 · took 1.2 s"."""
    if part.kind is not PartKind.TOOL_RESPONSE:
        return ""
    data, found = part.data, []
    for key in ("status", "exit_code", "timed_out"):
        value = data.get(key)
        if isinstance(value, str | int) and value not in ("", False):
            name = key.replace("_", " ")
            found.append(name if value is True else f"{name} {visible(str(value)[:60])}")
    took = data.get("duration_ms")
    if isinstance(took, int | float) and not isinstance(took, bool):
        found.append(f"took {took / 1000:,.1f} s")
    return " · ".join(found)


def _difference(part: Part, other: Part | None) -> tuple[tuple[str, str], ...]:
    if other is None:
        return ()
    theirs, ours = _whole(other), _whole(part)
    if theirs == ours or max(len(theirs), len(ours)) > DIFFABLE:
        return ()
    found = [(op, visible(_near(op, text))) for op, text in word_diff(theirs, ours)]
    cut = [("equal", " …")] if len(found) > MOST_PIECES else []
    return tuple(found[:MOST_PIECES] + cut)


def _near(op: str, text: str) -> str:
    """Of a long stretch that is alike only what stands near to what differs."""
    if op != "equal" or len(text) <= 2 * ALIKE:
        return text
    half = ALIKE // 2
    return f"{text[:half]} [… {len(text) - ALIKE:,} characters alike …] {text[-half:]}"


def _whole(part: Part) -> str:
    """Text and facts, also of a part whose format keeps them apart."""
    return with_facts(main_text(part), fact_lines(part.data))
