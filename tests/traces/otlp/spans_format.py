"""The plainest reader of OTLP JSON: a run for each trace, a step for each span. For these tests,
which are about what reaches a reader and what becomes of its runs, and not about reading."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from traces.formats.base import Document, ParsedRun, Reading, Sample, Unreadable
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


class Spans:
    name = "otlp"
    version = "tests"

    def recognise(self, sample: Sample) -> str | None:
        return None

    def read(self, document: Document) -> Reading:
        traces: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
        value = document.records[0].value
        for resource in value.get("resourceSpans", []):
            for scope in resource["scopeSpans"]:
                for span in scope["spans"]:
                    traces[span["traceId"]].append(span)
        if any(span["name"] == POISON for spans in traces.values() for span in spans):
            raise Unreadable("A span cannot be borne.")
        return Reading(tuple(run_of(*each) for each in traces.items()))


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
