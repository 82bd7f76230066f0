"""Reads Langfuse: downloads of a trace, answers of its API, rows of its exports, SDK batches.

Observations come in any order, and twice: once with the trace, without what they were given and
gave. What an OpenTelemetry SDK sent stands in their metadata and is read in its own dialect.
Scores are judgements.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from traces.formats.base import Document, Json, ParsedRun, Reading, Refusal, Sample
from traces.formats.langfuse.observations import facts, get, is_empty, is_observation, span_of
from traces.formats.records import loose
from traces.formats.records.loose import Object
from traces.formats.spans.json_text import opened
from traces.formats.spans.runs import read_run
from traces.formats.steps.building import Builder
from traces.transcript import Fate, Opinion, Transcript

# Two observations with one id and another one of these are two.
TELLING = (
    "type", "name", "input", "output", "level", "model", "parentObservationId", "startTime",
    "endTime", "statusMessage",
)  # fmt: skip
MEDIA = b"@@@langfuseMedia:"
# Judgements of the trace, and of what it gave: what people say that it should have been.
JUDGED = ("scores", "corrections")
JUDGEMENT = ("name", "value", "stringValue", "longStringValue", "dataType", "source")
UNSAYABLE = dict.fromkeys(("reports", "steps/retry", "steps/joins"), "not_in_schema")


class Langfuse:
    name = "langfuse"
    version = "1"

    def recognise(self, sample: Sample) -> str | None:
        for item in sample.objects:
            if isinstance(item.get("trace"), Mapping) and "observations" in item:
                return "keys trace and observations"
            if any(map(is_observation, loose.objects(item.get("observations"))[:1])):
                return "key observations, a list of observations with a traceId"
            if is_observation(item):
                return "observations: keys type, traceId and startTime"
            if any(
                "-create" in loose.text(e.get("type")) for e in loose.objects(item.get("batch"))
            ):
                return 'key batch, a list of events of type "…-create"'
        return None

    def read(self, document: Document) -> Reading:
        found = Found()
        for pointer, value in loose.placed(document):
            found.take(value, pointer)
        gaps = loose.reading_gaps(document)
        media = MEDIA in document.content
        runs = []
        for trace, group in found.traces.items():
            header = Transcript(trace, "langfuse", (), (), gaps=gaps, schema="langfuse")
            runs.append(ParsedRun(group.transcript(header, media=media), f"trace {trace}"))
        return Reading(tuple(runs), tuple(found.refusals))


FORMAT = Langfuse()


@dataclass(slots=True)
class Group:
    """All that is known of one trace, each record with its place."""

    about: dict[str, Json] = field(default_factory=dict)
    places: list[str] = field(default_factory=list)
    observations: dict[str, list[tuple[dict[str, Json], list[str]]]] = field(default_factory=dict)
    scores: list[tuple[Object, str]] = field(default_factory=list)

    def observe(self, value: Object, place: str) -> None:
        """Add an observation. What only says less or more of a known one completes it."""
        known = self.observations.setdefault(str(value.get("id")), [])
        said = {key: each for key, each in value.items() if each is not None}
        for held, places in known:
            if all(held.get(key) in (None, said[key]) for key in TELLING if key in said):
                held.update({key: each for key, each in said.items() if is_empty(held.get(key))})
                places.append(place)
                return
        known.append((said, [place]))

    def transcript(self, header: Transcript, *, media: bool) -> Transcript:
        builder = Builder()
        given: dict[str, Object] = {}
        spans = []
        for copies in self.observations.values():
            for number, (value, places) in enumerate(copies, start=1):
                span = span_of(value, places, given)
                if number > 1:
                    detail = f'Another observation has the id "{span.id}" too.'
                    builder.gap("duplicate_step", detail)
                    span.id = f"{span.id}#{number}"
                spans.append(span)
        for place in self.places:
            builder.record(place, Fate.CONTEXT, "trace")
        for score, place in self.scores:
            builder.record(place, Fate.CONTEXT, "score")
            builder.opinion(opinion_of(score), loose.text(get(score, "observationId")))
        if media:
            detail = "Files that the texts refer to are not in the export."
            builder.gap("payload_not_sent", detail)
        about = self.about
        system = {
            "conversation": get(about, "sessionId"),
            **{name: about.get(name) for name in ("release", "version", "environment", "tags")},
        }
        header = replace(
            header,
            task_text=asked(about.get("input")),
            system={name: value for name, value in system.items() if value},
            capture=UNSAYABLE,
        )
        return read_run(spans, lambda span: facts(span, given[span.pointer]), header, builder)


@dataclass(slots=True)
class Found:
    """What a document holds, by trace."""

    traces: defaultdict[str, Group] = field(default_factory=lambda: defaultdict(Group))
    refusals: list[Refusal] = field(default_factory=list)

    def take(self, value: Json, place: str) -> None:
        given = loose.mapping(value)
        if isinstance(given.get("trace"), Mapping):
            self.trace(loose.mapping(given["trace"]), f"{place}/trace")
            self.observations(given, place)
        elif "observations" in given:
            self.trace(given, place)
        elif isinstance(given.get("batch"), list):
            for index, event in enumerate(given["batch"]):
                self.event(loose.mapping(event), f"{place}/batch/{index}")
        elif is_observation(given):
            self.traces[loose.text(get(given, "traceId"))].observe(given, place)
        elif isinstance(get(given, "traceId"), str) and "value" in given:
            self.traces[loose.text(get(given, "traceId"))].scores.append((given, place))
        elif isinstance(given.get("id"), str) and "timestamp" in given:
            self.trace(given, place)
        else:
            self.refusals.append(Refusal(place or "/", "This is no trace, observation or score."))

    def trace(self, value: Object, place: str) -> None:
        group = self.traces[loose.name(value.get("id")) or loose.digest(str(value))]
        group.about.update({key: each for key, each in value.items() if each is not None})
        group.places.append(place)
        for name in JUDGED:
            for index, score in enumerate(loose.items(value.get(name))):
                group.scores.append((loose.mapping(score), f"{place}/{name}/{index}"))
        self.observations(value, place)

    def observations(self, value: Object, place: str) -> None:
        for index, each in enumerate(loose.items(value.get("observations"))):
            where = f"{place}/observations/{index}"
            given = loose.mapping(each)
            trace = loose.text(get(given, "traceId"))
            if not given.get("id") or not trace:
                self.refusals.append(
                    Refusal(where, "This is no observation: it has no id or trace.")
                )
                continue
            self.traces[trace].observe(given, where)

    def event(self, event: Object, place: str) -> None:
        """An event of an SDK: what it creates or updates is its body."""
        body, kind = loose.mapping(event.get("body")), loose.text(event.get("type"))
        what = kind.rpartition("-")[0]
        if what == "trace":
            self.trace(body, place)
        elif what == "score":
            self.traces[loose.text(get(body, "traceId"))].scores.append((body, place))
        elif body.get("id") and get(body, "traceId"):
            typed = {"type": what.upper(), **body}
            self.traces[loose.text(get(body, "traceId"))].observe(typed, place)
        else:
            self.refusals.append(Refusal(place, f'An event of type "{kind[:40]}" is not read.'))


def asked(given: Json) -> str:
    """What the trace was given, if that is words and no object."""
    value = opened(opened(given))
    return value if isinstance(value, str) and value[:1] not in ("{", "[") else ""


def opinion_of(score: Object) -> Opinion:
    name, source = loose.text(score.get("name")), loose.text(score.get("source"))
    what = "correction" if score.get("dataType") == "CORRECTION" else "score"
    return Opinion(
        source=f"Langfuse {what} {name} ({source})"[:120],
        native_step=loose.text(get(score, "observationId"))[:40],
        base=0,
        step=None,
        actor="",
        reason=loose.text(score.get("comment")),
        data={key: score[key] for key in JUDGEMENT if score.get(key) is not None},
    )
