"""AgentRx's label sheets: judgements apart from runs, from 1, with one root cause."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.real import content_of, contents_of
from tests.traces.formats.frameworks import taken
from traces.formats import intake
from traces.formats.base import Unreadable


def failure(number: int, step: Any, **more: Any) -> dict[str, Any]:
    return {
        "failure_id": number,
        "step_number": step,
        "step_reason": "Went wrong.",
        "failure_category": "System Failure",
        "category_reason": "It timed out.",
        "failed_agent": "WebSurfer",
    } | more


def sheet(**more: Any) -> dict[str, Any]:
    return {
        "trajectory_id": "t-1",
        "failures": [failure(1, 3), failure(2, 5)],
        "root_cause": {"failure_id": "2", "reason_for_root_cause": "No way back."},
        "failure_summary": "It failed.",
    } | more


def test_a_manifest_is_refused_for_it_holds_no_run() -> None:
    with pytest.raises(Unreadable, match="configuration of a run"):
        taken({"run_id": "r", "mas_id": "m", "agent_model": "x"})


def test_what_is_no_label_is_refused() -> None:
    result = taken([sheet(), {"trajectory_id": "t-2"}])

    assert [refusal.position for refusal in result.refusals] == ["/1"]
    assert len(result.labels) == 2


def test_a_sheet_gives_a_label_for_each_failure_and_no_run() -> None:
    result = taken([sheet()])

    assert result.runs == ()
    first, second = result.labels
    assert first.names == second.names == ("t-1",)
    assert first.pointer == "/0/failures/0"
    opinion = first.opinion
    assert (opinion.source, opinion.native_step, opinion.base) == ("AgentRx", "3", 1)
    assert (opinion.actor, opinion.reason, opinion.step) == ("WebSurfer", "Went wrong.", None)
    assert [each.opinion.data["root"] for each in result.labels] == [False, True]
    assert second.opinion.data["root_reason"] == "No way back."


@pytest.mark.parametrize(
    ("given", "category"),
    [
        ("Intent not supported", "Intent Not Supported"),
        ("Intent Plan Misalignment", "Intent-Plan Misalignment"),
        ("Instruction Adherence Failure", "Instruction/Plan Adherence Failure"),
        ("Invention of new information", "Invention of New Information"),
    ],
)
def test_spellings_of_a_category_are_one(given: str, category: str) -> None:
    result = taken(sheet(failures=[failure(1, 3, failure_category=given)]))

    data = result.labels[0].opinion.data
    assert (data["category"], data["category_given"]) == (category, given)


def test_a_category_nobody_knows_stays_as_it_is() -> None:
    result = taken(sheet(failures=[failure(1, 3, failure_category="Novel")]))

    assert result.labels[0].opinion.data["category"] == "Novel"


def test_ids_of_tasks_may_be_numbers() -> None:
    assert taken(sheet(trajectory_id=2)).labels[0].names == ("2",)


def test_a_planted_fault_is_a_label() -> None:
    planted = {
        "run_task_id": "q-1",
        "critical_failure_step": 3,
        "failure_category": "System Failure",
        "failed_component": "Search",
        "fault_mode": "system_failure",
        "reason": "Injected.",
    }
    (label,) = taken(planted).labels

    assert label.names == ("q-1",)
    assert (label.opinion.native_step, label.opinion.actor) == ("3", "Search")
    assert label.opinion.data["root"] is True


def test_a_judge_names_categories_by_number() -> None:
    found = {"task_id": "q-1", "failure_case": 3, "step_number": 2, "description": "Bad call."}
    told = {"task_id": "q-1", "failures": [found], "llm_call_telemetry": {"model_name": "judge"}}
    (label,) = taken({"summary": {}, "detailed_results": [told]}).labels

    assert label.opinion.source == "AgentRx judge judge"
    assert label.opinion.data["category"] == "Invalid Invocation"


def test_lines_of_an_index_are_labels_without_the_truth_beside_them() -> None:
    line = {
        "run_id": "q-1",
        "arm": "a",
        "rep": 2,
        "effective_model": "m",
        "predicted_category": "System Failure",
        "predicted_step": 4,
        "gt_step": 3,
        "gt_category": "zebra",
    }
    labels = taken(line, line | {"rep": 3}).labels

    assert [label.opinion.source for label in labels] == [
        "AgentRx judge m, a 2",
        "AgentRx judge m, a 3",
    ]
    assert not any("zebra" in str(label) for label in labels)


def test_the_real_sheets_have_the_counts_of_their_own_json() -> None:
    for name in ("magentic_one", "tau"):
        content = content_of(f"agentrx/ground_truth/{name}_ground_truth.json")
        sheets = json.loads(content)
        labels = intake.take(content).labels

        assert len(labels) == sum(len(each["failures"]) for each in sheets)
        assert {label.names[0] for label in labels} == {str(s["trajectory_id"]) for s in sheets}
        roots = [label for label in labels if label.opinion.data["root"]]
        assert len(roots) == len(sheets)


def test_the_real_excerpt_has_a_root_in_each_of_three_sheets() -> None:
    result = intake.take(content_of("formats/agentrx-magentic-one/ground-truth.excerpt.json"))

    assert sum(label.opinion.data["root"] for label in result.labels) == 3


def test_every_file_of_the_replication_is_read_or_refused_for_a_reason() -> None:
    for each in contents_of("agentrx_otel_sim/judge_runs/*/*/*.json"):
        assert intake.take(each).runs == ()
    assert all(
        intake.take(each).labels for each in contents_of("agentrx_otel_sim/ground_truth/*.json")
    )
    for each in contents_of("agentrx_otel_sim/manifests/*.json"):
        with pytest.raises(Unreadable, match="configuration of a run"):
            intake.take(each)
