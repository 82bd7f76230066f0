"""OTLP files in protobuf are the same runs as in JSON, and are searched as text."""

from __future__ import annotations

import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.real import FORMATS, needs_files
from tests.traces.formats.files.test_containers import zipped
from traces import redaction
from traces.formats import intake
from traces.formats.base import Limits
from traces.formats.files.bystanders import why_no_trace
from traces.formats.files.otlp_binary import as_json

PAIRS = [
    "openinference/openinference-openai-agents.otlp",
    "otlp-genai/otel-genai-openai-v2.otlp",
]


def request(*names: str, good: bool = True) -> bytes:
    """A request as an exporter would send it: one span for each name."""
    message = ExportTraceServiceRequest()
    scope = message.resource_spans.add().scope_spans.add()
    for number, name in enumerate(names, start=1):
        span = scope.spans.add(name=name, start_time_unix_nano=10**18, end_time_unix_nano=10**18)
        span.trace_id = b"\xc3" * 16 if good else b"\xc3"
        span.span_id = number.to_bytes(8)
        attribute = span.attributes.add(key="gen_ai.operation.name")
        attribute.value.string_value = "chat"
    return message.SerializeToString()


@pytest.mark.parametrize(
    "content", [b"", b"\n", b"\n[1]", b"\n{}", "\n\x0cé".encode(), b"\n\xff\xfe\x00", b"{\xff"]
)
def test_what_is_no_request_stays_as_it_is(content: bytes) -> None:
    assert as_json(content) is None


def test_spans_without_good_ids_are_counted() -> None:
    message = ExportTraceServiceRequest.FromString(request("a", "b"))
    message.resource_spans[0].scope_spans[0].spans[1].trace_id = b"\xc3"
    read = as_json(message.SerializeToString())
    assert read is not None
    assert read[1].startswith("1 records could not be read, the first: ")
    assert as_json(request("a", good=False)) is None


def test_spans_become_the_json_of_otlp_with_hex_ids() -> None:
    read = as_json(request("look"))
    assert read is not None
    (span,) = json.loads(read[0])["resourceSpans"][0]["scopeSpans"][0]["spans"]
    assert (span["traceId"], span["spanId"], span["name"]) == ("c3" * 16, "0" * 15 + "1", "look")
    assert span["startTimeUnixNano"] == "1" + "0" * 18


@pytest.mark.parametrize("wrapped", [lambda c: c, gzip.compress, lambda c: zipped({"spans": c})])
def test_a_file_is_a_run_however_it_is_wrapped(wrapped: object) -> None:
    assert callable(wrapped)
    (run,) = intake.take(wrapped(request("look", "find"))).runs
    assert run.format.startswith("otlp@")
    assert run.transcript.external_id == "c3" * 16


def test_a_file_in_a_folder_is_taken_for_a_trace() -> None:
    assert why_no_trace("spans.bin", request("look")) == ""
    assert why_no_trace("spans.bin", b"\n\xff\xff") == "not JSON"


def test_values_are_withheld_from_it_as_from_json() -> None:
    policy = redaction.policy_of(
        [{"name": "mail", "detector": "emails", "type": "EMAIL", "action": "redact"}]
    )
    search = redaction.search(request("ask ada@example.org"), policy, Limits())
    assert [found.value for found in search.found()] == ["ada@example.org"]


@needs_files
@pytest.mark.parametrize("name", PAIRS)
def test_real_requests_are_the_same_in_both_encodings(name: str) -> None:
    binary, text = (intake.take((FORMATS / f"{name}.{end}").read_bytes()) for end in ("pb", "json"))
    told = [
        [(step.source_id, step.actor, step.kind, step.status, step.text) for step in run.steps]
        for run in (each.runs[0].transcript for each in (binary, text))
    ]
    assert told[0] == told[1]
    assert told[0]


@given(st.binary(max_size=200))
def test_any_bytes_are_a_request_or_none(content: bytes) -> None:
    as_json(b"\n" + content)


@given(st.integers(0, 200))
def test_a_request_may_be_cut_anywhere(end: int) -> None:
    as_json(request("look", "find")[:end])
