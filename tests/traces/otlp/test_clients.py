"""Real clients send to the real door: SDKs and instrumentations as people use them."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

import openai
import pytest
from django.utils import timezone
from openinference.instrumentation.openai import OpenAIInstrumentor as OpenInference
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.instrumentation.genai.openai import OpenAIInstrumentor as GenAi
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import SimpleLogRecordProcessor
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor
from opentelemetry.trace import Status, StatusCode

from tests.traces.otlp.spans import TRACE, make_key
from traces.models import Part, RawSpan, Receipt, Run, Step
from traces.otlp import assembling

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.database,
    # Not ours: what the SDKs themselves have outgrown.
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]
ANSWER = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1_795_971_632,
    "model": "model-1-2026",
    "choices": [
        {
            "index": 0,
            "finish_reason": "tool_calls",
            "message": {
                "role": "assistant",
                "content": "Looking it up.",
                "tool_calls": [
                    {
                        "id": "c1",
                        "type": "function",
                        "function": {"name": "find_order", "arguments": '{"id": "A-7"}'},
                    }
                ],
            },
        }
    ],
    "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
}


class Model(BaseHTTPRequestHandler):
    """A model that always says the same."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        body = json.dumps(ANSWER).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: Any) -> None:
        """Nobody reads it."""


@pytest.fixture
def model() -> Iterator[str]:
    """The address of a scripted model server on loopback."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    thread.join()
    server.server_close()


def exporter(live_server: Any, key: str, **given: Any) -> OTLPSpanExporter:
    return OTLPSpanExporter(
        endpoint=f"{live_server.url}/v1/traces",
        headers={"Authorization": f"Bearer {key}"},
        timeout=10,
        **given,
    )


def provider(live_server: Any, key: str, *, simple: bool = True) -> TracerProvider:
    made = TracerProvider(resource=Resource.create({"service.name": "helpdesk"}))
    to = exporter(live_server, key, compression=Compression.Gzip)
    made.add_span_processor(SimpleSpanProcessor(to) if simple else BatchSpanProcessor(to))
    return made


def assemble() -> list[Run]:
    assembling.assemble(at=timezone.now() + timedelta(seconds=6))
    assert RawSpan.objects.count() == 0
    return list(Run.objects.order_by("received_at", "external_id"))


def ask(model: str) -> None:
    client = openai.OpenAI(base_url=model, api_key="not needed", max_retries=0)
    client.chat.completions.create(
        model="model-1", messages=[{"role": "user", "content": "Where is order A-7?"}]
    )
    client.close()


def test_a_wrong_key_is_told_to_the_sdk(live_server: Any) -> None:
    tracing = TracerProvider()
    spans: list[Any] = []
    with tracing.get_tracer("tests").start_as_current_span("root") as span:
        spans.append(span)
    result = exporter(live_server, "inq_wrong").export(spans)
    assert result.name == "FAILURE"
    assert RawSpan.objects.count() == 0


def test_the_python_sdk_in_protobuf_with_gzip(live_server: Any) -> None:
    _, key = make_key()
    tracing = provider(live_server, key, simple=False)
    tracer = tracing.get_tracer("tests")
    with tracer.start_as_current_span("invoke_agent planner") as root:
        root.set_attribute("gen_ai.operation.name", "invoke_agent")
        root.set_attribute("gen_ai.agent.name", "planner")
        for number in range(3):
            with tracer.start_as_current_span("execute_tool search") as span:
                span.set_attribute("gen_ai.operation.name", "execute_tool")
                span.set_attribute("gen_ai.tool.name", "search")
                span.set_attribute("gen_ai.tool.call.id", f"c{number}")
                span.set_status(Status(StatusCode.ERROR, "no such order"))
                span.record_exception(KeyError("A-7"))
    trace_id = f"{root.get_span_context().trace_id:032x}"
    assert tracing.force_flush()
    tracing.shutdown()
    assert Receipt.objects.get().accepted == 4
    contents = [json.loads(bytes(each.content)) for each in RawSpan.objects.order_by("pk")]
    assert [each["name"] for each in contents].count("execute_tool search") == 3
    assert {each["traceId"] for each in contents} == {trace_id}
    assert contents[0]["status"] == {"code": 2, "message": "no such order"}
    assert contents[0]["events"][0]["name"] == "exception"
    (run,) = assemble()
    assert run.external_id == trace_id
    assert Step.objects.filter(run=run, kind="tool").count() == 3


def test_json_as_the_javascript_exporter_writes_it(live_server: Any) -> None:
    """Integers of attributes as numbers, times as strings, no status code where it is unset."""
    _, key = make_key()
    span = {
        "traceId": TRACE.hex(),
        "spanId": "eee19b7ec3c1b174",
        "name": "ai.generateText.doGenerate",
        "kind": 1,
        "startTimeUnixNano": "1795971632499813000",
        "endTimeUnixNano": "1795971632885688000",
        "attributes": [
            {"key": "ai.operationId", "value": {"stringValue": "ai.generateText.doGenerate"}},
            {"key": "ai.response.text", "value": {"stringValue": "On its way."}},
            {"key": "ai.usage.promptTokens", "value": {"intValue": 9_007_199_254_740_993}},
        ],
        "droppedAttributesCount": 0,
        "events": [],
        "droppedEventsCount": 0,
        "status": {"code": 0},
        "links": [],
        "droppedLinksCount": 0,
    }
    scope = {"scope": {"name": "ai"}, "spans": [span, {**span, "spanId": "none"}]}
    body = {"resourceSpans": [{"resource": {"attributes": []}, "scopeSpans": [scope]}]}
    address = urlsplit(live_server.url)
    client = http.client.HTTPConnection(str(address.hostname), address.port, timeout=10)
    headers = {"Content-Type": "application/json", "x-api-key": key}
    client.request("POST", "/v1/traces", json.dumps(body), headers)
    answer = client.getresponse()
    said = json.loads(answer.read())
    client.close()
    assert answer.status == 200
    assert said["partialSuccess"]["rejectedSpans"] == "1"
    content = json.loads(bytes(RawSpan.objects.get().content))
    assert content["attributes"][2]["value"] == {"intValue": "9007199254740993"}
    (run,) = assemble()
    assert run.external_id == TRACE.hex()


def test_openinference_with_the_openai_client(live_server: Any, model: str) -> None:
    _, key = make_key()
    tracing = provider(live_server, key)
    instrumentor = OpenInference()
    instrumentor.instrument(tracer_provider=tracing)
    try:
        ask(model)
    finally:
        instrumentor.uninstrument()
    tracing.shutdown()
    (run,) = assemble()
    texts = " ".join(Part.objects.filter(run=run).values_list("text", flat=True))
    assert "Looking it up." in texts
    assert Part.objects.filter(run=run, text__contains="Where is order A-7?").exists()
    (request,) = Part.objects.filter(run=run, kind="tool_request")
    assert "A-7" in json.dumps(request.data) + request.text


@pytest.mark.parametrize("where", ["SPAN_ONLY", "EVENT_ONLY"])
def test_the_genai_instrumentation_with_its_content_in_spans_or_in_log_events(
    where: str, live_server: Any, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Events go to /v1/logs, and join their span by the ids of both."""
    monkeypatch.setenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", where)
    _, key = make_key()
    tracing, logging = provider(live_server, key), LoggerProvider()
    to = OTLPLogExporter(
        endpoint=f"{live_server.url}/v1/logs", headers={"Authorization": f"Bearer {key}"}
    )
    logging.add_log_record_processor(SimpleLogRecordProcessor(to))
    instrumentor = GenAi()
    instrumentor.instrument(tracer_provider=tracing, logger_provider=logging)
    try:
        ask(model)
    finally:
        instrumentor.uninstrument()
    tracing.shutdown()
    logging.shutdown()
    signals = list(RawSpan.objects.values_list("signal", flat=True))
    assert signals.count("span") == 1
    assert signals.count("log") == (1 if where == "EVENT_ONLY" else 0)
    assert len({bytes(each.span_id) for each in RawSpan.objects.all()}) == 1
    (run,) = assemble()
    texts = " ".join(Part.objects.filter(run=run).values_list("text", flat=True))
    assert "Where is order A-7?" in texts
    assert "Looking it up." in texts
    assert Part.objects.filter(run=run, kind="tool_request").count() == 1
