"""OTLP requests, made up in memory: traces of an agent that asks a model and calls its tools.

A span is about 1.9 kB of protobuf: messages as JSON in attributes, as the GenAI conventions and
their instrumentations write them.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any

import orjson
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from traces.bench.documents import text

# Spans of a trace, and of a request.
TRACE, BATCH = 40, 512
BEGUN = 1_795_971_600_000_000_000
SECOND = 1_000_000_000
CLIENT, INTERNAL = Span.SPAN_KIND_CLIENT, Span.SPAN_KIND_INTERNAL


def bodies(spans: int, *, batch: int = BATCH, name: str = "bench") -> Iterator[bytes]:
    """Requests of so many spans in all. The same numbers and name give the same bytes."""
    request, scope = empty()
    for number in range(spans):
        put(scope.add(), name, *divmod(number, TRACE))
        if len(scope) == batch:
            yield request.SerializeToString()
            request, scope = empty()
    if scope:
        yield request.SerializeToString()


def empty() -> tuple[ExportTraceServiceRequest, Any]:
    request = ExportTraceServiceRequest()
    resource = request.resource_spans.add()
    for key, value in (("service.name", "booking"), ("telemetry.sdk.language", "python")):
        resource.resource.attributes.add(key=key).value.string_value = value
    scope = resource.scope_spans.add()
    scope.scope.name, scope.scope.version = "inquest.bench", "1"
    return request, scope.spans


def put(span: Span, name: str, trace: int, number: int) -> None:
    """The root, and below it by turns a question to the model and a call of a tool."""
    chance = random.Random(f"{name} {trace} {number}")  # noqa: S311
    span.trace_id = sha256(f"{name} {trace}".encode()).digest()[:16]
    span.span_id = id_of(name, trace, number)
    span.start_time_unix_nano = BEGUN + (trace * TRACE + number) * SECOND
    span.end_time_unix_nano = span.start_time_unix_nano + SECOND // 2
    if number == 0:
        span.end_time_unix_nano += TRACE * SECOND
        root(span, chance)
        return
    span.parent_span_id = id_of(name, trace, 0)
    (chat if number % 2 else tool)(span, number, chance)


def id_of(name: str, trace: int, number: int) -> bytes:
    return sha256(f"{name} {trace} {number}".encode()).digest()[-8:]


def root(span: Span, chance: random.Random) -> None:
    span.name, span.kind = "invoke_agent planner", INTERNAL
    given(span, "gen_ai.operation.name", "invoke_agent")
    given(span, "gen_ai.agent.name", "planner")
    given(span, "gen_ai.input.messages", messages("user", said(text(chance, 1_200))))


def chat(span: Span, number: int, chance: random.Random) -> None:
    span.name, span.kind = "chat model-1", CLIENT
    given(span, "gen_ai.operation.name", "chat")
    given(span, "gen_ai.provider.name", "openai")
    given(span, "gen_ai.request.model", "model-1")
    given(span, "gen_ai.response.model", "model-1-2026")
    given(span, "gen_ai.response.id", f"response-{chance.getrandbits(64):x}")
    given(span, "gen_ai.input.messages", messages("user", said(text(chance, 850))))
    call = {
        "type": "tool_call",
        "id": f"call-{number + 1}",
        "name": "search",
        "arguments": {"query": text(chance, 80), "limit": 50},
    }
    given(span, "gen_ai.output.messages", messages("assistant", said(text(chance, 250)), call))
    for key in ("input", "output"):
        tokens = chance.randrange(2_000)
        span.attributes.add(key=f"gen_ai.usage.{key}_tokens").value.int_value = tokens
    reasons = span.attributes.add(key="gen_ai.response.finish_reasons").value.array_value
    reasons.values.add().string_value = "tool_call"


def tool(span: Span, number: int, chance: random.Random) -> None:
    span.name, span.kind = "execute_tool search", INTERNAL
    given(span, "gen_ai.operation.name", "execute_tool")
    given(span, "gen_ai.tool.name", "search")
    given(span, "gen_ai.tool.type", "function")
    given(span, "gen_ai.tool.call.id", f"call-{number}")
    arguments = {"query": text(chance, 80), "limit": 50}
    given(span, "gen_ai.tool.call.arguments", orjson.dumps(arguments).decode())
    given(span, "gen_ai.tool.call.result", text(chance, 1_600))


def given(span: Span, key: str, value: str) -> None:
    span.attributes.add(key=key).value.string_value = value


def said(content: str) -> dict[str, object]:
    return {"type": "text", "content": content}


def messages(role: str, *parts: Mapping[str, object]) -> str:
    return orjson.dumps([{"role": role, "parts": parts}]).decode()
