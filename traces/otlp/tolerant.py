"""Protobuf that the strict reader refuses whole: what is wrong with one span costs no other.

The same messages are read with bytes where the definition has texts, and each span by itself.
Texts that are no UTF-8 then have marks in the place of what is not.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.logs.v1 import logs_service_pb2
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2
from opentelemetry.proto.common.v1 import common_pb2
from opentelemetry.proto.logs.v1 import logs_pb2
from opentelemetry.proto.resource.v1 import resource_pb2
from opentelemetry.proto.trace.v1 import trace_pb2

from traces.formats.base import Refusal
from traces.otlp import protobuf, scopes
from traces.otlp.batches import LOG, SPAN, Batch, Item, dumps, place

FILES = (common_pb2, resource_pb2, trace_pb2, trace_service_pb2, logs_pb2, logs_service_pb2)
PACKAGE = "opentelemetry.proto"
# Fields that are kept as they lie there, to be read one by one.
LEAVES = {("ScopeSpans", "spans"), ("ScopeLogs", "log_records")}
REQUESTS = {
    SPAN: f"{PACKAGE}.collector.trace.v1.ExportTraceServiceRequest",
    LOG: f"{PACKAGE}.collector.logs.v1.ExportLogsServiceRequest",
}
ITEMS = {SPAN: f"{PACKAGE}.trace.v1.Span", LOG: f"{PACKAGE}.logs.v1.LogRecord"}
DAMAGED = "Its bytes are damaged or nested too deep: protobuf cannot read them."
NOT_UTF8 = "text that is no UTF-8, shown with marks"


def traces(body: bytes) -> Batch:
    """Raises DecodeError if not even the outermost messages can be told apart."""
    return batch_of(body, SPAN)


def logs(body: bytes) -> Batch:
    return batch_of(body, LOG)


def batch_of(body: bytes, signal: str) -> Batch:
    batch = Batch(signal)
    request: Any = classes()[REQUESTS[signal]].FromString(body)
    item_class = classes()[ITEMS[signal]]
    for origin, where, content in leaves(request, batch):
        try:
            add(batch, item_class.FromString(content), origin, where)
        except DecodeError:
            batch.refusals.append(Refusal(place(signal, *where), DAMAGED))
    return batch


def leaves(request: Any, batch: Batch) -> Iterator[tuple[int, tuple[int, int, int], bytes]]:
    for (r, s), resource, scope in scopes.of_request(request, batch):
        origin = batch.origin(texted(protobuf.origin_of(resource, scope, batch.signal), batch))
        for i, content in enumerate(scope.spans if batch.signal == SPAN else scope.log_records):
            yield origin, (r, s, i), content


def add(batch: Batch, item: Any, origin: int, where: tuple[int, int, int]) -> None:
    made = protobuf.span_json if batch.signal == SPAN else protobuf.log_json
    if not batch.admits(item.trace_id, item.span_id, place(batch.signal, *where)):
        return
    ended_root = batch.signal == SPAN and (
        not any(item.parent_span_id) and item.end_time_unix_nano > 0
    )
    span_id = item.span_id if len(item.span_id) == 8 else b""
    content = dumps(texted(made(item), batch))
    batch.items.append(Item(origin, item.trace_id, span_id, content, ended_root))


def texted(value: Any, batch: Batch) -> Any:
    """The same with texts where there are bytes."""
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            batch.notes[NOT_UTF8] += 1
            return value.decode(errors="replace")
    if isinstance(value, dict):
        return {key: texted(each, batch) for key, each in value.items()}
    return [texted(each, batch) for each in value] if isinstance(value, list) else value


@cache
def classes() -> dict[str, Any]:
    """Classes of the same messages, made from the same definitions with texts as bytes."""
    pool = descriptor_pool.DescriptorPool()
    for module in FILES:
        definition = descriptor_pb2.FileDescriptorProto()
        module.DESCRIPTOR.CopyToProto(definition)
        for message in definition.message_type:
            loosen(message)
        pool.Add(definition)
    names = (*REQUESTS.values(), *ITEMS.values())
    return {
        name: message_factory.GetMessageClass(pool.FindMessageTypeByName(name)) for name in names
    }


def loosen(message: descriptor_pb2.DescriptorProto) -> None:
    for each in message.field:
        if each.type == each.TYPE_STRING or (message.name, each.name) in LEAVES:
            each.type = each.TYPE_BYTES
            each.ClearField("type_name")
    for nested in message.nested_type:
        loosen(nested)
