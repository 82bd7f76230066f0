"""Reads LangSmith: rows of runs as its SDK and exports give them, and the batches of its clients.

`dotted_order` names all ancestors of a run, so that its place is known even when they never
came. A run comes twice, when it begins and when it ends. Feedback is judgement.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from traces.formats.base import Document, Json, ParsedRun, Reading, Refusal, Sample
from traces.formats.chat.message import Message
from traces.formats.records import loose
from traces.formats.records.loose import Object
from traces.formats.records.times import nanoseconds_of
from traces.formats.spans.runs import read_run
from traces.formats.spans.span import Facts, Role, Span
from traces.formats.steps.building import SENT_AGAIN, Builder
from traces.transcript import Fate, Gap, LinkKind, Opinion, Part, PartKind, Report, Transcript

ROLES = {
    "llm": Role.MODEL,
    "tool": Role.TOOL,
    "retriever": Role.TOOL,
    "chain": Role.CONTAINER,
    "prompt": Role.CONTAINER,
    "parser": Role.CONTAINER,
    "embedding": Role.CONTAINER,
}
# A moment and a run's id, which has hyphens.
SEGMENT = re.compile(r"Z?([0-9a-fA-F-]{36})\Z")
HELD = frozenset(
    {"id", "name", "run_type", "inputs", "outputs", "error", "start_time", "end_time", "trace_id"}
    | {"parent_run_id", "dotted_order", "extra", "tags", "events", "session_name", "session_id"}
    | {"status", "reference_example_id", "serialized", "child_runs", "feedback", "feedback_stats"}
)


class LangSmith:
    name = "langsmith"
    version = "1"

    def recognise(self, sample: Sample) -> str | None:
        for item in sample.objects:
            if "run_type" in item and ("trace_id" in item or "dotted_order" in item):
                return "keys run_type and trace_id"
            if isinstance(item.get("post"), list) and isinstance(item.get("patch"), list):
                return "lists post and patch"
            if any("run_type" in each for each in loose.objects(item.get("runs"))[:1]):
                return "key runs, a list of objects with a run_type"
        return None

    def read(self, document: Document) -> Reading:
        found = Found()
        for pointer, value in loose.placed(document):
            found.take(value, pointer)
        gaps = loose.reading_gaps(document)
        runs = [
            ParsedRun(transcript(trace, rows, gaps), f"trace {trace}")
            for trace, rows in found.by_trace().items()
        ]
        return Reading(tuple(runs), tuple(found.refusals))


FORMAT = LangSmith()


@dataclass(slots=True)
class Row:
    """A run of LangSmith's, which is a span here, with all that came of it."""

    value: dict[str, Json]
    places: list[str]

    @property
    def metadata(self) -> Object:
        return loose.mapping(loose.at(self.value, "extra", "metadata"))


@dataclass(slots=True)
class Found:
    """What a document holds. Rows of one id complete each other, the later ones first."""

    rows: dict[str, Row] = field(default_factory=dict)
    refusals: list[Refusal] = field(default_factory=list)

    def take(self, value: Json, place: str) -> None:
        given = loose.mapping(value)
        lists = [name for name in ("post", "patch", "runs") if isinstance(given.get(name), list)]
        for name in lists:
            for index, each in enumerate(loose.items(given[name])):
                self.row(loose.mapping(each), f"{place}/{name}/{index}")
        if not lists:
            self.row(given, place)

    def row(self, value: Object, place: str) -> None:
        name = loose.text(value.get("id")) or last_of(value.get("dotted_order"))
        if not name:
            self.refusals.append(Refusal(place or "/", "This is no run: it has no id."))
            return
        known = self.rows.setdefault(name, Row({"id": name}, []))
        known.value |= {key: each for key, each in value.items() if each not in (None, {}, [])}
        known.places.append(place)
        for index, child in enumerate(loose.items(value.get("child_runs"))):
            self.row(loose.mapping(child), f"{place}/child_runs/{index}")

    def by_trace(self) -> dict[str, list[Row]]:
        groups: defaultdict[str, list[Row]] = defaultdict(list)
        for name, row in self.rows.items():
            path = ancestors(row.value.get("dotted_order"))
            trace = loose.text(row.value.get("trace_id")) or (path[0] if path else name)
            groups[trace].append(row)
        return groups


def ancestors(dotted: Json) -> list[str]:
    """The ids in a dotted order, from the root to the run itself."""
    found = (SEGMENT.search(piece) for piece in loose.text(dotted).split("."))
    return [match[1] for match in found if match]


def last_of(dotted: Json) -> str:
    return next(reversed(ancestors(dotted)), "")


def transcript(trace: str, rows: Sequence[Row], gaps: tuple[Gap, ...]) -> Transcript:
    builder = Builder()
    given = {str(row.value["id"]): row for row in rows}
    for row in rows:
        builder.folded[SENT_AGAIN] += len(row.places) - 1
        judge(row, builder)
    builder.folded = +builder.folded
    root = given.get(trace)
    about = root.value if root else {}
    runtime = loose.mapping(loose.at(about, "extra", "runtime"))
    header = Transcript(trace, "langsmith", (), (), schema="langsmith")
    header = replace(
        header,
        gaps=gaps,
        reports=tuple(ending(about)),
        task_id=loose.text(about.get("reference_example_id")),
        task_text=asked(about.get("inputs")),
        system={"runtime": dict(runtime)} if runtime else {},
    )
    tried = attempts(rows)
    for again, (_, before, _) in tried.items():
        builder.link(before, again, LinkKind.RETRY_OF)
    spans = [span_of(row) for row in rows]
    return read_run(spans, lambda span: facts(span, given[span.id], tried), header, builder)


def ending(root: Object) -> Iterator[Report]:
    """How the root ended. One without an end is still open, or was never closed."""
    status = loose.text(root.get("status"))
    if not status and root:
        status = "error" if root.get("error") else "success" if root.get("end_time") else "pending"
    if status:
        yield Report(status, "framework", detail=loose.text(root.get("error"))[:500])


def asked(inputs: Json) -> str:
    """What the root was given, if that is one text."""
    texts = [value for value in loose.mapping(inputs).values() if isinstance(value, str)]
    return texts[0] if len(texts) == 1 else ""


def span_of(row: Row) -> Span:
    value = row.value
    path = ancestors(value.get("dotted_order"))
    parent = loose.text(value.get("parent_run_id")) or (path[-2] if len(path) > 1 else "")
    error = value.get("error")
    return Span(
        trace=loose.text(value.get("trace_id")),
        id=str(value["id"]),
        parent=parent,
        name=loose.text(value.get("name")),
        start_ns=nanoseconds_of(value.get("start_time")),
        end_ns=nanoseconds_of(value.get("end_time")),
        status="error" if error else "",
        message=loose.shown(error),
        pointer=row.places[0],
        also_from=row.places[1:],
    )


Attempt = tuple[int, str, str]


def attempts(rows: Sequence[Row]) -> dict[str, Attempt]:
    """Runs that were tried again: equal name and checkpoint, the earlier one with an error.

    By the run's id: which attempt it is, of which run, and why that was not the last.
    """
    groups: defaultdict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        space = loose.text(row.metadata.get("langgraph_checkpoint_ns"))
        if space and row.metadata.get("langgraph_node") == row.value.get("name"):
            groups[space, loose.text(row.value.get("name"))].append(row)
    found: dict[str, Attempt] = {}
    for group in groups.values():
        group.sort(key=lambda row: loose.text(row.value.get("dotted_order")))
        for number, (before, row) in enumerate(pairwise(group), start=2):
            if before.value.get("error"):
                reason = loose.shown(before.value["error"]).split("\n", 1)[0]
                found[str(row.value["id"])] = (number, str(before.value["id"]), reason)
    return found


def facts(span: Span, row: Row, tried: Mapping[str, Attempt]) -> Facts:
    value, metadata = row.value, row.metadata
    role = ROLES.get(loose.text(value.get("run_type")), Role.CONTAINER)
    node = loose.text(metadata.get("lc_agent_name")) or loose.text(metadata.get("langgraph_node"))
    found = Facts(role=role, label=span.name, agent=node)
    found.unread = [name for name in value if name not in HELD]
    found.conversation = loose.text(metadata.get("thread_id"))
    inputs, outputs = value.get("inputs"), value.get("outputs")
    if role is Role.MODEL:
        found.model = loose.text(metadata.get("ls_model_name"))
        found.parameters = loose.mapping(loose.at(value, "extra", "invocation_params"))
        found.prompt, found.reply = inputs, outputs
    elif role is Role.TOOL:
        found.tool, found.arguments = span.name, inputs
        found.result = (
            None if outputs is None or value.get("error") else loose.shown(plain(outputs))
        )
    elif node and node == span.name:
        # One execution of a node of the graph, which speaks by itself if no model runs in it.
        found.role, found.agent = Role.AGENT, node
        found.instance = loose.text(metadata.get("langgraph_checkpoint_ns"))
        found.reply, found.read = outputs or "", spoken
    if span.id in tried:
        found.attempt, _, found.retry_reason = tried[span.id]
    return found


def plain(outputs: Json) -> Json:
    """What a tool gave, out of the wrapper that holds what is no object."""
    given = loose.mapping(outputs)
    return given["output"] if given.keys() == {"output"} else outputs


def spoken(value: Json, role: str) -> Sequence[Message]:
    text = loose.shown(value)
    return [Message("assistant", parts=(Part(PartKind.MESSAGE, text),))] if text else []


def judge(row: Row, builder: Builder) -> None:
    for index, each in enumerate(loose.items(row.value.get("feedback"))):
        given = loose.mapping(each)
        builder.record(f"{row.places[0]}/feedback/{index}", Fate.CONTEXT, "feedback")
        opinion = Opinion(
            source=f"LangSmith feedback {loose.text(given.get('key'))}"[:120],
            native_step=str(row.value["id"])[:40],
            base=0,
            step=None,
            actor="",
            reason=loose.text(given.get("comment")),
            data={key: given[key] for key in ("key", "score", "value") if key in given},
        )
        builder.opinion(opinion, str(row.value["id"]))
    stats = loose.mapping(row.value.get("feedback_stats"))
    if stats:
        opinion = Opinion(
            "LangSmith feedback", str(row.value["id"])[:40], 0, None, "", "", dict(stats)
        )
        builder.opinion(opinion, str(row.value["id"]))
