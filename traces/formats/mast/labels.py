"""Reads labels of MAST's modes that come apart from the traces: by people, and by a judge.

A sheet says for each trace which modes are there; a judge's report points at steps from 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from traces.formats.base import Document, Json, Label, Reading, Refusal, Sample, Unreadable
from traces.formats.records import loose
from traces.formats.records.loose import Object
from traces.transcript import Opinion

FIGURES = "These are figures of how far labels agree: there are no runs and no labels here."
TAXONOMY = "This is a taxonomy of failures: there are no runs and no labels here."
NO_LABEL = "This is no label of MAST's modes."
# What an adapter puts before the names of traces.
PREFIX = "mad-"


class MastLabels:
    name = "mast_labels"
    version = "1"

    def recognise(self, sample: Sample) -> str | None:
        for item in sample.objects:
            if "modes" in item and isinstance(item.get("labels"), Mapping):
                return "keys modes and labels"
            if isinstance(loose.at(item, "report", "findings"), list):
                return "key report, with findings"
            if item.keys() >= {"n_traces", "per_mode", "per_trace"}:
                return "keys n_traces, per_mode and per_trace"
            if item.keys() >= {"taxonomy_id", "codes"}:
                return "keys taxonomy_id and codes"
        return None

    def read(self, document: Document) -> Reading:
        labels: list[Label] = []
        refusals = []
        for pointer, value in loose.placed(document):
            given = loose.mapping(value)
            if "per_mode" in given:
                raise Unreadable(FIGURES)
            if "codes" in given:
                raise Unreadable(TAXONOMY)
            found = list(sheet(given, pointer)) or list(report(given, pointer))
            labels.extend(found)
            if not found:
                refusals.append(Refusal(pointer or "/", NO_LABEL))
        if not labels:
            raise Unreadable("There are no labels of MAST's modes here.")
        return Reading(refusals=tuple(refusals), labels=tuple(labels))


FORMAT = MastLabels()


def sheet(value: Object, pointer: str) -> Iterator[Label]:
    """One label for each trace: the modes that are there, and those that were looked for."""
    meta = loose.mapping(value.get("meta"))
    version = loose.text(meta.get("taxonomy_version"))
    for trace, entry in loose.mapping(value.get("labels")).items():
        given = loose.mapping(entry)
        data = {
            "present": loose.items(given.get("present")),
            "looked_for": loose.items(value.get("modes")),
            "taxonomy": version,
        }
        place = f"{pointer}/labels/{trace}"
        yield label(place, trace, "MAST gold labels", given.get("notes"), data)


def report(value: Object, pointer: str) -> Iterator[Label]:
    """What a judge found, once for each step it names, and what people had said of the trace."""
    told = loose.mapping(value.get("report"))
    trace = loose.name(told.get("trace_id"))
    if not trace:
        return
    for index, finding in enumerate(loose.objects(told.get("findings"))):
        data = {
            "mode": finding.get("failure_mode_name"),
            "number": finding.get("failure_mode_id"),
            "category": finding.get("category"),
            "confidence": finding.get("confidence"),
        }
        place = f"{pointer}/report/findings/{index}"
        spans = [loose.name(each) for each in loose.items(finding.get("span_ids"))]
        for span in spans or [""]:
            more = data | {"spans": spans}
            yield label(place, trace, "mast-lint judge", finding.get("rationale"), more, span)
    gold = loose.mapping(value.get("gold"))
    present = [mode for mode, is_there in loose.mapping(gold.get("present")).items() if is_there]
    data = {
        "present": present,
        "looked_for": list(loose.mapping(gold.get("present"))),
        "taxonomy": gold.get("taxonomy_version"),
        "annotators": gold.get("n_annotators"),
    }
    yield label(f"{pointer}/gold", trace, "MAST gold labels", "", data)


def label(
    pointer: str, trace: str, source: str, reason: Json, data: dict[str, Any], span: str = ""
) -> Label:
    number = span.removeprefix("s")
    opinion = Opinion(
        source=source,
        native_step=number if number.isascii() and number.isdigit() else span,
        base=1,
        step=None,
        actor="",
        reason=loose.shown(reason),
        data={name: each for name, each in data.items() if each is not None},
    )
    return Label(pointer, tuple(dict.fromkeys((trace, trace.removeprefix(PREFIX)))), opinion)
