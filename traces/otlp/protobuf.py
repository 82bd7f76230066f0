"""From protobuf messages to OTLP JSON, by hand: nothing is lost, and each span is visited once.

The library's own JSON is not used: it writes ids as base64, and takes ten times as long.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterable
from math import isfinite
from typing import Any

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from traces.otlp import scopes
from traces.otlp.batches import LOG, SPAN, Batch, Item, dumps, origin, place

# Fields of a span that most spans leave empty.
SELDOM = (
    ("trace_state", "traceState"),
    ("flags", "flags"),
    ("dropped_attributes_count", "droppedAttributesCount"),
    ("dropped_events_count", "droppedEventsCount"),
    ("dropped_links_count", "droppedLinksCount"),
)
# A protobuf message. Which one, the function that takes it says.
Message = Any
Json = dict[str, Any]


def traces(body: bytes) -> Batch:
    """Raises protobuf's DecodeError if this is no request of traces."""
    return batch_of(ExportTraceServiceRequest.FromString(body), SPAN)


def logs(body: bytes) -> Batch:
    return batch_of(ExportLogsServiceRequest.FromString(body), LOG)


def batch_of(request: Message, signal: str) -> Batch:
    batch = Batch(signal)
    for (r, s), resource, scope in scopes.of_request(request, batch):
        number = batch.origin(origin_of(resource, scope, signal))
        for i, item in enumerate(scope.spans if signal == SPAN else scope.log_records):
            add(batch, item, number, (r, s, i))
    return batch


def add(batch: Batch, item: Message, number: int, where: tuple[int, int, int]) -> None:
    trace_id, span_id = item.trace_id, item.span_id
    good = len(trace_id) == 16 and len(span_id) == 8 and any(trace_id) and any(span_id)
    if not good and not batch.admits(trace_id, span_id, place(batch.signal, *where)):
        return
    if batch.signal == LOG:
        span_id = span_id if len(span_id) == 8 else b""
        batch.items.append(Item(number, trace_id, span_id, dumps(log_json(item)), False))
        return
    ended_root = not any(item.parent_span_id) and item.end_time_unix_nano > 0
    batch.items.append(Item(number, trace_id, span_id, dumps(span_json(item)), ended_root))


def origin_of(resource: Message, scope: Message, signal: str) -> Json:
    return origin(
        signal,
        resource=resource_json(resource.resource) if resource.HasField("resource") else None,
        resource_schema=resource.schema_url,
        scope=scope_json(scope.scope) if scope.HasField("scope") else None,
        scope_schema=scope.schema_url,
    )


def resource_json(resource: Message) -> Json:
    out: Json = {"attributes": attributes(resource.attributes)}
    if resource.dropped_attributes_count:
        out["droppedAttributesCount"] = resource.dropped_attributes_count
    if resource.entity_refs:
        out["entityRefs"] = [entity_json(each) for each in resource.entity_refs]
    return out


def entity_json(entity: Message) -> Json:
    return {
        "schemaUrl": entity.schema_url,
        "type": entity.type,
        "idKeys": list(entity.id_keys),
        "descriptionKeys": list(entity.description_keys),
    }


def scope_json(scope: Message) -> Json:
    out: Json = {"name": scope.name, "version": scope.version}
    if scope.attributes:
        out["attributes"] = attributes(scope.attributes)
    if scope.dropped_attributes_count:
        out["droppedAttributesCount"] = scope.dropped_attributes_count
    return out


def span_json(span: Message) -> Json:
    parent = span.parent_span_id
    out: Json = {
        "traceId": span.trace_id.hex(),
        "spanId": span.span_id.hex(),
        "parentSpanId": parent.hex() if any(parent) else "",
        "name": span.name,
        "kind": span.kind,
        "startTimeUnixNano": str(span.start_time_unix_nano),
        "endTimeUnixNano": str(span.end_time_unix_nano),
        "attributes": attributes(span.attributes),
    }
    if span.HasField("status"):
        out["status"] = status_json(span.status)
    if span.events:
        out["events"] = [event_json(event) for event in span.events]
    if span.links:
        out["links"] = [link_json(link) for link in span.links]
    for field, name in SELDOM:
        if value := getattr(span, field):
            out[name] = value
    return out


def status_json(status: Message) -> Json:
    out: Json = {"code": status.code} if status.code else {}
    if status.message:
        out["message"] = status.message
    return out


def event_json(event: Message) -> Json:
    out: Json = {
        "timeUnixNano": str(event.time_unix_nano),
        "name": event.name,
        "attributes": attributes(event.attributes),
    }
    if event.dropped_attributes_count:
        out["droppedAttributesCount"] = event.dropped_attributes_count
    return out


def link_json(link: Message) -> Json:
    out: Json = {
        "traceId": link.trace_id.hex(),
        "spanId": link.span_id.hex(),
        "attributes": attributes(link.attributes),
    }
    if link.trace_state:
        out["traceState"] = link.trace_state
    if link.dropped_attributes_count:
        out["droppedAttributesCount"] = link.dropped_attributes_count
    if link.flags:
        out["flags"] = link.flags
    return out


def log_json(log: Message) -> Json:
    out: Json = {
        "timeUnixNano": str(log.time_unix_nano),
        "observedTimeUnixNano": str(log.observed_time_unix_nano),
        "traceId": log.trace_id.hex(),
        "spanId": log.span_id.hex() if any(log.span_id) else "",
        "attributes": attributes(log.attributes),
    }
    if log.HasField("body"):
        out["body"] = any_value(log.body)
    if log.severity_number:
        out["severityNumber"] = log.severity_number
    if log.severity_text:
        out["severityText"] = log.severity_text
    if log.event_name:
        out["eventName"] = log.event_name
    if log.flags:
        out["flags"] = log.flags
    if log.dropped_attributes_count:
        out["droppedAttributesCount"] = log.dropped_attributes_count
    return out


def attributes(pairs: Iterable[Message]) -> list[Json]:
    """Key and value pairs. Most values are texts, and are not looked up for what they are."""
    out = []
    for pair in pairs:
        value = pair.value
        text = value.string_value
        one = {"key": pair.key, "value": {"stringValue": text} if text else any_value(value)}
        if pair.key_strindex:
            one["keyStrindex"] = pair.key_strindex
        out.append(one)
    return out


def any_value(value: Message) -> Json:
    kind = value.WhichOneof("value")
    return VALUES[kind](value) if kind else {}


def double(value: float) -> float | str:
    """JSON has no word for what is no number; OTLP JSON has a string."""
    if isfinite(value):
        return value
    return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"  # noqa: PLR0124


VALUES: dict[str, Callable[[Message], Json]] = {
    "string_value": lambda v: {"stringValue": v.string_value},
    "bool_value": lambda v: {"boolValue": v.bool_value},
    "int_value": lambda v: {"intValue": str(v.int_value)},
    "double_value": lambda v: {"doubleValue": double(v.double_value)},
    "array_value": lambda v: {"arrayValue": {"values": [*map(any_value, v.array_value.values)]}},
    "kvlist_value": lambda v: {"kvlistValue": {"values": attributes(v.kvlist_value.values)}},
    "bytes_value": lambda v: {"bytesValue": b64encode(v.bytes_value).decode()},
    "string_value_strindex": lambda v: {"stringValueStrindex": v.string_value_strindex},
}
