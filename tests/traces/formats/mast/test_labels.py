"""Labels of MAST's modes apart from the traces: sheets, judges' reports, and what is neither."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.real import content_of, contents_of
from tests.traces.formats.frameworks import taken
from traces.formats import intake
from traces.formats.base import Unreadable


def test_figures_are_refused_for_they_hold_no_label() -> None:
    with pytest.raises(Unreadable, match="figures"):
        taken({"n_traces": 1, "per_mode": [], "per_trace": [], "overall": {}})


def test_a_taxonomy_is_refused() -> None:
    with pytest.raises(Unreadable, match="taxonomy"):
        taken({"taxonomy_id": "mast", "codes": []})


def report(*spans: str, **more: Any) -> dict[str, Any]:
    finding = {
        "failure_mode_id": "FM-3.2",
        "failure_mode_name": "No Verification",
        "span_ids": list(spans),
        "rationale": "Never ran.",
        "confidence": 0.5,
    }
    gold = {"trace_id": "mad-merge", "taxonomy_version": "final", "present": {"FM-3.2": False}}
    return {"report": {"trace_id": "mad-merge", "findings": [finding]}, "gold": gold} | more


def test_what_is_no_label_is_refused() -> None:
    assert [each.position for each in taken([report("s4"), {"report": {}}]).refusals] == ["/1"]


def test_a_sheet_says_for_each_trace_what_is_there_and_what_was_looked_for() -> None:
    sheet = {
        "meta": {"taxonomy_version": "final"},
        "modes": ["FM-1.1", "FM-1.2"],
        "labels": {"merge": {"present": [], "notes": "Clean."}, "split": {"present": ["FM-1.2"]}},
    }
    labels = taken(sheet).labels

    assert [label.names for label in labels] == [("merge",), ("split",)]
    assert [label.opinion.data["present"] for label in labels] == [[], ["FM-1.2"]]
    assert labels[0].opinion.reason == "Clean."
    assert labels[0].opinion.data["looked_for"] == ["FM-1.1", "FM-1.2"]


def test_a_judge_points_at_steps_from_one() -> None:
    first, second, gold = taken([report("s4", "s5")]).labels

    assert [each.opinion.native_step for each in (first, second)] == ["4", "5"]
    assert (first.opinion.base, first.opinion.source) == (1, "mast-lint judge")
    assert first.names == ("mad-merge", "merge")
    assert first.opinion.data["mode"] == "No Verification"
    assert (gold.opinion.source, gold.opinion.data["present"]) == ("MAST gold labels", [])


def test_a_finding_without_a_step_is_about_the_trace() -> None:
    assert taken([report()]).labels[0].opinion.native_step == ""


def test_the_real_sheets_and_reports_are_read() -> None:
    for name in ("gold_labels", "gold_labels_batch2", "gold_labels_batch3", "gold_labels_batch4"):
        content = content_of(f"mast/dogfood_ag2/{name}.json")
        assert len(intake.take(content).labels) == len(json.loads(content)["labels"])
    for each in contents_of("mast/dogfood_ag2/raw_judge_results*.json"):
        expected = sum(
            1 + sum(max(1, len(found["span_ids"])) for found in one["report"]["findings"])
            for one in json.loads(each)
        )
        assert len(intake.take(each).labels) == expected


def test_the_real_figures_and_the_taxonomy_are_refused() -> None:
    for each in (
        *contents_of("mast/dogfood_ag2/judge_report*.json"),
        content_of("mast/mast14_adamast.json"),
    ):
        with pytest.raises(Unreadable, match="no runs and no labels"):
            intake.take(each)
