"""The plainest reader of OTLP JSON: a run for each trace, a step for each span. For these tests,
which are about what reaches a reader and what becomes of its runs, and not about reading."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from traces.formats.base import Document, ParsedRun, Reading, Refusal, Sample, Unreadable
from traces.transcript import (
    Actor,
    ActorKind,
    Outcome,
    Part,
    PartKind,
    Step,
    StepKind,
    Transcript,
)

# A span with this name is more than this reader can bear.
POISON = "poison"
# One with this name is a mistake of its own, and one with this it refuses.
ACCIDENT, UNREAD = "accident", "unread"
UNREAD_REASON = "This span cannot be read."


class Spans:
    name = "otlp"
    version = "tests"

    def recognise(self, sample: Sample) -> str | None:
        return None

    def read(self, document: Document) -> Reading:
        traces: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
        value = document.records[0].value
        refusals = []
        for where, span in spans_of(value):
            if span["name"] == UNREAD:
                refusals.append(Refusal(where, UNREAD_REASON))
            else:
                traces[span["traceId"]].append(span)
        names = {span["name"] for spans in traces.values() for span in spans}
        if POISON in names:
            raise Unreadable("A span cannot be borne.")
        if ACCIDENT in names:
            raise KeyError(ACCIDENT)
        return Reading(tuple(run_of(*each) for each in traces.items()), tuple(refusals))


def spans_of(value: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    for r, resource in enumerate(value.get("resourceSpans", [])):
        for s, scope in enumerate(resource["scopeSpans"]):
            for i, span in enumerate(scope["spans"]):
                yield f"/resourceSpans/{r}/scopeSpans/{s}/spans/{i}", span


def run_of(trace: str, spans: list[dict[str, Any]]) -> ParsedRun:
    steps = []
    for number, span in enumerate(sorted(spans, key=lambda span: span["startTimeUnixNano"])):
        text = f"{span['name']} {span['attributes']}"
        part = Part(kind=PartKind.MESSAGE, text=text)
        step = Step(
            number=number,
            actor="agent",
            kind=StepKind.MESSAGE,
            parts=(part,),
            source_id=span["spanId"],
        )
        steps.append(step)
    transcript = Transcript(
        external_id=trace,
        source="tests",
        schema="otlp",
        outcome=Outcome.UNKNOWN,
        actors=(Actor(key="agent", role="agent", kind=ActorKind.AGENT),),
        steps=tuple(steps),
    )
    return ParsedRun(transcript, f"trace {trace}")
