"""Requests in protobuf: scopes of old senders, and fields that this definition does not name."""

from __future__ import annotations

import json

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.traces.otlp.spans import request_of
from traces.otlp import answers, decoding, protobuf, tolerant
from traces.otlp.batches import SPAN

READERS = [protobuf.traces, tolerant.traces]


def field(number: int, content: bytes) -> bytes:
    """A field of bytes, as protobuf's encoding says: tag, length, content."""
    return answers.varint(number << 3 | 2) + answers.varint(len(content)) + content


@pytest.mark.parametrize("read", READERS)
def test_a_request_of_unknown_fields_is_not_taken_in_silence(read) -> None:
    batch = read(field(2, b"abc"))
    assert [(each.position, each.reason) for each in batch.refusals] == [
        ("/", "Fields that are not known here: 2.")
    ]


@pytest.mark.parametrize("read", READERS)
def test_unknown_fields_of_resources_and_scopes_are_told_and_cost_no_span(read) -> None:
    scope = request_of("root").resource_spans[0].scope_spans[0].SerializeToString()
    resource = field(2, scope + field(77, b"x")) + field(99, b"y")
    batch = read(field(1, resource))
    assert len(batch.items) == 1
    assert [(each.position, each.reason) for each in batch.refusals] == [
        ("resourceSpans/0", "Fields that are not known here: 99."),
        ("resourceSpans/0/scopeSpans/0", "Fields that are not known here: 77."),
    ]


@pytest.mark.parametrize("read", READERS)
def test_scopes_as_they_were_called_before_2022_are_read(read) -> None:
    """opentelemetry-proto 0.15: `instrumentation_library_spans = 1000`, with the same fields."""
    new = request_of("root", "chat")
    scope = new.resource_spans[0].scope_spans[0].SerializeToString()
    resource = new.resource_spans[0].resource.SerializeToString()
    batch = read(field(1, field(1, resource) + field(1000, scope)))
    assert batch.refusals == []
    assert [json.loads(item.content)["name"] for item in batch.items] == ["root", "chat"]
    assert [*batch.origins] == [*protobuf.batch_of(new, SPAN).origins]


def test_a_damaged_old_scope_refuses_the_body() -> None:
    body = field(1, field(1000, b"\x12\xff\xff"))
    with pytest.raises(decoding.Undecodable):
        decoding.decoded(body, "application/x-protobuf", SPAN)


def test_a_request_of_today_has_no_unknown_fields() -> None:
    request = ExportTraceServiceRequest.FromString(request_of("root").SerializeToString())
    assert protobuf.batch_of(request, SPAN).refusals == []
