"""Samples and events of Inspect that came without their log; they are told from other formats."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.real import needs_files
from tests.traces.formats.files.test_containers import zipped
from tests.traces.formats.inspect.test_inspect import (
    REAL,
    begin,
    event,
    model,
    parts,
    read,
    sample,
    tool,
)
from tests.traces.formats.native_runs import kinds
from traces.formats import intake
from traces.formats.base import Unreadable
from traces.formats.inspect.bare import bare
from traces.transcript import Fate, LinkKind, Outcome, PartKind, StepKind, StepStatus

ANSWER = "the mistake is in the second call"


def fixture(*events: Any) -> dict[str, Any]:
    return {"description": ANSWER, "events": list(events), "expected": {"agent": ANSWER}}


@pytest.mark.parametrize(
    "value",
    [
        {"events": []},
        {"events": "model"},
        {"events": [{"event": "on_chain_start", "timestamp": "2026-03-01T10:00:00Z"}]},
        {"events": [{"event": ["model"], "timestamp": 1}]},
        {"events": [{"event": "model"}]},
        {"id": {}, "epoch": 1, "input": "a", "target": "b"},
        {"id": "a", "epoch": 1, "input": "a"},
        {"eval": {}, "events": [event("model", 1)]},
    ],
)
def test_what_is_neither_a_sample_nor_its_events_is_not_taken_for_one(value: Any) -> None:
    assert bare(value) is None


def test_events_without_a_sample_are_one_run() -> None:
    value = fixture(
        begin(1, "a", "agent", "bridge"),
        model(2, "", ("c1", "look"), span_id="a"),
        tool(3, "c1", result="seven", span_id="a"),
        begin(4, "h", "agent", "helper", "a"),
        model(5, "Eight.", span_id="h"),
        event("span_end", 6, id="h"),
        model(7, "Seven.", span_id="a"),
    )
    (run,) = read(value).runs
    told = run.transcript
    assert [(step.kind, step.tool) for step in told.steps] == [
        (StepKind.DECISION, None),
        (StepKind.TOOL, "look"),
        (StepKind.MESSAGE, None),
        (StepKind.MESSAGE, None),
    ]
    assert [step.actor for step in told.steps][-2:] == ["helper", "bridge"]
    assert told.external_id == read(value).runs[0].transcript.external_id
    assert {record.fate for record in told.records} == {Fate.CONTAINER}
    assert LinkKind.SPAWN in {link.kind for link in told.links}


def test_what_a_fixture_expects_is_withheld() -> None:
    (run,) = read(fixture(model(1, "Seven."))).runs
    told = run.transcript
    assert told.withheld == {"description": ANSWER, "expected": {"agent": ANSWER}}
    assert ANSWER not in "".join(part.text for step in told.steps for part in step.parts)
    assert ANSWER not in told.task_text + "".join(gap.detail for gap in told.gaps)


def test_a_sample_without_its_log_keeps_its_events_and_checks() -> None:
    value = sample(
        model(1, "Seven."),
        messages=[{"role": "user", "content": "Count."}],
        scores={"match": {"value": "C", "answer": "Seven."}},
    )
    (run,) = read(value).runs
    told = run.transcript
    assert (told.external_id, told.task_id, told.outcome) == ("u-1", "s-1", Outcome.SUCCEEDED)
    assert [step.kind for step in told.steps] == [StepKind.MESSAGE, StepKind.VERIFICATION]
    assert told.withheld == {"target": "zebra"}


def test_samples_in_lines_and_in_a_bundle_are_runs_of_their_own() -> None:
    two = [sample(model(1, "Seven."), uuid=name) for name in ("u-1", "u-2")]
    lines = "\n".join(json.dumps(each) for each in two).encode()
    files = {f"samples/{n}.json": json.dumps(each).encode() for n, each in enumerate(two)}
    for content in (lines, zipped(files)):
        found = {run.transcript.external_id for run in intake.take(content).runs}
        assert found == {"u-1", "u-2"}


def test_a_call_whose_reply_is_not_there_is_not_said_to_be_silent() -> None:
    (run,) = read(fixture(model(1, "", output={}), model(2, "", output={}, error="away"))).runs
    told = run.transcript
    assert [dict(step.parts[0].capture) for step in told.steps] == [{"text": "not_captured"}] * 2
    assert told.steps[1].status is StepStatus.ERROR
    assert parts(told, PartKind.ERROR) == ["away"]


def test_a_file_cut_anywhere_is_refused_in_a_sentence() -> None:
    whole = json.dumps(fixture(model(1, "Seven."), "oops", {"event": None})).encode()
    assert "undecodable_step" in kinds(
        intake.take(whole.replace(b"oops", b"oop")).runs[0].transcript
    )
    for end in range(1, len(whole), 7):
        with pytest.raises(Unreadable):
            intake.take(whole[:end])


@needs_files
def test_a_real_fixture_is_a_run_with_a_helper() -> None:
    (run,) = intake.take((REAL / "utility_subagent_loop.json").read_bytes()).runs
    raw = json.loads((REAL / "utility_subagent_loop.json").read_text())["events"]
    told = run.transcript
    calls = [step for step in told.steps if step.kind in (StepKind.DECISION, StepKind.MESSAGE)]
    assert len(calls) == sum(each["event"] == "model" for each in raw)
    assert {step.actor for step in calls} == {"bridge", "helper"}
