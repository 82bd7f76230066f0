"""Gathers what a format finds, in whatever order, into a transcript in causal order.

A format adds actors, steps and edges by ids that it makes of the source's own ids, and says of
each raw record what became of it. Numbers, links, and the gaps that order brings to light are
made here, the same for every order of arrival.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from traces.completeness import listed
from traces.formats.steps import ordering
from traces.transcript import (
    Actor,
    ActorKind,
    Fate,
    Gap,
    Link,
    LinkKind,
    Opinion,
    Part,
    RawRecord,
    Report,
    Step,
    StepKind,
    StepStatus,
    Transcript,
)

SENT_AGAIN = "sent again with equal content"


@dataclass(slots=True)
class Draft:
    """A step before it has its number.

    `id` is made of the source's ids, so that the same step has it in every import. `order` is
    what the source says of its place: a sequence, a position where files are append-only, a time.
    Of one run all have tuples of the same shape.
    """

    id: str
    actor: str
    kind: StepKind
    parts: list[Part]
    order: tuple[Any, ...]
    pointer: str = ""
    also_from: list[str] = field(default_factory=list)
    status: StepStatus = StepStatus.NOT_CAPTURED
    tool: str | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None
    recorded_at: datetime | None = None
    attempt: int | None = None
    attempt_reason: str | None = None
    attempt_by: str | None = None
    capture: dict[str, str] = field(default_factory=dict)

    def read_from(self, pointer: str) -> None:
        """Note a further raw record that the step stands on."""
        if pointer and pointer != self.pointer:
            self.also_from.append(pointer)

    def step(self, number: int) -> Step:
        return Step(
            number=number,
            source_id=self.id,
            actor=self.actor,
            kind=self.kind,
            parts=tuple(self.parts),
            status=self.status,
            tool=self.tool,
            started_at=self.started_at,
            ended_at=self.ended_at,
            attempt=self.attempt,
            attempt_reason=self.attempt_reason,
            attempt_by=self.attempt_by,
            recorded_at=self.recorded_at,
            pointer=self.pointer,
            also_from=tuple(dict.fromkeys(self.also_from)),
            capture=self.capture,
        )


@dataclass(frozen=True, slots=True)
class Edge:
    """From one step to another by their ids. An edge with a rule is inferred by it."""

    source: str
    target: str
    kind: LinkKind
    rule: str = ""


@dataclass(slots=True)
class Builder:
    """One run while it is read."""

    actors: dict[str, Actor] = field(default_factory=dict)
    drafts: dict[str, Draft] = field(default_factory=dict)
    edges: list[Edge] = field(default_factory=list)
    folded: Counter[str] = field(default_factory=Counter)
    unread: Counter[str] = field(default_factory=Counter)
    _gaps: list[tuple[Gap, str]] = field(default_factory=list)
    _records: list[tuple[RawRecord, str]] = field(default_factory=list)
    _reports: list[tuple[Report, str]] = field(default_factory=list)
    _opinions: list[tuple[Opinion, str]] = field(default_factory=list)

    def actor(self, key: str, kind: ActorKind = ActorKind.AGENT, **more: Any) -> str:
        """Declare an actor; what is said of it first stays, what was left open may be added."""
        known = self.actors.get(key)
        if known is None:
            self.actors[key] = Actor(key=key, role=more.pop("role", key), kind=kind, **more)
        else:
            news = {name: value for name, value in more.items() if getattr(known, name) is None}
            if news:
                self.actors[key] = replace(known, **news)
        return key

    def add(self, draft: Draft) -> Draft:
        """Add a step. The same again is folded; another with its id is kept beside it."""
        known = self.drafts.get(draft.id)
        if known is None:
            self.drafts[draft.id] = draft
            return draft
        # It may have got its answer since.
        if known.parts[: len(draft.parts)] == draft.parts and known.actor == draft.actor:
            self.fold(SENT_AGAIN, draft.pointer, known)
            return known
        draft.id = self.unused(draft.id)
        self.drafts[draft.id] = draft
        self.gap("duplicate_step", f'Another step has the id "{known.id}" too.', draft)
        return draft

    def unused(self, wanted: str) -> str:
        number = 2
        while f"{wanted}#{number}" in self.drafts:
            number += 1
        return f"{wanted}#{number}"

    def link(self, source: str, target: str, kind: LinkKind, rule: str = "") -> None:
        """Say that `target` builds on `source`; either may still be to come."""
        if source != target:
            self.edges.append(Edge(source, target, kind, rule))

    def gap(self, kind: str, detail: str, step: Draft | None = None) -> None:
        self._gaps.append((Gap(kind, detail), step.id if step else ""))

    def fold(self, rule: str, pointer: str = "", step: Draft | None = None) -> None:
        """Count what only says again what a step says; a record of its own is listed as well."""
        self.folded[rule] += 1
        if step:
            step.read_from(pointer)
        elif pointer:
            self.record(pointer, Fate.FOLDED, rule)

    def record(self, pointer: str, fate: Fate, label: str = "", step: Draft | None = None) -> None:
        """Say what became of a raw record that is no step by itself."""
        self._records.append((RawRecord(pointer, fate, label), step.id if step else ""))

    def report(self, report: Report, step: Draft | None = None) -> None:
        self._reports.append((report, step.id if step else ""))

    def opinion(self, opinion: Opinion, step: str = "") -> None:
        """A judgement that came with the run; `step` is the id of the step it is about."""
        self._opinions.append((opinion, step))

    def transcript(self, header: Transcript, *, follows: str = "") -> Transcript:
        """The run: `header` with all that was gathered.

        `follows` says how predecessors that nobody recorded are guessed: by "actor", by
        "conversation", or not at all.
        """
        drafts = sorted(self.drafts.values(), key=lambda draft: (draft.order, draft.id))
        index_of = {draft.id: index for index, draft in enumerate(drafts)}
        edges = [e for e in self.edges if e.source in index_of and e.target in index_of]
        order = ordering.causal_order(
            [(draft.order, draft.id) for draft in drafts],
            [(index_of[edge.source], index_of[edge.target]) for edge in edges],
        )
        number_of = {drafts[index].id: number for number, index in enumerate(order)}
        steps = tuple(drafts[index].step(number) for number, index in enumerate(order))
        links = tuple(self.links(edges, number_of))
        return replace(
            header,
            actors=(*header.actors, *self.actors.values()),
            steps=steps,
            links=(*links, *GUESSES[follows](steps, links)),
            gaps=(
                *header.gaps,
                *(replace(gap, step=number_of.get(at)) for gap, at in self._gaps),
                *self.missing(index_of, number_of),
                *backward(edges, number_of),
            ),
            reports=(
                *header.reports,
                *(replace(each, step=number_of.get(at, each.step)) for each, at in self._reports),
            ),
            opinions=(
                *header.opinions,
                *(replace(each, step=number_of.get(at, each.step)) for each, at in self._opinions),
            ),
            records=tuple(replace(each, step=number_of.get(at)) for each, at in self._records),
            folded={rule: self.folded[rule] for rule in sorted(self.folded)},
            unread={name: self.unread[name] for name in sorted(self.unread)},
        )

    def links(self, edges: Sequence[Edge], number_of: dict[str, int]) -> Iterator[Link]:
        """Links that go forward, each once; what is recorded is not inferred as well."""
        found: dict[tuple[int, int, LinkKind], Link] = {}
        for edge in sorted(edges, key=lambda edge: bool(edge.rule)):
            source, target = number_of[edge.source], number_of[edge.target]
            if source < target:
                link = Link(source, target, edge.kind, edge.rule)
                found.setdefault((source, target, edge.kind), link)
        yield from found.values()

    def missing(self, known: dict[str, int], number_of: dict[str, int]) -> Iterator[Gap]:
        """Steps that build on what never came."""
        lost: defaultdict[str, list[str]] = defaultdict(list)
        for edge in self.edges:
            if edge.target in known and edge.source not in known and not edge.rule:
                lost[edge.target].append(edge.source)
        for target, names in lost.items():
            detail = f"Not in the record: {listed(list(dict.fromkeys(names)))}."
            yield Gap("missing_parent", detail, number_of[target])


def backward(edges: Sequence[Edge], number_of: dict[str, int]) -> Iterator[Gap]:
    against = [
        f"{edge.source} before {edge.target}"
        for edge in edges
        if number_of[edge.source] > number_of[edge.target]
    ]
    if against:
        yield Gap("cycle", f"Links left out to order the steps: {listed(against)}.")


GUESSES = {
    "": lambda steps, recorded: (),
    "actor": ordering.follows_same_actor,
    "conversation": ordering.follows_conversation,
}
