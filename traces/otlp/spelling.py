"""The one spelling in which OTLP JSON is stored: names, ids, integers, enumerations, values."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from opentelemetry.proto.common.v1 import common_pb2
from opentelemetry.proto.logs.v1 import logs_pb2
from opentelemetry.proto.resource.v1 import resource_pb2
from opentelemetry.proto.trace.v1 import trace_pb2

from traces.otlp import ids

MOST = 2**64
Json = dict[str, Any]


def names_of(message: Any) -> dict[str, str]:
    """The fields of a message and of those in it, in both spellings, as they are stored."""
    names = {str(field.name): str(field.json_name) for field in message.fields}
    for nested in message.nested_types:
        names |= names_of(nested)
    return names


NAMES: dict[str, str] = {}
for module in (common_pb2, resource_pb2, trace_pb2, logs_pb2):
    for descriptor in module.DESCRIPTOR.message_types_by_name.values():
        NAMES |= names_of(descriptor)
SPELLINGS: dict[str, str] = {
    "resource_spans": "resourceSpans",
    "resource_logs": "resourceLogs",
    "resource_metrics": "resourceMetrics",
    # Before 2022 a scope was called so.
    "instrumentationLibrarySpans": "scopeSpans",
    "instrumentationLibrary": "scope",
    **NAMES,
}
ENUMS: dict[str, int] = {
    name: value.number
    for enum in (
        trace_pb2.Span.SpanKind.DESCRIPTOR,
        trace_pb2.Status.StatusCode.DESCRIPTOR,
        logs_pb2.SeverityNumber.DESCRIPTOR,
    )
    for name, value in enum.values_by_name.items()
}


def spelled(value: Json) -> Json:
    return {SPELLINGS.get(key, key): each for key, each in value.items()}


def message(value: Any) -> Any:
    """A message with the one spelling of each of its fields. Null is a field that is not there."""
    if not isinstance(value, dict):
        return value
    out: Json = {}
    for key, each in value.items():
        if each is not None:
            name = SPELLINGS.get(str(key), str(key))
            convert = FIELDS.get(name)
            out[name] = convert(each) if convert else each
    return out


def messages(value: Any) -> Any:
    return [message(each) for each in value] if isinstance(value, list) else value


def attributes(value: Any) -> Any:
    """Key and value pairs; a plain map, as some write it, becomes such pairs."""
    if isinstance(value, dict):
        return [{"key": key, "value": any_value(each)} for key, each in value.items()]
    if not isinstance(value, list):
        return value
    return [
        {**each, "value": any_value(each.get("value"))} if isinstance(each, dict) else each
        for each in value
    ]


def any_value(value: Any) -> Any:
    if isinstance(value, dict):
        named = ((SPELLINGS.get(key, key), each) for key, each in value.items())
        return {name: VALUES[name](each) if name in VALUES else each for name, each in named}
    return bare_value(value)


def bare_value(value: Any) -> Json:
    """What hand-written exporters put where a value with its kind belongs."""
    if isinstance(value, list):
        return {"arrayValue": {"values": [any_value(each) for each in value]}}
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, Decimal):
        return {"doubleValue": double(value)}
    return {} if value is None else {"stringValue": value}


def values(value: Any, convert: Callable[[Any], Any]) -> Any:
    if not isinstance(value, dict):
        return value
    return {**value, "values": convert(value.get("values") or [])}


def any_values(value: Any) -> Any:
    return [any_value(each) for each in value] if isinstance(value, list) else value


def whole(value: Any) -> Any:
    """An integer of 64 bits as text. Never through a float: nanoseconds are beyond its reach."""
    if isinstance(value, Decimal):
        exact = value.is_finite() and abs(value) < MOST and value == value.to_integral_value()
        return str(int(value)) if exact else str(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value.strip() if isinstance(value, str) else value


def count(value: Any) -> Any:
    text = whole(value)
    return int(text) if isinstance(text, str) and text.isdecimal() and len(text) < 20 else value


def enum(value: Any) -> Any:
    return ENUMS.get(value, count(value)) if isinstance(value, str) else value


def double(value: Any) -> Any:
    if not isinstance(value, Decimal):
        return value
    number = float(value)
    if math.isfinite(number):
        return number
    return "Infinity" if number > 0 else "-Infinity"


FIELDS: dict[str, Callable[[Any], Any]] = {
    "traceId": lambda value: ids.hex_or_same(value, ids.TRACE),
    "spanId": lambda value: ids.hex_or_same(value, ids.SPAN),
    "parentSpanId": lambda value: ids.hex_or_same(value, ids.SPAN),
    "startTimeUnixNano": whole,
    "endTimeUnixNano": whole,
    "timeUnixNano": whole,
    "observedTimeUnixNano": whole,
    "attributes": attributes,
    "body": any_value,
    "events": messages,
    "links": messages,
    "status": message,
    "code": enum,
    "kind": enum,
    "severityNumber": enum,
    "droppedAttributesCount": count,
    "droppedEventsCount": count,
    "droppedLinksCount": count,
    "flags": count,
}
VALUES: dict[str, Callable[[Any], Any]] = {
    "intValue": whole,
    "doubleValue": double,
    "arrayValue": lambda value: values(value, any_values),
    "kvlistValue": lambda value: values(value, attributes),
}
