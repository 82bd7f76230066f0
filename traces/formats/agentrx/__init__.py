"""Reads the label sheets of AgentRx: what failed in which step, apart from the runs themselves.

They are judgements: of people, of a model, or of whoever put a fault in. Steps count from 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from traces.formats.base import Document, Json, Label, Reading, Refusal, Sample, Unreadable
from traces.formats.records import loose
from traces.formats.records.loose import Object
from traces.transcript import Opinion

# The categories of the data set, by their numbers there, and other spellings of them.
CATEGORIES = (
    "Instruction/Plan Adherence Failure",
    "Invention of New Information",
    "Invalid Invocation",
    "Misinterpretation of Tool Output",
    "Intent-Plan Misalignment",
    "Underspecified User Intent",
    "Intent Not Supported",
    "Guardrails Triggered",
    "System Failure",
    "Inconclusive",
)
ALIASES = {"instructionadherencefailure": CATEGORIES[0], "planadherencefailure": CATEGORIES[0]}
CONFIGURATION = "This is the configuration of a run, not the run: it holds no steps."
NO_LABEL = "This is no label of AgentRx."
PREDICTED = frozenset({"run_id", "predicted_step", "predicted_category"})
MANIFEST = frozenset({"run_id", "mas_id", "agent_model"})


class AgentRx:
    name = "agentrx"
    version = "1"

    def recognise(self, sample: Sample) -> str | None:
        for item in sample.objects:
            if "trajectory_id" in item and isinstance(item.get("failures"), list):
                return "keys trajectory_id and failures"
            if "run_task_id" in item and "critical_failure_step" in item:
                return "keys run_task_id and critical_failure_step"
            if any("failures" in each for each in loose.objects(item.get("detailed_results"))):
                return "key detailed_results, with failures"
            if item.keys() >= PREDICTED:
                return "keys run_id, predicted_step and predicted_category"
            if item.keys() >= MANIFEST:
                return "keys of a manifest: run_id, mas_id and agent_model"
        return None

    def read(self, document: Document) -> Reading:
        labels: list[Label] = []
        refusals = []
        manifests = 0
        for pointer, value in loose.placed(document):
            given = loose.mapping(value)
            found = list(labels_of(given, pointer))
            labels.extend(found)
            manifests += given.keys() >= MANIFEST
            if not found and not is_empty_sheet(given):
                refusals.append(Refusal(pointer or "/", NO_LABEL))
        if not labels and manifests:
            raise Unreadable(CONFIGURATION)
        if not labels and refusals:
            raise Unreadable("There are no labels of AgentRx here.")
        return Reading(refusals=tuple(refusals), labels=tuple(labels))


FORMAT = AgentRx()


def is_empty_sheet(value: Object) -> bool:
    """A sheet that says that nothing failed."""
    return value.get("failures") == [] or isinstance(value.get("detailed_results"), list)


def labels_of(value: Object, pointer: str) -> Iterator[Label]:
    if "trajectory_id" in value:
        yield from sheet(value, pointer)
    elif "critical_failure_step" in value:
        yield injected(value, pointer)
    elif value.keys() >= PREDICTED:
        yield predicted(value, pointer)
    for index, result in enumerate(loose.items(value.get("detailed_results"))):
        yield from judged(loose.mapping(result), f"{pointer}/detailed_results/{index}")


def sheet(value: Object, pointer: str) -> Iterator[Label]:
    """One label for each failure; one of them is marked as the root cause."""
    root = loose.mapping(value.get("root_cause"))
    for index, failure in enumerate(loose.objects(value.get("failures"))):
        id_ = loose.name(failure.get("failure_id"))
        is_root = bool(id_) and id_ == loose.name(root.get("failure_id"))
        data: dict[str, Any] = {"failure_id": id_, "root": is_root}
        data |= category_of(failure.get("failure_category"))
        data |= {"category_reason": failure.get("category_reason")}
        if is_root:
            data["root_reason"] = root.get("reason_for_root_cause")
            data["summary"] = value.get("failure_summary")
        yield label(
            f"{pointer}/failures/{index}",
            loose.name(value["trajectory_id"]),
            "AgentRx",
            failure.get("step_number"),
            actor=failure.get("failed_agent"),
            reason=failure.get("step_reason"),
            data=data,
        )


def injected(value: Object, pointer: str) -> Label:
    """The fault that was put in, which is the truth of a simulation and still hidden as one."""
    data = {"root": True, "fault_mode": value.get("fault_mode")}
    return label(
        pointer,
        loose.name(value.get("run_task_id")),
        "AgentRx-replication (injected fault)",
        value.get("critical_failure_step"),
        actor=value.get("failed_component"),
        reason=value.get("reason"),
        data=data | category_of(value.get("failure_category")),
    )


def predicted(value: Object, pointer: str) -> Label:
    """One line of an index of judgements; the truth that stands beside it comes by itself."""
    model = loose.text(value.get("effective_model")) or "a model"
    source = f"AgentRx judge {model}, {value.get('arm')} {value.get('rep')}"
    data = {"status": value.get("status"), "raw_failure_cases": value.get("raw_failure_cases")}
    return label(
        pointer,
        loose.name(value["run_id"]),
        source,
        value.get("predicted_step"),
        data=data | category_of(value.get("predicted_category")),
    )


def judged(result: Object, pointer: str) -> Iterator[Label]:
    """What a model found in one run."""
    telemetry = loose.mapping(result.get("llm_call_telemetry"))
    model = loose.text(telemetry.get("model_name")) or "a model"
    call = loose.text(telemetry.get("llm_call_id"))
    for index, failure in enumerate(loose.objects(result.get("failures"))):
        number = loose.number(failure.get("failure_case")) or 0
        named = CATEGORIES[number - 1] if 0 < number <= len(CATEGORIES) else number
        data = {"call": call, "checklist": failure.get("checklist_reasoning")}
        yield label(
            f"{pointer}/failures/{index}",
            loose.name(failure.get("task_id")) or loose.name(result.get("task_id")),
            f"AgentRx judge {model}",
            failure.get("step_number"),
            reason=failure.get("description"),
            data=data | category_of(named),
        )


def label(
    pointer: str,
    name: str,
    source: str,
    step: Json,
    *,
    actor: Json = "",
    reason: Json = "",
    data: Mapping[str, Any],
) -> Label:
    opinion = Opinion(
        source=source,
        native_step=loose.name(step),
        base=1,
        step=None,
        actor=loose.text(actor),
        reason=loose.shown(reason),
        data={key: value for key, value in data.items() if value not in (None, "")},
    )
    return Label(pointer, (name,) if name else (), opinion)


def category_of(given: Json) -> dict[str, Any]:
    """The category by its name in the data set, and as it was written if that is another."""
    written = loose.shown(given)
    plain = squeezed(written)
    known = ALIASES.get(plain) or BY_SPELLING.get(plain)
    if known is None or known == written:
        return {"category": known or written}
    return {"category": known, "category_given": written}


def squeezed(text: str) -> str:
    return "".join(each for each in text.lower() if each.isalpha())


BY_SPELLING = {squeezed(each): each for each in CATEGORIES}
