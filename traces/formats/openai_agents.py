"""Reads traces of the OpenAI Agents SDK: batches of its exporter, and logs of a processor.

Children come first, and a span twice if its start was logged too. What a model said is in
`generation` spans only: a `response` span has but the id of what the vendor keeps.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from traces.formats.base import Document, Json, ParsedRun, Reading, Refusal, Sample
from traces.formats.records import loose
from traces.formats.records.loose import Object
from traces.formats.records.times import nanoseconds_of
from traces.formats.spans.json_text import opened
from traces.formats.spans.runs import read_run
from traces.formats.spans.span import Facts, Role, Span
from traces.formats.steps.building import Builder
from traces.transcript import Fate, Gap, Transcript

OBJECTS = ("trace", "trace.span")
UNSAYABLE = dict.fromkeys(("reports", "steps/retry", "steps/status/reason"), "not_in_schema")
# What of a span's data is read; the rest of its fields nothing here holds.
HELD = frozenset(
    {"type", "name", "input", "output", "model", "model_config", "from_agent", "to_agent", "error"}
    | {"response_id", "usage", "triggered", "data", "handoffs", "tools", "output_type", "mcp_data"}
    | {"_input", "_response"}
)


class OpenAIAgents:
    name = "openai_agents"
    version = "1"

    def recognise(self, sample: Sample) -> str | None:
        for item in sample.objects:
            inside = next(iter(loose.objects(item.get("data"))), loose.mapping(item.get("data")))
            for each in (item, inside):
                if each.get("object") in OBJECTS and ("span_data" in each or "id" in each):
                    return f'key object is "{each["object"]}"'
        return None

    def read(self, document: Document) -> Reading:
        found = Found()
        for pointer, value in loose.placed(document):
            found.take(value, pointer)
        gaps = loose.reading_gaps(document)
        runs = [
            ParsedRun(group.transcript(trace, gaps), f"trace {trace}")
            for trace, group in found.traces.items()
        ]
        return Reading(tuple(runs), tuple(found.refusals))


FORMAT = OpenAIAgents()


@dataclass(slots=True)
class Group:
    """One trace: what is said of it, and its spans in the order they came."""

    about: dict[str, Json] = field(default_factory=dict)
    places: list[str] = field(default_factory=list)
    spans: dict[str, list[Span]] = field(default_factory=lambda: defaultdict(list))

    def add(self, value: Object, place: str) -> None:
        """Add a span. One that has ended stands for its start, which knew less of it."""
        span = span_of(value, place)
        for known in self.spans[span.id]:
            if known.end_ns is None or span.end_ns is None:
                ended = span if known.end_ns is None else known
                known.end_ns, known.status, known.message = (
                    ended.end_ns, ended.status, ended.message
                )  # fmt: skip
                known.attributes = ended.attributes
                known.also_from.append(place)
                return
        self.spans[span.id].append(span)

    def transcript(self, trace: str, gaps: tuple[Gap, ...]) -> Transcript:
        builder = Builder()
        for place in self.places:
            builder.record(place, Fate.CONTEXT, "trace")
        about = self.about
        system = {"name": about.get("workflow_name"), "conversation": about.get("group_id")}
        header = Transcript(trace, "openai-agents", (), (), schema="openai-agents")
        header = replace(
            header,
            gaps=gaps,
            task_id=loose.text(loose.mapping(about.get("metadata")).get("task_id")),
            system={name: value for name, value in system.items() if value},
            capture=UNSAYABLE,
        )
        return read_run(
            [span for each in self.spans.values() for span in each], facts, header, builder
        )


@dataclass(slots=True)
class Found:
    """What a document holds, by trace."""

    traces: defaultdict[str, Group] = field(default_factory=lambda: defaultdict(Group))
    refusals: list[Refusal] = field(default_factory=list)

    def take(self, value: Json, place: str) -> None:
        for where, each in entries(value, place):
            given = loose.mapping(each)
            trace = loose.text(given.get("trace_id"))
            if given.get("object") == "trace" and (name := loose.text(given.get("id"))):
                known = self.traces[name]
                known.about.update({key: each for key, each in given.items() if each})
                known.places.append(where)
            elif given.get("object") == "trace.span" and trace and loose.text(given.get("id")):
                self.traces[trace].add(given, where)
            else:
                self.refusals.append(
                    Refusal(where or "/", "This is no trace and no span with an id.")
                )


def entries(value: Json, place: str) -> Iterator[tuple[str, Json]]:
    """The objects of a batch, or the one object of an event or line."""
    inside = value.get("data") if isinstance(value, Mapping) and "object" not in value else None
    if isinstance(inside, list):
        for index, each in enumerate(inside):
            yield f"{place}/data/{index}", each
    elif isinstance(inside, Mapping):
        yield place, inside
    else:
        yield place, value


def span_of(value: Object, place: str) -> Span:
    error = value.get("error")
    data = dict(loose.mapping(value.get("span_data")))
    return Span(
        trace=loose.text(value.get("trace_id")),
        id=loose.text(value.get("id")),
        parent=loose.text(value.get("parent_id")),
        name=loose.text(data.get("name")) or loose.text(data.get("type")),
        start_ns=nanoseconds_of(value.get("started_at")),
        end_ns=nanoseconds_of(value.get("ended_at")),
        attributes=data | ({"error": error} if error else {}),
        status="error" if error else "",
        message=loose.text(loose.at(error, "message")),
        pointer=place,
    )


def facts(span: Span) -> Facts:
    given = span.attributes
    kind = loose.text(given.get("type"))
    found = Facts(label=span.name, unread=[name for name in given if name not in HELD])
    if kind == "agent":
        found.role, found.agent = Role.AGENT, span.name
        found.configuration = {"tools": given["tools"]} if given.get("tools") else {}
    elif kind in ("generation", "response"):
        model_call(found, given)
    elif kind == "function":
        tool_call(found, given)
    elif kind == "handoff":
        found.role = Role.HANDOFF
        found.agent, found.to = (loose.text(given.get(each)) for each in ("from_agent", "to_agent"))
        found.tool = "handoff"
    elif kind == "guardrail":
        found.role, found.tool = Role.CHECK, span.name
        found.verdict = "failed" if given.get("triggered") is True else "passed"
    return found


def model_call(found: Facts, given: Object) -> None:
    found.role = Role.MODEL
    found.model = loose.text(given.get("model"))
    found.parameters = loose.mapping(given.get("model_config"))
    found.prompt, found.reply = given.get("input"), given.get("output")
    if found.prompt is None and found.reply is None:
        # The JavaScript SDK keeps what it does not export under names of its own.
        found.prompt, found.reply = given.get("_input"), given.get("_response")
    found.response_id = loose.text(given.get("response_id"))


def tool_call(found: Facts, given: Object) -> None:
    found.role = Role.TOOL
    found.tool = loose.text(given.get("name"))
    found.arguments = opened(given.get("input"))
    output = given.get("output")
    found.result = None if output is None else loose.shown(output)
    error = loose.mapping(given.get("error"))
    if error:
        said = loose.shown(loose.at(error, "data", "error")) or loose.text(error.get("message"))
        found.failed, found.error = True, said
