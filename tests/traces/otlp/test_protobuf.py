"""Protobuf as OTLP JSON: nothing is lost, as the library's own reflection says."""

from __future__ import annotations

import json
from base64 import b64decode
from typing import Any

import pytest
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import DecodeError
from hypothesis import given
from hypothesis import strategies as some
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue

from tests.traces.otlp.spans import TRACE, request_of
from traces.otlp import decoding, protobuf, tolerant
from traces.otlp.batches import LOG, SPAN, Batch

IDS = {"traceId", "spanId", "parentSpanId"}
TEXTS = some.text(some.characters(codec="utf-8"), max_size=8)
VALUES = some.recursive(
    some.one_of(
        TEXTS, some.booleans(), some.integers(-(2**63), 2**63 - 1), some.floats(), some.binary(),
        some.none(),
    ),
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)  # fmt: skip


FIELDS = {
    bool: "bool_value", str: "string_value", int: "int_value", float: "double_value",
    bytes: "bytes_value",
}  # fmt: skip


def put(value: AnyValue, given: Any) -> None:
    if isinstance(given, list):
        value.array_value.SetInParent()
        for each in given:
            put(value.array_value.values.add(), each)
    elif isinstance(given, dict):
        value.kvlist_value.SetInParent()
        for key, each in given.items():
            put(value.kvlist_value.values.add(key=key).value, each)
    elif given is not None:
        setattr(value, FIELDS[type(given)], given)


def filled(message: Any) -> None:
    """Give every field there is some value; two of each list; of a choice the last."""
    for field in message.DESCRIPTOR.fields:
        if field.message_type is not None:
            if field.message_type.name == "AnyValue":
                getattr(message, field.name).int_value = 2**53 + 1
            elif field.is_repeated:
                for _ in range(2):
                    filled(getattr(message, field.name).add())
            else:
                filled(getattr(message, field.name))
        elif field.is_repeated:
            getattr(message, field.name).extend(["a", "b"])
        else:
            setattr(message, field.name, sample(field))


def sample(field: Any) -> Any:
    if field.type == field.TYPE_BYTES:
        return bytes(range(1, 17 if field.name == "trace_id" else 9))
    if field.type == field.TYPE_STRING:
        return f"text of {field.name}"
    return 2


def expected(message: Any) -> Any:
    """What the library writes, with ids as OTLP has them and enumerations as numbers."""
    return with_hex(MessageToDict(message, use_integers_for_enums=True))


def with_hex(value: Any) -> Any:
    if isinstance(value, list):
        return [with_hex(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        key: b64decode(each).hex() if key in IDS else with_hex(each) for key, each in value.items()
    }


def bare(value: Any) -> Any:
    """Without what protobuf leaves out: what is empty or zero, which means the same."""
    if isinstance(value, list):
        return [bare(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        key: bare(each)
        for key, each in value.items()
        if key.endswith("Value") or each not in ("", "0", [], {}, 0)
    }


@pytest.mark.parametrize("signal", [SPAN, LOG])
def test_every_field_there_is_is_kept(signal: str) -> None:
    request: Any = ExportTraceServiceRequest() if signal == SPAN else ExportLogsServiceRequest()
    filled(request)
    batch = protobuf.batch_of(request, signal)
    assert not batch.refusals
    whole = expected(request)
    kind, leaf = ("Spans", "spans") if signal == SPAN else ("Logs", "logRecords")
    resources = whole[f"resource{kind}"]
    items = [item for r in resources for s in r[f"scope{kind}"] for item in s[leaf]]
    assert [json.loads(item.content) for item in batch.items] == items
    # The two resources are alike, and so are their scopes: one origin.
    (origin,) = batch.origins
    first = resources[0]
    scope = {**first[f"scope{kind}"][0], leaf: []}
    assert json.loads(origin) == {**first, f"scope{kind}": [scope]}


@given(some.dictionaries(TEXTS, VALUES, max_size=4))
def test_every_value_is_kept(attributes: dict[str, Any]) -> None:
    request = request_of("root")
    span = request.resource_spans[0].scope_spans[0].spans[0]
    del span.attributes[:]
    for key, value in attributes.items():
        put(span.attributes.add(key=key).value, value)
    (item,) = protobuf.batch_of(request, SPAN).items
    assert bare(json.loads(item.content)) == bare(expected(span))
    (tolerated,) = tolerant.traces(request.SerializeToString()).items
    assert tolerated == item


@given(some.integers(0, 400), some.binary(max_size=4))
def test_bytes_that_are_cut_or_changed_are_read_or_refused(at: int, instead: bytes) -> None:
    body = request_of("root", "chat").SerializeToString()
    for damaged in (body[:at], body[:at] + instead + body[at + len(instead) :]):
        try:
            decoding.decoded(damaged, "application/x-protobuf", SPAN)
        except decoding.Undecodable:
            continue


def invalid(request: ExportTraceServiceRequest, before: bytes, after: bytes) -> bytes:
    body = request.SerializeToString()
    assert body.count(before) >= 1
    return body.replace(before, after, 1)


def test_text_that_is_no_utf8_costs_neither_the_batch_nor_the_span() -> None:
    body = invalid(request_of("root", "chat"), b"Where is A-7?", b"Where is \xff-7?")
    with pytest.raises(DecodeError):
        protobuf.traces(body)
    _, batch = decoding.decoded(body, "application/x-protobuf", SPAN)
    contents = [json.loads(item.content) for item in batch.items]
    values = [each["attributes"][0]["value"]["stringValue"] for each in contents]
    assert values == ["Where is \ufffd-7?", "Where is A-7?"]
    assert batch.notes == {tolerant.NOT_UTF8: 1}
    assert [item.ended_root for item in batch.items] == [True, False]


def test_a_span_nested_too_deep_costs_no_other() -> None:
    request = request_of("root", "chat")
    value = request.resource_spans[0].scope_spans[0].spans[1].attributes.add(key="deep").value
    for _ in range(60):
        value = value.array_value.values.add()
    value.int_value = 1
    batch = decoding.decoded(request.SerializeToString(), "", SPAN)[1]
    assert len(batch.items) == 1
    (refusal,) = batch.refusals
    assert (refusal.position, refusal.reason) == (
        "resourceSpans/0/scopeSpans/0/spans/1", tolerant.DAMAGED,
    )  # fmt: skip


def test_a_wrong_parent_is_kept_as_it_is() -> None:
    request = request_of("root", "chat")
    request.resource_spans[0].scope_spans[0].spans[1].parent_span_id = b"\x01\x02"
    batch = protobuf.batch_of(request, SPAN)
    assert json.loads(batch.items[1].content)["parentSpanId"] == "0102"
    assert not batch.items[1].ended_root


@pytest.mark.parametrize("parent", [b"", bytes(8)])
def test_an_empty_or_zero_parent_is_a_root(parent: bytes) -> None:
    request = request_of("root")
    request.resource_spans[0].scope_spans[0].spans[0].parent_span_id = parent
    (item,) = protobuf.batch_of(request, SPAN).items
    assert item.ended_root
    assert json.loads(item.content)["parentSpanId"] == ""


def test_a_batch_knows_where_each_item_belongs() -> None:
    request = request_of("root", trace_id=TRACE)
    request.MergeFrom(request_of("root", trace_id=bytes(range(1, 17))))
    request.resource_spans[1].resource.attributes[0].value.string_value = "another"
    batch: Batch = protobuf.batch_of(request, SPAN)
    assert [item.origin for item in batch.items] == [0, 1]
    assert [b"helpdesk" in origin for origin in batch.origins] == [True, False]
