"""Reads TRAIL: traces of nested spans with OpenInference attributes, and the labels apart.

A label names spans, not agents. It is kept as it came, one opinion an error; its words reach no
step and no gap.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from traces.formats.base import (
    Document,
    Json,
    Label,
    ParsedRun,
    Reading,
    Refusal,
    Sample,
    Unreadable,
)
from traces.formats.otel_console import event_of
from traces.formats.otlp import run_of
from traces.formats.records.loose import mapping, objects, text
from traces.formats.spans.otlp import attributes
from traces.formats.spans.span import Scope, Span
from traces.formats.spans.times import duration, since_epoch
from traces.transcript import Opinion

LABELLERS = "TRAIL"
STATUSES = {"ok": "ok", "error": "error"}
TRACE_ID = re.compile(r"\A[0-9a-f]{32}\Z")
NO_TRACE = "It is neither a TRAIL trace, with nested spans, nor a label of one."


class Trail:
    name = "trail"
    version = "1"

    def recognise(self, sample: Sample) -> str | None:
        for item in sample.objects:
            if any("child_spans" in span for span in objects(item.get("spans"))):
                return "key spans, whose first has child_spans"
            if is_label(item):
                return "keys errors and scores, lists of a label"
        return None

    def read(self, document: Document) -> Reading:
        runs: list[ParsedRun] = []
        labels: list[Label] = []
        refusals: list[Refusal] = []
        for position, value, gaps in document.values():
            if is_label(value):
                labels += labels_of(value, position, document.name)
            elif isinstance(value, Mapping) and isinstance(value.get("spans"), list):
                spans = [*spans_of(value["spans"], f"{position}/spans", "")]
                trace = text(value.get("trace_id")) or (spans[0].trace if spans else "")
                if not spans or not trace:
                    refusals.append(Refusal(position or "/", "The trace has no spans."))
                    continue
                runs.append(ParsedRun(run_of(trace, spans, [], gaps), f"trace {trace}"))
            else:
                refusals.append(Refusal(position or "/", NO_TRACE))
        if not (runs or labels or refusals):
            raise Unreadable(NO_TRACE)
        return Reading(tuple(runs), tuple(refusals), tuple(labels))


FORMAT = Trail()


def spans_of(given: Json, place: str, parent: str) -> Iterator[Span]:
    """All spans, those inside others too."""
    waiting = [(given, place, parent)]
    while waiting:
        listed, place, parent = waiting.pop()
        for index, item in enumerate(listed if isinstance(listed, list) else ()):
            if isinstance(item, Mapping):
                where = f"{place}/{index}"
                span = span_of(item, where, parent)
                yield span
                waiting.append((item.get("child_spans"), f"{where}/child_spans", span.id))


def span_of(item: Mapping[str, Json], pointer: str, parent: str) -> Span:
    start, length = since_epoch(item.get("timestamp")), duration(item.get("duration"))
    return Span(
        trace=text(item.get("trace_id")),
        id=text(item.get("span_id")) or pointer,
        parent=parent or text(item.get("parent_span_id")),
        name=text(item.get("span_name")),
        start_ns=start,
        end_ns=start + length if start is not None and length is not None else None,
        attributes=attributes(item.get("span_attributes")),
        events=[event_of(renamed(each)) for each in objects(item.get("events"))],
        status=STATUSES.get(text(item.get("status_code")).lower(), ""),
        message=text(item.get("status_message")),
        resource=resource_of(item),
        scope=Scope(text(item.get("scope_name")), text(item.get("scope_version"))),
        pointer=pointer,
    )


def resource_of(item: Mapping[str, Json]) -> dict[str, Json]:
    found = attributes(item.get("resource_attributes"))
    if service := text(item.get("service_name")):
        found.setdefault("service.name", service)
    return found


def renamed(event: Mapping[str, Json]) -> dict[str, Any]:
    """An event under the names that the SDKs give it."""
    return {key.lower().removeprefix("event_"): value for key, value in event.items()}


def is_label(value: Json) -> bool:
    given = mapping(value)
    return isinstance(given.get("errors"), list) and isinstance(given.get("scores"), list)


def labels_of(value: Mapping[str, Json], position: str, name: str) -> Iterator[Label]:
    """One label for each error that was found, and one for the scores."""
    stem = PurePosixPath(name).stem
    names = tuple(filter(None, (text(value.get("trace_id")), stem if TRACE_ID.match(stem) else "")))
    for index, error in enumerate(objects(value["errors"])):
        opinion = Opinion(
            source=LABELLERS,
            native_step=text(error.get("location")),
            base=0,
            step=None,
            actor="",
            reason=text(error.get("description")),
            data=dict(error),
        )
        yield Label(f"{position}/errors/{index}", names, opinion)
    for index, scores in enumerate(objects(value["scores"])):
        opinion = Opinion(LABELLERS, "", 0, None, "", data=dict(scores))
        yield Label(f"{position}/scores/{index}", names, opinion)
