"""Reads LangSmith: rows of runs as its SDK and exports give them, and the batches of its clients.

`dotted_order` names all ancestors of a run, so that its place is known even when they never
came. A run comes twice, when it begins and when it ends. Feedback is judgement.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from traces.formats.base import Document, Json, ParsedRun, Reading, Refusal, Sample
from traces.formats.langsmith.rows import Row, attempts, facts
from traces.formats.records import loose
from traces.formats.records.loose import Object
from traces.formats.records.times import nanoseconds_of
from traces.formats.spans.runs import read_run
from traces.formats.spans.span import Span
from traces.formats.steps.building import SENT_AGAIN, Builder
from traces.transcript import Fate, Gap, LinkKind, Opinion, Report, Transcript

# A moment and a run's id, which has hyphens.
SEGMENT = re.compile(r"Z?([0-9a-fA-F-]{36})\Z")
# What a client sends at once: runs that began, and runs that ended.
BATCHES = ("post", "patch")


class LangSmith:
    name = "langsmith"
    version = "1"

    def recognise(self, sample: Sample) -> str | None:
        for item in sample.objects:
            if "run_type" in item and ("trace_id" in item or "dotted_order" in item):
                return "keys run_type and trace_id"
            if any(is_row(each) for name in BATCHES for each in loose.objects(item.get(name))[:1]):
                return "lists post or patch of runs"
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
class Found:
    """What a document holds. Rows of one id complete each other, the later ones first."""

    rows: dict[str, Row] = field(default_factory=dict)
    refusals: list[Refusal] = field(default_factory=list)

    def take(self, value: Json, place: str) -> None:
        given = loose.mapping(value)
        lists = [name for name in (*BATCHES, "runs") if isinstance(given.get(name), list)]
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


def is_row(value: Object) -> bool:
    return "dotted_order" in value or "run_type" in value


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
        task_text=asked(about),
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


def asked(root: Object) -> str:
    """What the root was given, if that is one text. Of a model call it would be its name."""
    given = loose.mapping(root.get("inputs"))
    texts = [value for name, value in given.items() if isinstance(value, str) and name != "model"]
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
