"""Reads traces that MLflow 3 exports: `info`, and spans with attributes that are all JSON text.

The ids of spans are base64 where the trace's own is hex. Assessments are judgements; what was
expected is withheld.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from traces.formats.base import Document, Json, ParsedRun, Reading, Refusal, Sample, Unreadable
from traces.formats.dialects import mlflow_spans
from traces.formats.records import loose
from traces.formats.records.loose import Object
from traces.formats.records.times import nanoseconds_of
from traces.formats.spans.otlp import STATUSES, id_of
from traces.formats.spans.runs import read_run
from traces.formats.spans.span import Event, Span
from traces.formats.steps.building import Builder
from traces.otlp import ids
from traces.transcript import Fate, Gap, Opinion, Report, Transcript

SHOWN_IN_RUN = ("mlflow.source.git.commit", "mlflow.source.git.repoURL", "mlflow.modelId")
UNSAYABLE = dict.fromkeys(("steps/retry",), "not_in_schema")


class MlflowTrace:
    name = "mlflow"
    version = "1"

    def recognise(self, sample: Sample) -> str | None:
        for item in sample.objects:
            if isinstance(item.get("info"), Mapping) and isinstance(
                loose.at(item, "data", "spans"), list
            ):
                return "keys info and data.spans"
        return None

    def read(self, document: Document) -> Reading:
        runs: list[ParsedRun] = []
        refusals: list[Refusal] = []
        gaps = loose.reading_gaps(document)
        for pointer, value in loose.placed(document):
            try:
                runs.append(ParsedRun(read_trace(value, gaps, refusals, pointer), pointer))
            except Unreadable as error:
                refusals.append(Refusal.of(error, pointer or "/"))
        return Reading(tuple(runs), tuple(refusals))


FORMAT = MlflowTrace()


def read_trace(
    value: Json, gaps: tuple[Gap, ...], refusals: list[Refusal], place: str
) -> Transcript:
    listed = loose.at(value, "data", "spans")
    info = loose.mapping(loose.at(value, "info"))
    if not isinstance(listed, list) or not info:
        raise Unreadable("This is no trace: it has no info, or no data.spans.")
    spans = []
    for index, each in enumerate(listed):
        where = f"/data/spans/{index}"
        span = span_of(loose.mapping(each), where)
        if span.id:
            spans.append(span)
        else:
            refusals.append(Refusal(f"{place}{where}", "The span has no id that can be read."))
    builder = Builder()
    builder.record("/info", Fate.CONTEXT, "trace")
    withheld = judge(loose.objects(info.get("assessments")), builder)
    metadata = loose.mapping(info.get("trace_metadata") or info.get("request_metadata"))
    header = Transcript(
        external_id=loose.text(info.get("trace_id"))
        or loose.text(info.get("request_id"))
        or loose.digest(listed),
        source="mlflow",
        schema="mlflow",
        actors=(),
        steps=(),
        gaps=gaps,
        reports=tuple(ending(info)),
        task_id=loose.text(metadata.get("mlflow.datasetRecordId")),
        system={name: metadata[name] for name in SHOWN_IN_RUN if metadata.get(name)},
        withheld=withheld,
        capture=UNSAYABLE,
    )
    return read_run(spans, mlflow_spans.facts, header, builder)


def span_of(value: Object, place: str) -> Span:
    status = loose.mapping(value.get("status"))
    return Span(
        trace=id_of(value.get("trace_id"), ids.TRACE),
        id=id_of(value.get("span_id"), ids.SPAN),
        parent=id_of(value.get("parent_span_id"), ids.SPAN),
        name=loose.text(value.get("name")),
        start_ns=nanoseconds_of(value.get("start_time_unix_nano")),
        end_ns=nanoseconds_of(value.get("end_time_unix_nano")),
        attributes=dict(loose.mapping(value.get("attributes"))),
        events=[event_of(each) for each in loose.objects(value.get("events"))],
        status=STATUSES.get(loose.name(status.get("code")), ""),
        message=loose.text(status.get("message")),
        pointer=place,
    )


def event_of(value: Object) -> Event:
    at = nanoseconds_of(value.get("time_unix_nano"))
    return Event(loose.text(value.get("name")), at, loose.mapping(value.get("attributes")))


def ending(info: Object) -> Iterator[Report]:
    """What MLflow says of the end. That nothing raised does not make a run right."""
    state = loose.text(info.get("state")) or loose.text(info.get("status"))
    if state:
        yield Report(state, "framework")


def judge(assessments: list[Object], builder: Builder) -> dict[str, Json]:
    """Give each assessment its place; what was expected is ground truth, and is returned."""
    expected: dict[str, Json] = {}
    for index, each in enumerate(assessments):
        place = f"/info/assessments/{index}"
        name = loose.text(each.get("assessment_name")) or loose.text(each.get("name"))
        builder.record(place, Fate.CONTEXT, "assessment")
        if "expectation" in each:
            expected[name or str(index)] = each["expectation"]
            continue
        builder.opinion(opinion_of(each, name), id_of(each.get("span_id"), ids.SPAN))
    return {"expectations": expected} if expected else {}


def opinion_of(value: Object, name: str) -> Opinion:
    who = loose.text(loose.at(value, "source", "source_type"))
    kept = ("feedback", "source", "metadata", "overrides", "valid")
    return Opinion(
        source=f"MLflow assessment {name} ({who})"[:120],
        native_step=loose.text(value.get("span_id"))[:40],
        base=0,
        step=None,
        actor="",
        reason=loose.text(value.get("rationale")),
        data={"name": name, **{key: value[key] for key in kept if key in value}},
    )
