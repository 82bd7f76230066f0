"""The events of one sample of Inspect, in the order of the file.

What happens while a sample is scored belongs to the judgement and is no step of the run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from traces.formats.base import Json
from traces.formats.inspect import asides, talk
from traces.formats.inspect.refs import END
from traces.formats.inspect.run import Run
from traces.formats.inspect.spans import Agent, Span
from traces.formats.records import loose
from traces.formats.records.loose import Object
from traces.formats.records.times import moment
from traces.formats.steps.conversation import Place
from traces.transcript import Fate

OF_SCORING = "scoring"
CONTAINERS = frozenset({"span_begin", "span_end", "step", "subtask"})
CONTEXT = frozenset({"sample_init", "info", "logger", "compaction", "checkpoint", "branch"})
READERS: dict[str, Callable[[Run, Object, Place, Agent], Any]] = {
    "approval": asides.approval,
    "error": asides.error,
    "input": asides.asked_of_people,
    "interrupt": asides.error,
    "model": talk.model,
    "sample_limit": asides.limit,
    "sandbox": asides.sandbox,
    "state": asides.state,
    "store": asides.state,
    "tool": talk.tool,
}


@dataclass(frozen=True, slots=True)
class Score:
    """What a scorer said, by the name of the scorer, if that is known, and its place."""

    scorer: str
    event: Object
    pointer: str


@dataclass(slots=True)
class Events:
    """A sample while its events are read. `judges` are scorers that asked a model."""

    run: Run
    judges: set[str] = field(default_factory=set)
    computed: set[str] = field(default_factory=set)
    scores: list[Score] = field(default_factory=list)
    unknown: dict[str, int] = field(default_factory=dict)

    def read(self, events: Sequence[tuple[str, Json]]) -> None:
        for number, (pointer, event) in enumerate(events):
            if isinstance(event, Mapping):
                self.event(event, pointer, number)
            else:
                self.run.builder.record(pointer, Fate.UNMAPPED, "no event")
                self.run.builder.gap("undecodable_step", f"This is no event: {pointer}.")
        if self.unknown:
            kinds = ", ".join(f"{kind} ({n})" for kind, n in sorted(self.unknown.items()))
            self.run.builder.gap("kept_in_raw_only", f"Events of kinds not known: {kinds}.")

    def event(self, event: Object, pointer: str, number: int) -> None:
        kind = loose.text(event.get("event"))
        at, ended = moment(event.get("timestamp")), moment(event.get("completed"))
        ident = loose.name(event.get("uuid")) or f"event-{number}"
        place = Place(ident, (number, 1), pointer, at, ended)
        span = self.run.spans.of(event)
        if kind in CONTAINERS:
            self.contain(kind, event, place)
        elif kind == "score":
            self.score(event, place, span)
        elif span and span.scoring:
            self.judges |= {span.scoring} if kind == "model" else set()
            self.run.builder.record(pointer, Fate.CONTEXT, f"{OF_SCORING}: {kind}"[:200])
        elif kind in READERS:
            READERS[kind](self.run, event, place, span.agent if span else self.run.spans.nobody())
        elif kind in CONTEXT:
            self.run.builder.record(pointer, Fate.CONTEXT, kind)
        else:
            self.run.builder.record(pointer, Fate.UNMAPPED, kind[:200])
            self.unknown[kind[:80]] = self.unknown.get(kind[:80], 0) + 1

    def contain(self, kind: str, event: Object, place: Place) -> None:
        name, spans = loose.name(event.get("name")), self.run.spans
        if kind == "span_begin":
            spans.begin(event)
        elif kind == "span_end":
            spans.end(event)
        elif kind == "step":
            spans.step(event)
        if event is not END:
            self.run.builder.record(place.pointer, Fate.CONTAINER, f"{kind} {name}".strip()[:200])

    def score(self, event: Object, place: Place, span: Span | None) -> None:
        """A score is kept for whoever decides whether it is a check or a judgement."""
        within = span.scoring if span else ""
        self.computed |= {within} if within else set()
        if event.get("intermediate") is not True:
            name = loose.text(event.get("scorer")) or within
            self.scores.append(Score(name, event, place.pointer))
        self.run.builder.record(place.pointer, Fate.CONTEXT, OF_SCORING)
