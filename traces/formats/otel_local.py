"""Reads runs of the AgentRx replication: spans under `otel-json-local-v0`, with a planted fault.

The expected answer and the fault stand among the attributes and events of the spans; they are
withheld, for they are what a reviewer is asked to find.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from traces.completeness import listed
from traces.formats.base import Document, Json, ParsedRun, Reading, Refusal, Sample, Unreadable
from traces.formats.records import loose
from traces.formats.records.loose import Object
from traces.formats.spans.runs import read_run
from traces.formats.spans.span import Event, Facts, Role, Span
from traces.formats.steps.building import Builder
from traces.transcript import Gap, Report, Transcript

SCHEMA = "otel-json-local-"
OPEN = frozenset({"schema", "run_id", "task_id", "task", "spans", "status", "created_at_unix_ms"})
SECRETS = frozenset({"task.expected_result"})
PLANTED = "fault.injected"
STATUSES = {"OK": "ok", "ERROR": "error"}
READ = frozenset(
    {"agent.output_message", "gen_ai.agent.name", "gen_ai.request.model"}
    | {"tool.name", "tool.args_json", "tool.result_json", "error.type", "error.message"}
    | {"experiment.operation_type", "experiment.step_index", "task.id", "task.input"}
)


class OtelLocal:
    name = "otel_local"
    version = "1"

    def recognise(self, sample: Sample) -> str | None:
        for item in sample.objects:
            if loose.text(item.get("schema")).startswith(SCHEMA) and "spans" in item:
                return f"schema {SCHEMA}… and spans"
        return None

    def read(self, document: Document) -> Reading:
        runs, refusals = [], []
        for pointer, value, gaps in document.values():
            given = loose.mapping(value)
            spans = [
                span(each, f"/spans/{index}")
                for index, each in enumerate(loose.items(given.get("spans")))
                if isinstance(each, Mapping) and loose.name(each.get("span_id"))
            ]
            if spans:
                runs.append(ParsedRun(run(given, spans, gaps), pointer))
            else:
                refusals.append(Refusal(pointer or "/", "There are no spans here."))
        if not runs:
            raise Unreadable("There are no spans here.")
        return Reading(tuple(runs), tuple(refusals))


FORMAT = OtelLocal()


def span(value: Object, pointer: str) -> Span:
    attributes = loose.mapping(value.get("attributes"))
    status = loose.mapping(value.get("status"))
    return Span(
        trace=loose.name(value.get("trace_id")),
        id=loose.name(value["span_id"]),
        parent=loose.name(value.get("parent_span_id")),
        name=loose.text(value.get("name")),
        start_ns=loose.number(value.get("start_time_unix_ns")),
        end_ns=loose.number(value.get("end_time_unix_ns")),
        attributes={key: each for key, each in attributes.items() if key not in SECRETS},
        events=[event(each) for each in happened(value) if each.get("name") != PLANTED],
        status=STATUSES.get(loose.text(status.get("status_code")), ""),
        message=loose.text(status.get("description")),
        pointer=pointer,
    )


def happened(value: Object) -> list[Object]:
    return loose.objects(value.get("events"))


def event(value: Object) -> Event:
    at = loose.number(value.get("timestamp_unix_ns"))
    return Event(loose.text(value.get("name")), at, loose.mapping(value.get("attributes")))


def facts_of(one: Span) -> Facts:
    """The root only holds the others; a span with a tool's result is its call.

    What an agent is sent is what the one before it said: it is no step, for labels count spans.
    """
    given = one.attributes
    agent = loose.text(given.get("gen_ai.agent.name"))
    told: dict[str, Any] = {
        "agent": agent,
        "unread": [name for name in given if name not in READ],
        "task": loose.text(given.get("task.input")),
    }
    if "tool.result_json" in given:
        error = loose.text(given.get("error.message"))
        return Facts(
            role=Role.TOOL,
            tool=loose.text(given.get("tool.name")) or one.name,
            arguments=given.get("tool.args_json"),
            result=loose.shown(given["tool.result_json"]),
            error=error or None,
            error_type=loose.text(given.get("error.type")),
            failed=True if one.status == "error" else None,
            **told,
        )
    if not agent:
        return Facts(role=Role.CONTAINER, label=one.name, **told)
    return Facts(
        role=Role.MODEL,
        model=loose.text(given.get("gen_ai.request.model")),
        reply=[{"role": "assistant", "content": loose.shown(given.get("agent.output_message"))}],
        **told,
    )


def run(value: Object, spans: list[Span], gaps: tuple[Gap, ...]) -> Transcript:
    builder = Builder()
    lost = [
        f"/spans/{index}"
        for index, each in enumerate(loose.items(value.get("spans")))
        if not (isinstance(each, Mapping) and loose.name(each.get("span_id")))
    ]
    if lost:
        builder.gap("undecodable_step", f"Entries that are no spans: {listed(lost)}.")
    if status := loose.text(value.get("status")):
        builder.report(Report(status.lower(), by="harness"))
    header = Transcript(
        external_id=loose.name(value.get("run_id")) or spans[0].trace,
        source="AgentRx-replication",
        schema="otel_local",
        actors=(),
        steps=(),
        gaps=gaps,
        task_id=loose.name(value.get("task_id")),
        task_text=loose.text(value.get("task")),
        withheld=hidden(value),
    )
    return read_run(spans, facts_of, header, builder)


def hidden(value: Object) -> dict[str, Json]:
    """What tells the answer: beside the spans, in their attributes, in their events."""
    kept = {name: each for name, each in value.items() if name not in OPEN}
    spans = loose.objects(value.get("spans"))
    planted = [each for one in spans for each in happened(one) if each.get("name") == PLANTED]
    expected = [loose.at(one, "attributes", "task.expected_result") for one in spans]
    told = list(dict.fromkeys(loose.shown(each) for each in expected if each))
    return kept | ({"planted": planted} if planted else {}) | ({"expected": told} if told else {})
