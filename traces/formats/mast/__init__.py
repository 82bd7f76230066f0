"""Reads records of MAST: raw logs of many frameworks as text, with labels of the whole trace.

The taxonomy came in versions whose numbers mean different things, so that a label is its mode's
name in its version. Labels have no step and no agent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from traces.formats.base import Document, Json, ParsedRun, Reading, Refusal, Sample, Unreadable
from traces.formats.chat import groups
from traces.formats.chat.reading import opened
from traces.formats.mast import logs
from traces.formats.records import loose
from traces.formats.records.loose import Object
from traces.formats.steps.building import Builder
from traces.formats.steps.unsayable import unsayable
from traces.transcript import Gap, Opinion, Transcript

CAPTURE = unsayable("outcome", "failures", "system/models", "steps/parts/payload", "steps/inputs")
ANNOTATOR = "annotator_"
OPEN = frozenset({"trace", "mas_name", "benchmark_name", "trace_id", "llm_name", "round"})
LABELS = frozenset({"annotations", "mast_annotation"})
TEXTS = ("trajectory", "content", "log", "trace")
NO_RECORD = "This is no record of MAST: it lacks mas_name or a trace."


class Mast:
    name = "mast"
    version = "1"

    def recognise(self, sample: Sample) -> str | None:
        if any("mas_name" in item and "trace" in item for item in sample.objects):
            return "keys mas_name and trace"
        return None

    def read(self, document: Document) -> Reading:
        runs, refusals = [], []
        for pointer, value, gaps in document.values():
            given = loose.mapping(value)
            if "mas_name" not in given or not given.get("trace"):
                refusals.append(Refusal(pointer or "/", NO_RECORD))
                continue
            runs.append(ParsedRun(transcript(given, pointer, gaps), pointer))
        if not runs:
            raise Unreadable("There are no records of MAST here.")
        return Reading(tuple(runs), tuple(refusals))


FORMAT = Mast()


def transcript(record: Object, pointer: str, gaps: tuple[Gap, ...]) -> Transcript:
    builder = Builder()
    trace = opened(record["trace"])
    task, beside = read(builder, trace, f"{pointer}/trace")
    for opinion in (*votes(record), *verdicts(record)):
        builder.opinion(opinion)
    rest = {name: each for name, each in record.items() if name not in OPEN | LABELS}
    names = [loose.name(record.get(name)) for name in ("mas_name", "benchmark_name")]
    llm = loose.text(record.get("llm_name"))
    models = {"models": {"all": llm}} if llm else {}
    header = Transcript(
        external_id="/".join(filter(None, (*names, identity(record)))),
        source="MAST",
        schema="mast",
        actors=(),
        steps=(),
        gaps=gaps,
        task_text=task,
        system={"name": names[0], "benchmark": names[1]} | models,
        withheld=rest | beside,
        capture=CAPTURE,
    )
    return builder.transcript(header)


def identity(record: Object) -> str:
    """Numbers of traces repeat between rounds, so that they name a trace only with its round."""
    given, round_ = loose.name(record.get("trace_id")), loose.name(record.get("round"))
    if given and not given.isdigit():
        return given
    return f"{round_} {given}".strip() or loose.digest(record.get("trace"))


def read(builder: Builder, trace: Json, pointer: str) -> tuple[str, dict[str, Json]]:
    """Steps of a trace in its framework's form; its task, and what else stood in it."""
    if isinstance(trace, list) and any(map(groups.is_spoken, trace)):
        groups.read(builder, trace, pointer)
        return "", {}
    given = loose.mapping(trace)
    for name in TEXTS:
        inner = given.get(name)
        if isinstance(inner, list) and any(map(groups.is_spoken, inner)):
            groups.read(builder, inner, f"{pointer}/{name}")
        elif inner:
            logs.read(builder, loose.shown(groups.one_text(inner)), f"{pointer}/{name}")
        else:
            continue
        task = given.get("problem_statement", given.get("prompt"))
        told = (name, "problem_statement", "prompt")
        beside = {key: each for key, each in given.items() if key not in told}
        return loose.shown(groups.one_text(task)), beside
    logs.read(builder, loose.shown(trace), pointer)
    return "", {}


def votes(record: Object) -> Iterator[Opinion]:
    """What each annotator says of each mode, apart: they do not agree."""
    version = loose.name(record.get("round"))
    for entry in loose.objects(record.get("annotations")):
        mode, _, definition = loose.text(entry.get("failure mode")).partition("\n")
        number, _, title = mode.partition(" ")
        data = {"mode": title.strip() or number, "number": number, "taxonomy": version}
        data["definition"] = definition.strip()
        for who, present in entry.items():
            if who.startswith(ANNOTATOR):
                source = f"MAST annotator {who.removeprefix(ANNOTATOR)}"
                yield judgement(source, title or number, {**data, "present": present})


def verdicts(record: Object) -> Iterator[Opinion]:
    """What a model says of each mode, in the full set."""
    given = record.get("mast_annotation")
    for number, present in given.items() if isinstance(given, Mapping) else ():
        yield judgement("MAST judge", number, {"number": number, "present": present})


def judgement(source: str, reason: str, data: dict[str, Any]) -> Opinion:
    return Opinion(
        source, native_step="", base=0, step=None, actor="", reason=reason.strip(), data=data
    )
