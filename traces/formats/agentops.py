"""Reads log records of AgentOps: what a process wrote to its terminal, with or without a span.

They are no trace: nobody says which agent wrote, and the ids are mostly all zero.
"""

from __future__ import annotations

from traces.formats.base import Document, Json, ParsedRun, Reading, Refusal, Sample, Unreadable
from traces.formats.records import loose
from traces.formats.records.times import moment
from traces.formats.steps.building import Builder, Draft
from traces.formats.steps.unsayable import unsayable_but
from traces.transcript import ActorKind, Part, PartKind, StepKind, Transcript

CAPTURE = unsayable_but(
    *("started_at", "ended_at", "steps/started_at", "system/name"),
    more=("task", "outcome", "failures", "system/models", "steps/handoff_from", "steps/status"),
)
NO_RECORD = "This is no log record: it has no body and no severity."


class AgentOps:
    name = "agentops"
    version = "1"

    def recognise(self, sample: Sample) -> str | None:
        if any(map(is_record, sample.objects)):
            return "log records with body, severity_text and observed_timestamp"
        return None

    def read(self, document: Document) -> Reading:
        builder, refusals = Builder(), []
        session, service = "", ""
        for index, (pointer, value) in enumerate(loose.placed(document)):
            if not is_record(value):
                refusals.append(Refusal(pointer or "/", NO_RECORD))
                continue
            add(builder, value, pointer, index)
            attributes = loose.mapping(loose.at(value, "resource", "attributes"))
            session = session or loose.name(attributes.get("session.id"))
            service = service or loose.name(attributes.get("service.name"))
        if not builder.drafts:
            raise Unreadable("There are no log records here.")
        times = [each.started_at for each in builder.drafts.values() if each.started_at]
        known = [each for each in times if each.tzinfo]
        header = Transcript(
            external_id=session or f"agentops-{loose.digest(sorted(builder.drafts))}",
            source="agentops",
            schema="agentops",
            actors=(),
            steps=(),
            gaps=loose.reading_gaps(document),
            system={"name": service or "agentops"},
            started_at=min(known, default=None),
            ended_at=max(known, default=None),
            capture=CAPTURE,
        )
        run = builder.transcript(header, follows="conversation")
        return Reading((ParsedRun(run),), tuple(refusals))


FORMAT = AgentOps()


def is_record(value: Json) -> bool:
    given = loose.mapping(value)
    return given.keys() >= {"body", "severity_text", "observed_timestamp"}


def add(builder: Builder, value: Json, pointer: str, index: int) -> None:
    """A step by the process. The text keeps its colours: pages show them as marks."""
    process = builder.actor("process", ActorKind.HARNESS)
    data = {
        "severity": value.get("severity_text"),
        "function": loose.at(value, "attributes", "code.function"),
        "span": real(loose.name(value.get("span_id"))),
    }
    part = Part(PartKind.MESSAGE, loose.shown(value.get("body")), kept(data))
    draft = Draft(pointer or f"/{index}", process, StepKind.MESSAGE, [part], (index,), pointer)
    draft.started_at = moment(value.get("timestamp"))
    draft.recorded_at = moment(value.get("observed_timestamp"))
    builder.add(draft)


def kept(data: dict[str, Json]) -> dict[str, Json]:
    return {name: value for name, value in data.items() if value}


def real(id_: str) -> str:
    """An id, unless it is how OpenTelemetry writes that there is none."""
    return id_ if id_.removeprefix("0x").strip("0") else ""
