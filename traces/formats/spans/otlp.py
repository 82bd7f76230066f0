"""Spans and log records out of OTLP JSON, in every spelling that exporters give it.

Keys in camel or snake case, ids in hex or base64, integers as text or numbers, enumerations as
numbers or names, values with their kind or bare. What is no span is a refusal with its place.
"""

from __future__ import annotations

import base64
import binascii
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from traces.formats.base import Json, Refusal
from traces.formats.records.loose import mapping, text
from traces.formats.spans.span import NO_SCOPE, Event, Scope, Span
from traces.otlp import ids

STATUSES = {
    1: "ok", "1": "ok", "STATUS_CODE_OK": "ok",
    2: "error", "2": "error", "STATUS_CODE_ERROR": "error",
}  # fmt: skip
HEX = frozenset("0123456789abcdef")


@dataclass(slots=True)
class Found:
    """What a document holds: spans by trace, log records by trace and span, what is neither."""

    spans: dict[str, list[Span]] = field(default_factory=dict)
    logs: dict[str, list[tuple[str, Event, str]]] = field(default_factory=dict)
    refusals: list[Refusal] = field(default_factory=list)

    def request(self, value: Mapping[str, Json], position: str = "") -> None:
        """Take all of one export request."""
        for kind, take in (("Spans", self.span), ("Logs", self.log)):
            leaf = "spans" if kind == "Spans" else "logRecords"
            for r, resource in listed(get(value, f"resource{kind}")):
                about = attributes(mapping(resource.get("resource")).get("attributes"))
                scopes = get(resource, f"scope{kind}") or get(
                    resource, "instrumentationLibrarySpans"
                )
                for s, scoped in listed(scopes):
                    scope = scope_of(scoped.get("scope") or get(scoped, "instrumentationLibrary"))
                    items = get(scoped, leaf)
                    for i, item in enumerate(items if isinstance(items, list) else ()):
                        where = f"{position}/resource{kind}/{r}/scope{kind}/{s}/{leaf}/{i}"
                        if isinstance(item, Mapping):
                            take(item, about, scope, where)
                        else:
                            self.refusals.append(Refusal(where, "It is no JSON object."))

    def span(
        self, item: Mapping[str, Json], resource: Mapping[str, Json], scope: Scope, where: str
    ) -> None:
        trace = id_of(get(item, "traceId"), ids.TRACE)
        name = id_of(get(item, "spanId"), ids.SPAN)
        if not trace or not name:
            what = "trace" if not trace else "span"
            self.refusals.append(Refusal(where, f"The span has no {what} id that can be read."))
            return
        status = mapping(item.get("status"))
        links = [
            (id_of(get(link, "traceId"), ids.TRACE), id_of(get(link, "spanId"), ids.SPAN))
            for _, link in listed(item.get("links"))
        ]
        dropped = whole(get(item, "droppedAttributesCount"))
        span = Span(
            trace=trace,
            id=name,
            parent=id_of(get(item, "parentSpanId"), ids.SPAN),
            name=text(item.get("name")),
            start_ns=whole(get(item, "startTimeUnixNano")),
            end_ns=whole(get(item, "endTimeUnixNano")),
            attributes=attributes(item.get("attributes")),
            events=[event_of(each) for _, each in listed(item.get("events"))],
            links=links,
            status=STATUSES.get(hashable(status.get("code")), ""),
            message=text(status.get("message")),
            resource=resource,
            scope=scope,
            pointer=where,
            dropped=dropped or 0,
        )
        self.spans.setdefault(trace, []).append(span)

    def log(
        self, item: Mapping[str, Json], resource: Mapping[str, Json], scope: Scope, where: str
    ) -> None:
        given = attributes(item.get("attributes"))
        name = text(get(item, "eventName")) or text(given.get("event.name"))
        at = whole(get(item, "timeUnixNano")) or whole(get(item, "observedTimeUnixNano"))
        body = item.get("body")
        if body is not None and "body" not in given:
            given["body"] = value_of(body)
        trace = id_of(get(item, "traceId"), ids.TRACE)
        span = id_of(get(item, "spanId"), ids.SPAN)
        self.logs.setdefault(trace, []).append((span, Event(name, at, given), where))


def listed(value: Json) -> Iterator[tuple[int, Mapping[str, Json]]]:
    for index, each in enumerate(value if isinstance(value, list) else ()):
        if isinstance(each, Mapping):
            yield index, each


def hashable(value: Json) -> Json:
    return value if isinstance(value, str | int) else None


def get(value: Mapping[str, Json], name: str) -> Json:
    """A field by its name in camel case, or in snake case."""
    found = value.get(name)
    return value.get(SNAKE[name]) if found is None else found


SNAKE = {
    name: "".join(f"_{each.lower()}" if each.isupper() else each for each in name)
    for name in (
        "resourceSpans", "scopeSpans", "instrumentationLibrarySpans", "instrumentationLibrary",
        "spans", "resourceLogs", "scopeLogs", "logRecords", "traceId", "spanId", "parentSpanId",
        "startTimeUnixNano", "endTimeUnixNano", "timeUnixNano", "observedTimeUnixNano",
        "droppedAttributesCount", "eventName", "stringValue", "intValue", "boolValue",
        "doubleValue", "arrayValue", "kvlistValue", "bytesValue",
    )
}  # fmt: skip


def id_of(given: Json, size: int) -> str:
    """An id in hex; empty if there is none, it is all zero, or nobody can read it."""
    if not isinstance(given, str):
        return ""
    if len(given) == 2 * size and HEX.issuperset(given):
        return given if given.strip("0") else ""
    found = ids.of_text(given, size)
    return found.hex() if found and any(found) else ""


def whole(value: Json) -> int | None:
    """An integer, as text or as a number; never through a float."""
    if type(value) is str:
        plain = value.isdecimal() or value.strip().lstrip("-").isdecimal()
        return int(value) if plain and len(value) < 25 else None
    return value if type(value) is int else None


def scope_of(value: Json) -> Scope:
    given = mapping(value)
    return Scope(text(given.get("name")), text(given.get("version"))) if given else NO_SCOPE


def event_of(given: Mapping[str, Json]) -> Event:
    at = whole(get(given, "timeUnixNano"))
    return Event(text(given.get("name")), at, attributes(given.get("attributes")))


def attributes(given: Json) -> dict[str, Json]:
    """A plain map of key and value pairs, or of what is one already."""
    if isinstance(given, Mapping):
        return {str(key): value_of(value) for key, value in given.items()}
    found: dict[str, Json] = {}
    if isinstance(given, list):
        for pair in given:
            try:
                value = pair["value"]
                string = value.get("stringValue")
                found[pair["key"]] = value_of(value) if type(string) is not str else string
            except (KeyError, TypeError, AttributeError):
                if isinstance(pair, Mapping) and isinstance(pair.get("key"), str):
                    found[pair["key"]] = value_of(pair.get("value"))
        if not all(type(key) is str for key in found):
            return {str(key): value for key, value in found.items()}
    return found


def value_of(given: Json) -> Json:
    """What an `AnyValue` holds. One without a kind is nothing, a bare value is itself."""
    if not isinstance(given, Mapping):
        return given
    if len(given) == 1:
        ((kind, value),) = given.items()
        if (read := KINDS.get(kind)) is not None:
            return read(value)
    return dict(given) or None


def real(value: Json) -> Json:
    """A number with a fraction. NaN and the infinities are null here, as text is in the raw."""
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    return value if isinstance(value, int | float) and math.isfinite(value) else None


def of_bytes(value: Json) -> Json:
    try:
        return base64.b64decode(value, validate=True).decode()
    except (binascii.Error, ValueError, TypeError):
        return value


def of_array(value: Json) -> Json:
    inner = mapping(value).get("values")
    return [value_of(each) for each in inner] if isinstance(inner, list) else []


def integer(value: Json) -> Json:
    found = whole(value)
    return value if found is None else found


READERS: dict[str, Any] = {
    "stringValue": lambda value: value,
    "boolValue": lambda value: value,
    "intValue": integer,
    "doubleValue": real,
    "arrayValue": of_array,
    "kvlistValue": lambda value: attributes(mapping(value).get("values")),
    "bytesValue": of_bytes,
}
KINDS = READERS | {SNAKE[kind]: read for kind, read in READERS.items()}
