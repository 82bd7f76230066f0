"""Reads OTLP JSON: export requests, one or one a line, with spans of any of the dialects.

A trace is a run, also where its spans came in several requests. Log records join the span that
they name; those that name none are kept in the raw document.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from traces.completeness import listed
from traces.formats.base import (
    Document,
    ParsedRun,
    Reading,
    Refusal,
    Sample,
    Unreadable,
    replacement_gaps,
)
from traces.formats.dialects import genai
from traces.formats.dialects.choosing import facts_of
from traces.formats.spans.otlp import Found
from traces.formats.spans.runs import read_run
from traces.formats.spans.span import Event, Span
from traces.formats.steps.building import Builder
from traces.transcript import Fate, Gap, Transcript

KEYS = ("resourceSpans", "resource_spans", "resourceLogs", "resource_logs")
SOURCE = "otlp"
# Records of log events that belong to a span's content.
JOINED = genai.RECORDS | {"exception", genai.EVALUATION}
NO_STEPS = "none of its spans is an act of an agent, a model or a tool."
Log = tuple[str, Event, str]


class Otlp:
    name = "otlp"
    version = "1"

    def recognise(self, sample: Sample) -> str | None:
        for item in sample.objects:
            for key in KEYS:
                if isinstance(item.get(key), list):
                    return f"key {key}, a list"
        return None

    def read(self, document: Document) -> Reading:
        found = Found()
        for position, value, _ in document.values():
            if isinstance(value, Mapping) and any(key in value for key in KEYS):
                found.request(value, position)
            else:
                found.refusals.append(Refusal(position or "/", "It is no OTLP export request."))
        gaps = (*document.gaps, *replacement_gaps(*document.records))
        if document.refusals:
            places = listed([each.position for each in document.refusals])
            gaps = (*gaps, Gap("damaged", f"Records that could not be decoded: {places}."))
        runs, notes = [], []
        for trace in sorted({*found.spans, *found.logs}):
            if not trace:
                notes.append(without_trace(found.logs[trace]))
                continue
            transcript = run_of(trace, found.spans.get(trace, []), found.logs.get(trace, []), gaps)
            if transcript.steps:
                runs.append(ParsedRun(transcript, f"trace {trace}"))
            else:
                notes.append(f"trace {trace}: {NO_STEPS}")
        if not (runs or found.refusals):
            raise Unreadable(" ".join(notes[:5]) or "There are no spans in it.")
        return Reading(tuple(runs), tuple(found.refusals), notes=tuple(notes))


FORMAT = Otlp()


def without_trace(logs: list[Log]) -> str:
    names = Counter(event.name or "without a name" for _, event, _ in logs)
    counted = listed([f"{name} ({count})" for name, count in sorted(names.items())])
    return f"Log records of no trace are not read: {counted}."


def run_of(
    trace: str, spans: list[Span], logs: list[Log], gaps: tuple[Gap, ...] = ()
) -> Transcript:
    """The run of one trace."""
    builder = Builder()
    spans = [*spans, *Joining(spans, builder).join(trace, logs)]
    header = Transcript(
        external_id=trace, source=SOURCE, schema=SOURCE, actors=(), steps=(), gaps=gaps
    )
    return read_run(spans, facts_of, header, builder)


@dataclass(slots=True)
class Joining:
    """Brings log records to the spans that they name."""

    spans: list[Span]
    builder: Builder

    def join(self, trace: str, logs: list[Log]) -> Iterator[Span]:
        """Give each span its records; those of a span that never came are a span of their own."""
        by_id = {span.id: span for span in reversed(self.spans)}
        made: dict[str, Span] = {}
        loose: Counter[str] = Counter()
        for name, event, pointer in sorted(logs, key=lambda log: (log[1].at_ns or 0, log[1].name)):
            if event.name not in JOINED or not name:
                self.builder.record(pointer, Fate.UNMAPPED, event.name or "log record")
                loose[event.name or "log record"] += 1
            elif name in by_id:
                give(by_id[name], event)
                by_id[name].also_from.append(pointer)
            else:
                made[name] = Span(trace, name, start_ns=event.at_ns, pointer=pointer)
                by_id[name] = give(made[name], event)
        for span in made.values():
            span.end_ns = max((event.at_ns or 0 for event in span.logs), default=0) or None
        if loose:
            names = [f"{name} ({count})" for name, count in sorted(loose.items())]
            self.builder.gap("kept_in_raw_only", f"Log records of no dialect: {listed(names)}.")
        if made:
            known = listed(sorted(made))
            self.builder.gap("missing_parent", f"Log records name spans that never came: {known}.")
        yield from made.values()


def give(span: Span, event: Event) -> Span:
    if event.name == "exception":
        span.events = [*span.events, event]
    else:
        span.logs.append(event)
    return span
