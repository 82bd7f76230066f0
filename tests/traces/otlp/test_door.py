"""The OTLP door: who is refused and why, then what is stored before the answer."""

from __future__ import annotations

import gzip
import json
import zlib
from datetime import timedelta
from io import BytesIO
from typing import Any

import pytest
import zstandard
from django.db import connection
from django.test import Client
from django.utils import timezone
from gunicorn.http.errors import InvalidChunkSize
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
    ExportMetricsServiceResponse,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

from tests.factories import AT, make_user
from tests.traces.otlp.spans import (
    BEGUN,
    CHILD,
    JSON,
    PROTOBUF,
    TRACE,
    json_of,
    make_key,
    post,
    request_of,
    span,
)
from traces import keys
from traces.models import ApiKey, Membership, OpenTrace, RawSpan, Receipt, SpanOrigin
from traces.otlp import waiting

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture(autouse=True)
def _counts_are_fresh() -> None:
    waiting.forget()


def test_it_needs_a_key() -> None:
    answer = Client().post("/v1/traces", json_of(span()), content_type=JSON)
    assert answer.status_code == 401
    assert "API key" in answer.json()["message"]


@pytest.mark.parametrize("path", ["/v1/traces", "/v1/logs", "/v1/metrics"])
def test_it_refuses_strangers_and_revoked_keys(path: str) -> None:
    _, text = make_key()
    keys.revoke(key=ApiKey.objects.get(), by=make_user("lena"), at=AT)
    for wrong in ("inq_no-such-key", text):
        assert post(wrong, b"{}", JSON, path=path).status_code == 401
    assert RawSpan.objects.count() == Receipt.objects.count() == 0


def test_it_refuses_a_key_whose_maker_has_left() -> None:
    project, text = make_key()
    Membership.objects.get(project=project, user__username="lena").delete()
    assert post(text, json_of(span()), JSON).status_code == 401


def test_it_refuses_a_key_that_may_only_read() -> None:
    _, text = make_key(None, "read")
    assert post(text, json_of(span()), JSON).status_code == 403
    assert RawSpan.objects.count() == 0


def test_it_refuses_other_methods() -> None:
    assert Client().get("/v1/traces").status_code == 405


@pytest.mark.parametrize(
    ("body", "content_type", "status"),
    [
        (b"\x0a\xff\xff", PROTOBUF, 400),
        (b"{", JSON, 400),
        (b'{"resourceLogs": []}', JSON, 400),
        (b"[]", JSON, 400),
        (b"<html></html>", "text/html", 415),
        (b"a=b", "application/x-www-form-urlencoded", 415),
    ],
)
def test_it_refuses_what_it_cannot_read(body: bytes, content_type: str, status: int) -> None:
    _, text = make_key()
    assert post(text, body, content_type).status_code == status
    assert Receipt.objects.count() == 0


def test_a_refusal_in_protobuf_is_a_status_with_code_and_message() -> None:
    _, text = make_key()
    answer = post(text, b"\x0a\xff\xff")
    assert answer["Content-Type"] == PROTOBUF
    # Field 1, varint 3 (INVALID_ARGUMENT); field 2, a text.
    assert answer.content[:3] == b"\x08\x03\x12"
    assert b"could not be read" in answer.content


def test_it_refuses_damaged_and_unknown_compression() -> None:
    _, text = make_key()
    cut = gzip.compress(json_of(span()))[:-6]
    assert post(text, cut, JSON, **{"Content-Encoding": "gzip"}).status_code == 400
    assert post(text, json_of(span()), JSON, **{"Content-Encoding": "br"}).status_code == 415


@pytest.mark.parametrize("compress", [bytes, gzip.compress, zlib.compress, zstandard.compress])
def test_it_says_the_limit_of_an_inflated_body(compress: Any, settings: Any) -> None:
    settings.MAX_BATCH_BYTES = 100_000
    _, text = make_key()
    answer = post(text, compress(json_of(span(name="a" * 200_000))), JSON)
    assert answer.status_code == 413
    assert "100,000" in json.loads(answer.content)["message"]


def test_a_body_without_length_is_refused() -> None:
    _, text = make_key()
    answer = Client().post(
        "/v1/traces",
        headers={"Authorization": f"Bearer {text}", "Transfer-Encoding": "chunked"},
        CONTENT_LENGTH="",
    )
    assert answer.status_code == 411


def test_it_asks_to_wait_when_too_much_waits(settings: Any) -> None:
    settings.MAX_WAITING_SPANS = 2
    _, text = make_key()
    body = request_of("root", "chat").SerializeToString()
    assert post(text, body).status_code == 200
    answer = post(text, body)
    assert (answer.status_code, answer["Retry-After"]) == (429, "5")
    assert RawSpan.objects.count() == 2


@pytest.mark.parametrize("wrong", ["", "0" * 32, "12", "zz" * 16, None, 7])
def test_a_span_without_a_trace_id_is_refused_and_no_other(wrong: object) -> None:
    _, text = make_key()
    answer = post(text, json_of(span(), span(traceId=wrong)), JSON)
    assert answer.status_code == 200
    partial = json.loads(answer.content)["partialSuccess"]
    assert partial["rejectedSpans"] == "1"
    assert "resourceSpans/0/scopeSpans/0/spans/1: The trace id" in partial["errorMessage"]
    receipt = Receipt.objects.get()
    assert (receipt.accepted, receipt.refused_count, receipt.status) == (1, 1, "stored")
    assert receipt.refused[0]["position"] == "resourceSpans/0/scopeSpans/0/spans/1"
    assert RawSpan.objects.count() == 1


def test_protobuf_is_answered_in_protobuf() -> None:
    _, text = make_key()
    request = request_of("root", "chat", "tool")
    request.resource_spans[0].scope_spans[0].spans[1].span_id = bytes(8)
    answer = post(text, request.SerializeToString())
    assert answer["Content-Type"] == PROTOBUF
    response = ExportTraceServiceResponse.FromString(answer.content)
    assert response.partial_success.rejected_spans == 1
    assert "spans/1: The span id is all zero." in response.partial_success.error_message


def test_a_batch_of_which_nothing_is_left_is_refused_on_its_receipt() -> None:
    _, text = make_key()
    assert post(text, json_of(span(spanId="")), JSON).status_code == 200
    receipt = Receipt.objects.get()
    assert receipt.status == "refused"
    assert receipt.reason == "The span id is not 8 bytes, as 16 hex digits or base64."


def test_logs_that_were_sent_as_traces_are_told_where_to_go() -> None:
    _, text = make_key()
    answer = post(text, json_of({"body": {"stringValue": "hello"}}), JSON)
    assert "/v1/logs" in json.loads(answer.content)["partialSuccess"]["errorMessage"]


def test_an_empty_request_is_accepted_without_a_receipt() -> None:
    _, text = make_key()
    for body, kind in ((b"", PROTOBUF), (b"{}", JSON), (b'{"resourceSpans": []}', JSON)):
        assert post(text, body, kind).status_code == 200
    assert Receipt.objects.count() == 0


@pytest.mark.parametrize("header", ["X-Api-Key", "X-Inquest-Key"])
def test_the_key_may_stand_in_other_headers(header: str) -> None:
    _, text = make_key()
    body = request_of().SerializeToString()
    answer = Client().generic("POST", "/v1/traces", body, PROTOBUF, headers={header: text})
    assert answer.status_code == 200


ENCODED = {
    "plain": (bytes, ""),
    "gzip": (gzip.compress, "gzip"),
    "gzip without header": (gzip.compress, ""),
    "header without gzip": (bytes, "gzip"),
    "deflate": (zlib.compress, "deflate"),
    "bare deflate": (lambda body: zlib.compress(body, wbits=-15), "deflate"),
    "zstd": (zstandard.compress, "zstd"),
    "zstd without header": (zstandard.compress, ""),
}


@pytest.mark.parametrize("how", ENCODED)
@pytest.mark.parametrize("content_type", [PROTOBUF, "application/json; charset=utf-8", "", JSON])
@pytest.mark.parametrize("form", ["protobuf", "json"])
def test_it_reads_every_encoding_by_its_bytes(how: str, content_type: str, form: str) -> None:
    _, text = make_key()
    compress, name = ENCODED[how]
    body = request_of().SerializeToString() if form == "protobuf" else json_of(span())
    answer = post(text, compress(body), content_type, **{"Content-Encoding": name})
    assert answer.status_code == 200
    assert answer["Content-Type"] == (PROTOBUF if form == "protobuf" else JSON)
    assert bytes(RawSpan.objects.get().trace_id) == TRACE


def test_spans_are_stored_with_their_origin_and_their_job() -> None:
    _, text = make_key()
    before = timezone.now()
    assert post(text, request_of("root", "chat").SerializeToString()).content == b""
    receipt = Receipt.objects.get()
    assert (receipt.via, receipt.accepted, receipt.waiting) == ("otlp", 2, 2)
    origin = json.loads(bytes(SpanOrigin.objects.get().content))
    assert origin["resource"]["attributes"][0]["value"] == {"stringValue": "helpdesk"}
    assert origin["scopeSpans"] == [{"scope": {"name": "tests", "version": ""}, "spans": []}]
    stored = [json.loads(bytes(each.content)) for each in RawSpan.objects.order_by("pk")]
    assert [each["name"] for each in stored] == ["root", "chat"]
    assert stored[0]["startTimeUnixNano"] == str(BEGUN)
    job = OpenTrace.objects.get()
    assert (bytes(job.trace_id), job.waiting, job.root_ended) == (TRACE, 2, True)
    assert before <= job.last_at <= before + timedelta(minutes=1)


def test_a_trace_in_several_requests_is_one_job() -> None:
    _, text = make_key()
    post(text, request_of("root", ended=False).SerializeToString())
    assert not OpenTrace.objects.get().root_ended
    post(text, request_of("root").SerializeToString())
    post(text, request_of("root", ended=False).SerializeToString())
    job = OpenTrace.objects.get()
    assert (job.waiting, job.root_ended) == (3, True)
    assert SpanOrigin.objects.count() == 1


def test_log_records_join_by_their_trace() -> None:
    _, text = make_key()
    request = ExportLogsServiceRequest()
    scope = request.resource_logs.add().scope_logs.add()
    scope.log_records.add(trace_id=TRACE, span_id=CHILD, event_name="gen_ai.choice")
    scope.log_records.add(trace_id=TRACE, event_name="of no span")
    scope.log_records.add(event_name="of no trace")
    answer = post(text, request.SerializeToString(), path="/v1/logs")
    assert b"resourceLogs/0/scopeLogs/0/logRecords/2: The log record has no" in answer.content
    stored = RawSpan.objects.order_by("pk")
    assert [(each.signal, bytes(each.span_id)) for each in stored] == [("log", CHILD), ("log", b"")]
    assert OpenTrace.objects.get().waiting == 2
    assert not OpenTrace.objects.get().root_ended


def test_logs_in_json() -> None:
    _, text = make_key()
    record = {"timeUnixNano": 5, "trace_id": TRACE.hex(), "body": {"kvlist_value": {"values": []}}}
    body = {"resourceLogs": [{"scopeLogs": [{"logRecords": [record, {}]}]}]}
    answer = post(text, json.dumps(body).encode(), JSON, path="/v1/logs")
    assert json.loads(answer.content)["partialSuccess"]["rejectedLogRecords"] == "1"
    content = json.loads(bytes(RawSpan.objects.get().content))
    assert content["body"] == {"kvlistValue": {"values": []}}
    assert content["timeUnixNano"] == "5"


def test_metrics_are_dropped_and_noted_once_an_hour() -> None:
    _, text = make_key()
    body = ExportMetricsServiceRequest().SerializeToString()
    for _ in range(2):
        answer = post(text, body, path="/v1/metrics")
        response = ExportMetricsServiceResponse.FromString(answer.content)
        assert response.partial_success.error_message == (
            "Metrics are not kept: they are taken and dropped."
        )
    receipt = Receipt.objects.get()
    assert (receipt.status, receipt.accepted) == ("read", 0)
    assert receipt.notes == ["Metrics are not kept: they are taken and dropped."]
    assert RawSpan.objects.count() == 0


def test_the_number_of_statements_does_not_grow_with_the_spans() -> None:
    _, text = make_key()
    numbers = []
    for names in (["root"], ["root", *["chat"] * 99]):
        body = request_of(*names).SerializeToString()
        with connection.execute_wrapper(counting := Counting()):
            post(text, body)
        numbers.append(counting.number)
    # The first made its origin besides.
    assert numbers[1] <= numbers[0]


class Counting:
    def __init__(self) -> None:
        self.number = 0

    def __call__(self, execute: Any, *args: Any) -> Any:
        self.number += 1
        return execute(*args)


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (b" ", "application/json"),
        (b"{}", "application/json"),
        (b"", "application/x-protobuf"),
        # A message of 123 bytes: the length reads as a brace.
        (b"\n{" + b"x" * 123, "application/x-protobuf"),
    ],
)
def test_metrics_are_answered_in_the_type_of_the_request(body: bytes, content_type: str) -> None:
    _, text = make_key()
    answer = post(text, body, content_type, path="/v1/metrics")
    assert (answer.status_code, answer["Content-Type"]) == (200, content_type)


def test_a_body_that_was_cut_is_refused_though_it_reads_as_a_whole() -> None:
    _, text = make_key()
    body = request_of("root").SerializeToString()
    answer = Client().generic(
        "POST",
        "/v1/traces",
        body,
        PROTOBUF,
        headers={"Authorization": f"Bearer {text}"},
        **{"CONTENT_LENGTH": str(len(body) + 10), "wsgi.input": BytesIO(body)},
    )
    assert answer.status_code == 400
    assert b"was cut" in answer.content
    assert RawSpan.objects.count() == 0


def test_chunks_that_are_damaged_are_refused() -> None:
    _, text = make_key()
    headers = {"Authorization": f"Bearer {text}", "Transfer-Encoding": "chunked"}
    given = {"wsgi.input": Damaged(), "wsgi.input_terminated": True, "CONTENT_LENGTH": ""}
    answer = Client().generic("POST", "/v1/traces", b"", JSON, headers=headers, **given)
    assert answer.status_code == 400
    assert answer.json()["message"] == "The body was cut, or its chunks are damaged."


class Damaged(BytesIO):
    """What servers do when the size of a chunk cannot be read: gunicorn's error is of no kind."""

    def read(self, size: int | None = -1, /) -> bytes:
        raise InvalidChunkSize(b"zz")
