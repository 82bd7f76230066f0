"""Requests of the OTLP door for tests: a small story in protobuf and in JSON, and who sends it."""

from __future__ import annotations

import json
from typing import Any

from django.http import HttpResponse
from django.test import Client
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.factories import AT, make_project, make_user
from traces import keys
from traces.models import Project

TRACE, ROOT, CHILD = bytes(range(16)), bytes(range(8)), bytes(range(8, 16))
BEGUN = 1_795_971_632_499_813_001
PROTOBUF, JSON = "application/x-protobuf", "application/json"


def make_key(project: Project | None = None, *scopes: str) -> tuple[Project, str]:
    project = project or make_project()
    _, text = keys.create(
        project=project, name="exporter", scopes=scopes or ["ingest"], by=make_user("lena"), at=AT
    )
    return project, text


def request_of(
    *names: str, trace_id: bytes = TRACE, ended: bool = True, text: str = "Where is A-7?"
) -> ExportTraceServiceRequest:
    """A trace: a root, and a child for each further name. `text` is an attribute of all."""
    request = ExportTraceServiceRequest()
    resource = request.resource_spans.add()
    resource.resource.attributes.add(key="service.name").value.string_value = "helpdesk"
    scope = resource.scope_spans.add()
    scope.scope.name = "tests"
    for number, name in enumerate(names or ("invoke_agent",)):
        span = scope.spans.add(
            trace_id=trace_id,
            span_id=bytes((1, *trace_id[:6], number)),
            parent_span_id=bytes((1, *trace_id[:6], 0)) if number else b"",
            name=name,
            start_time_unix_nano=BEGUN + number,
            end_time_unix_nano=BEGUN + 1_000 + number if ended or number else 0,
        )
        span.attributes.add(key="input.value").value.string_value = text
    return request


def span(**fields: Any) -> dict[str, Any]:
    """A span of OTLP JSON."""
    return {
        "traceId": TRACE.hex(),
        "spanId": CHILD.hex(),
        "name": "chat",
        "kind": 3,
        "startTimeUnixNano": str(BEGUN),
        "endTimeUnixNano": str(BEGUN + 5),
        "attributes": [],
        **fields,
    }


def json_of(*spans: Any) -> bytes:
    scope = {"scope": {"name": "tests"}, "spans": spans}
    return json.dumps({"resourceSpans": [{"resource": {}, "scopeSpans": [scope]}]}).encode()


def post(
    key: str, body: bytes, content_type: str = PROTOBUF, *, path: str = "/v1/traces", **headers: str
) -> HttpResponse:
    given = {"Authorization": f"Bearer {key}", **headers}
    answer: HttpResponse = Client().generic(
        "POST", path, body, content_type, headers=given, CONTENT_LENGTH=str(len(body))
    )
    return answer
