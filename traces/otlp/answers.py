"""Answers of the OTLP door, in the encoding of the request."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceResponse,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

from traces.formats.base import Refusal
from traces.otlp.batches import LOG, SPAN
from traces.otlp.decoding import METRICS, Encoding

# Refused places that an answer names; the receipt has more of them.
MOST_NAMED = 20
REJECTED = {
    SPAN: ("rejectedSpans", "rejected_spans"),
    LOG: ("rejectedLogRecords", "rejected_log_records"),
    METRICS: ("rejectedDataPoints", "rejected_data_points"),
}
RESPONSES: dict[str, Any] = {
    SPAN: ExportTraceServiceResponse,
    LOG: ExportLogsServiceResponse,
    METRICS: ExportMetricsServiceResponse,
}
# Numbers of google.rpc.Code.
CODES = {400: 3, 401: 16, 403: 7, 405: 12, 411: 3, 413: 8, 415: 3, 429: 8, 503: 14}


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    encoding: Encoding
    content: bytes
    retry_after: int = 0


def accepted(encoding: Encoding, signal: str, rejected: int = 0, message: str = "") -> Answer:
    """200, with how many were refused and why if any were, or a word of warning."""
    camel, snake = REJECTED[signal]
    if encoding is Encoding.JSON:
        # An integer of 64 bits is a string in OTLP JSON.
        partial = {camel: str(rejected), "errorMessage": message}
        content = json.dumps({"partialSuccess": partial} if message else {}).encode()
        return Answer(200, encoding, content)
    response = RESPONSES[signal]()
    if message:
        setattr(response.partial_success, snake, rejected)
        response.partial_success.error_message = message
    return Answer(200, encoding, response.SerializeToString())


def refused(encoding: Encoding, status: int, message: str, *, retry_after: int = 0) -> Answer:
    """An error as google.rpc.Status, of which a code and a message are the first two fields."""
    code = CODES[status]
    if encoding is Encoding.JSON:
        content = json.dumps({"code": code, "message": message}).encode()
    else:
        text = message.encode()
        content = bytes((0x08, code, 0x12)) + varint(len(text)) + text
    return Answer(status, encoding, content, retry_after)


def varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes((*out, number))


def sentence(refusals: Sequence[Refusal]) -> str:
    """Which places were refused, and why."""
    named = [f"{each.position}: {each.reason}" for each in refusals[:MOST_NAMED]]
    more = len(refusals) - len(named)
    return " ".join([*named, *([f"And {more} more; the receipt names them."] if more else [])])
