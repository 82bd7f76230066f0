"""Reads spans as the SDKs of OpenTelemetry print them: Python's console exporter, and JavaScript's.

The same spans as OTLP in another dress: ids with `0x`, ISO times or pairs of seconds and
nanoseconds, attributes as a plain object.
"""

from __future__ import annotations

from collections.abc import Mapping

from traces.completeness import listed
from traces.formats.base import (
    Document,
    Json,
    ParsedRun,
    Reading,
    Refusal,
    Sample,
    Unreadable,
    replacement_gaps,
)
from traces.formats.otlp import NO_STEPS, run_of
from traces.formats.records.loose import mapping, objects, text
from traces.formats.spans.otlp import STATUSES, attributes, hashable, id_of, scope_of
from traces.formats.spans.span import Event, Span
from traces.formats.spans.times import since_epoch
from traces.otlp import ids
from traces.transcript import Gap

CONTEXTS = ("context", "spanContext", "_spanContext")
STARTS = ("start_time", "startTime")
NO_SPAN = "It is no span: it has no trace and span id that can be read."


class ConsoleSpans:
    name = "otel_console"
    version = "1"

    def recognise(self, sample: Sample) -> str | None:
        for item in sample.objects:
            for context in CONTEXTS:
                if isinstance(item.get(context), Mapping) and "name" in item:
                    for start in STARTS:
                        if start in item and ids_in(item[context]) != ("", ""):
                            return f"keys name, {context} and {start}"
        return None

    def read(self, document: Document) -> Reading:
        traces: dict[str, list[Span]] = {}
        refusals: list[Refusal] = []
        for position, value, _ in document.values():
            span = span_of(value, position) if isinstance(value, Mapping) else None
            if span is None:
                refusals.append(Refusal(position or "/", NO_SPAN))
            else:
                traces.setdefault(span.trace, []).append(span)
        if not traces:
            raise Unreadable("There are no spans in it.")
        gaps = (*document.gaps, *replacement_gaps(*document.records))
        lost = [each.position for each in (*document.refusals, *refusals)]
        if lost:
            gaps = (*gaps, Gap("damaged", f"Records that are no spans: {listed(lost)}."))
        found = {trace: run_of(trace, spans, [], gaps) for trace, spans in sorted(traces.items())}
        runs = [ParsedRun(run, f"trace {trace}") for trace, run in found.items() if run.steps]
        notes = [f"trace {trace}: {NO_STEPS}" for trace, run in found.items() if not run.steps]
        if not (runs or refusals):
            raise Unreadable(" ".join(notes[:5]))
        return Reading(tuple(runs), tuple(refusals), notes=tuple(notes))


FORMAT = ConsoleSpans()


def ids_in(context: Json) -> tuple[str, str]:
    given = mapping(context)
    trace = id_of(given.get("trace_id") or given.get("traceId"), ids.TRACE)
    return trace, id_of(given.get("span_id") or given.get("spanId"), ids.SPAN)


def span_of(item: Mapping[str, Json], pointer: str) -> Span | None:
    context = next((item[name] for name in CONTEXTS if name in item), None)
    trace, name = ids_in(context)
    if not trace or not name:
        return None
    status, resource = mapping(item.get("status")), mapping(item.get("resource"))
    code = hashable(status.get("status_code", status.get("code")))
    code = f"STATUS_CODE_{code}" if isinstance(code, str) and not code.isdigit() else code
    return Span(
        trace=trace,
        id=name,
        parent=parent_of(item),
        name=text(item.get("name")),
        start_ns=since_epoch(item.get("start_time", item.get("startTime"))),
        end_ns=since_epoch(item.get("end_time", item.get("endTime"))),
        attributes=attributes(item.get("attributes")),
        events=[event_of(each) for each in objects(item.get("events"))],
        links=[ids_in(each.get("context")) for each in objects(item.get("links"))],
        status=STATUSES.get(code, ""),
        message=text(status.get("description", status.get("message"))),
        resource=attributes(resource.get("attributes", resource.get("_attributes"))),
        scope=scope_of(first(item, "instrumentation_scope", "instrumentationScope", "scope")),
        pointer=pointer,
    )


def parent_of(item: Mapping[str, Json]) -> str:
    given = first(item, "parent_id", "parentSpanId", "parentId")
    if given is None:
        return ids_in(item.get("parentSpanContext"))[1]
    return id_of(given, ids.SPAN) or text(given)


def event_of(given: Mapping[str, Json]) -> Event:
    at = since_epoch(first(given, "timestamp", "time"))
    return Event(text(given.get("name")), at, attributes(given.get("attributes")))


def first(given: Mapping[str, Json], *names: str) -> Json:
    return next((given[name] for name in names if given.get(name) is not None), None)
