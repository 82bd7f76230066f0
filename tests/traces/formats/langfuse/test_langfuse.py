"""Langfuse: observations in any order and twice, scores apart, and what is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.real import FORMATS, needs_files
from tests.traces.formats import story
from traces.formats import intake
from traces.formats.base import Unreadable
from traces.transcript import Fate, Transcript

REAL = FORMATS / "langfuse"
# FORMATS: observations of each file, counted by a script that knows no importer.
OBSERVATIONS = {
    "claude-agent-2025-12-22": 7,
    "crewai-2025-07-11": 6,
    "google-adk-2025-08-28": 5,
    "langgraph-python-2025-08-22": 9,
    "microsoft-agent-2025-12-17": 4,
    "openai-agents-2025-09-30": 5,
    "pydantic-ai-tools-2025-12-04": 12,
    "vercel-aisdk-2025-11-17": 3,
}


def observation(name: str, **more: Any) -> dict[str, Any]:
    start = {"id": name, "traceId": "t", "startTime": "2026-05-04T09:00:00.000Z"}
    return {"type": "GENERATION", "name": "chat", "parentObservationId": None, **start, **more}


def run_of(*lines: Any) -> Transcript:
    (run,) = intake.take(b"\n".join(json.dumps(line).encode() for line in lines)).runs
    return run.transcript


def test_observations_without_a_trace_are_refused_with_their_place() -> None:
    good, bad = observation("o1", output="Hello."), {"id": "o2", "type": "SPAN"}
    taken = intake.take(json.dumps({"trace": {"id": "t"}, "observations": [good, bad]}).encode())

    assert [refusal.position for refusal in taken.refusals] == ["/observations/1"]
    assert len(taken.runs) == 1


def test_what_is_nothing_of_langfuse_is_refused() -> None:
    with pytest.raises(Unreadable):
        intake.take(b'{"observations": [1, 2]}')


def test_a_row_that_comes_again_with_more_completes_the_first() -> None:
    begun = observation("o1", endTime=None, output=None)
    ended = observation("o1", endTime="2026-05-04T09:00:02.000Z", output="Hello.")

    for lines in ((begun, ended), (ended, begun)):
        (step,) = run_of(*lines).steps
        assert step.text == "Hello."
        assert step.ended_at == run_of(ended).steps[0].ended_at
        assert (step.pointer, step.also_from) == ("line 1", ("line 2",))


def test_rows_that_contradict_are_both_kept() -> None:
    transcript = run_of(observation("o1", output="Yes."), observation("o1", output="No."))

    assert sorted(step.text for step in transcript.steps) == ["No.", "Yes."]
    assert "duplicate_step" in {gap.kind for gap in transcript.gaps}


def test_rows_of_an_export_are_runs_by_their_trace() -> None:
    rows = [
        {
            "id": "o1",
            "trace_id": "t1",
            "type": "GENERATION",
            "name": "chat",
            "start_time": "2026-05-04 09:00:00.000001",
            "end_time": "2026-05-04 09:00:01.000001",
            "output": "One.",
        },
        {
            "id": "o2",
            "trace_id": "t2",
            "type": "GENERATION",
            "name": "chat",
            "start_time": "2026-05-04 09:00:00.000001",
            "output": "Two.",
        },
    ]
    taken = intake.take(b"\n".join(json.dumps(row).encode() for row in rows))

    assert [run.transcript.external_id for run in taken.runs] == ["t1", "t2"]
    assert taken.runs[0].transcript.steps[0].started_at is not None
    assert taken.runs[0].transcript.steps[0].started_at.isoformat() == (
        "2026-05-04T09:00:00.000001+00:00"
    )


def test_events_of_an_sdk_are_merged_by_what_they_are_about() -> None:
    batch = [
        {"id": "e1", "type": "trace-create", "body": {"id": "t", "name": "demo"}},
        {
            "id": "e2",
            "type": "generation-create",
            "body": {"id": "o1", "traceId": "t", "startTime": "2026-05-04T09:00:00.000Z"},
        },
        {
            "id": "e3",
            "type": "generation-update",
            "body": {"id": "o1", "traceId": "t", "output": "Hello."},
        },
        {"id": "e4", "type": "sdk-log", "body": {}},
    ]
    taken = intake.take(json.dumps({"batch": batch}).encode())

    assert [step.text for step in taken.runs[0].transcript.steps] == ["Hello."]
    assert [refusal.position for refusal in taken.refusals] == ["/batch/3"]


def test_media_that_are_not_in_the_export_are_a_gap() -> None:
    shown = "@@@langfuseMedia:type=image/png|id=m1|source=bytes@@@"

    assert "payload_not_sent" in {gap.kind for gap in run_of(observation("o", output=shown)).gaps}


def test_a_score_is_an_opinion_of_the_step_it_names() -> None:
    transcript = story.run_of("langfuse.json").transcript
    (opinion,) = transcript.opinions

    assert opinion.source == "Langfuse score correctness (ANNOTATION)"
    assert opinion.step is not None
    assert transcript.steps[opinion.step].text == "Refunding A-17."


def test_an_export_without_content_does_not_say_that_there_was_none() -> None:
    transcript = run_of(observation("o1"), observation("o2"))

    assert transcript.capture["steps/parts/text"] == "not_captured"
    assert all(part.capture.get("text") != "absent" for _, _, part in transcript.citable())


@needs_files
@pytest.mark.parametrize("name", OBSERVATIONS)
def test_each_observation_of_a_real_file_is_a_step_or_accounted_for(name: str) -> None:
    (run,) = intake.take((REAL / f"{name}.trace.json").read_bytes()).runs
    transcript = run.transcript
    places = {place for step in transcript.steps for place in (step.pointer, *step.also_from)}
    places |= {record.pointer for record in transcript.records}
    listed = {place for place in places if place.startswith("/observations/")}

    assert len(listed) == OBSERVATIONS[name]
    assert not [record for record in transcript.records if record.fate is Fate.UNMAPPED]
    assert not [gap for gap in transcript.gaps if gap.kind == "missing_parent"]
