"""OTLP JSON for tests, as the SDKs' exporters write it."""

from __future__ import annotations

import json
from typing import Any

from traces.formats import otlp
from traces.formats.base import Document, Reading, Record
from traces.transcript import Link, Step, Transcript

TRACE = "5b8efff798038103d269b633813fc60c"
START = 1_772_359_200_000_000_000
MILLISECOND = 1_000_000


def value(given: Any) -> dict[str, Any]:
    if isinstance(given, bool):
        return {"boolValue": given}
    if isinstance(given, int):
        return {"intValue": str(given)}
    if isinstance(given, float):
        return {"doubleValue": given}
    if isinstance(given, list):
        return {"arrayValue": {"values": [value(each) for each in given]}}
    if isinstance(given, dict):
        return {"kvlistValue": {"values": attributes(given)}}
    return {"stringValue": given}


def attributes(given: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"key": key, "value": value(each)} for key, each in given.items()]


def span_id(number: int) -> str:
    return f"{number:016x}"


def span(number: int, *, parent: int = 0, at: int = 0, to: int = 0, **more: Any) -> dict[str, Any]:
    """A span with this number as its id, from one millisecond to another."""
    given = {key.replace("__", "."): each for key, each in more.pop("say", {}).items()}
    return {
        "traceId": TRACE,
        "spanId": span_id(number),
        "parentSpanId": span_id(parent) if parent else "",
        "name": more.pop("name", "span"),
        "kind": 1,
        "startTimeUnixNano": str(START + at * MILLISECOND),
        "endTimeUnixNano": str(START + (to or at + 1) * MILLISECOND),
        "attributes": attributes(given),
        "status": {},
        **more,
    }


def agent(number: int, name: str, **more: Any) -> dict[str, Any]:
    say = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": name}
    return span(number, name=f"invoke_agent {name}", say=say | more.pop("say", {}), **more)


def chat(number: int, *, heard: Any = None, said: Any = None, **more: Any) -> dict[str, Any]:
    """A model call. `heard` and `said` are messages of the GenAI conventions."""
    say = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m-1"}
    if heard is not None:
        say["gen_ai.input.messages"] = json.dumps(heard)
    if said is not None:
        say["gen_ai.output.messages"] = json.dumps(said)
    return span(number, name="chat m-1", say=say | more.pop("say", {}), **more)


def tool(number: int, name: str, **more: Any) -> dict[str, Any]:
    say = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name}
    return span(number, name=f"execute_tool {name}", say=say | more.pop("say", {}), **more)


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "parts": [{"type": "text", "content": text}]}


def model(text: str, *calls: tuple[str, str, Any]) -> dict[str, Any]:
    parts: list[dict[str, Any]] = [{"type": "text", "content": text}] if text else []
    for call, name, arguments in calls:
        parts.append({"type": "tool_call", "id": call, "name": name, "arguments": arguments})
    return {"role": "assistant", "parts": parts}


def answer(call: str, text: str) -> dict[str, Any]:
    return {
        "role": "tool",
        "parts": [{"type": "tool_call_response", "id": call, "response": text}],
    }


def failed(text: str, kind: str = "LookupError") -> dict[str, Any]:
    """The status and the exception of a span that failed."""
    given = {"exception.type": kind, "exception.message": text}
    events = [{"name": "exception", "timeUnixNano": "0", "attributes": attributes(given)}]
    return {"status": {"code": 2, "message": text}, "events": events}


def request(*spans: Any, scope: str = "desk", service: str = "desk") -> dict[str, Any]:
    resource = {"attributes": attributes({"service.name": service})}
    scopes = [{"scope": {"name": scope, "version": "1"}, "spans": list(spans)}]
    return {"resourceSpans": [{"resource": resource, "scopeSpans": scopes}]}


def read(*requests: Any) -> Reading:
    lines = len(requests) > 1
    records = [
        Record(each, f"line {n}" if lines else "") for n, each in enumerate(requests, start=1)
    ]
    return otlp.FORMAT.read(Document(b"", tuple(records), lines=lines))


def run(*spans: Any, **more: Any) -> Transcript:
    """The one run that these spans are."""
    (only,) = read(request(*spans, **more)).runs
    return only.transcript


def step(transcript: Transcript, number: int) -> Step:
    """The step of the span with this number."""
    return next(each for each in transcript.steps if each.source_id == span_id(number))


def links(transcript: Transcript) -> set[tuple[str, str, str]]:
    """Recorded links, by the ids of their steps."""
    return {told(transcript, link) for link in transcript.links if link.recorded}


def guesses(transcript: Transcript) -> set[tuple[str, str, str]]:
    return {told(transcript, link) for link in transcript.links if not link.recorded}


def told(transcript: Transcript, link: Link) -> tuple[str, str, str]:
    ends = (transcript.steps[link.source].source_id, transcript.steps[link.target].source_id)
    return (*(each.lstrip("0") if len(each) == 16 else each for each in ends), link.kind.value)


def gaps(transcript: Transcript) -> list[str]:
    return [gap.kind for gap in transcript.gaps]
