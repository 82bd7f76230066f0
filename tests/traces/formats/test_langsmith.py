"""LangSmith: runs that come twice, order that names all ancestors, retries of a graph's node."""

from __future__ import annotations

import json
from typing import Any

from tests.real import FORMATS, needs_files
from traces.formats import intake
from traces.transcript import LinkKind, PartKind, StepStatus, Transcript

REAL = FORMATS / "langsmith"
ROOT = "0194d300-0000-7000-8000-000000000001"
CALL = "0194d300-0000-7000-8000-000000000002"
DOTTED = f"20260504T090000000000Z{ROOT}.20260504T090001000000Z{CALL}"


def row(name: str = CALL, **more: Any) -> dict[str, Any]:
    return {"id": name, "trace_id": ROOT, "name": "look", "run_type": "tool", **more}


def run_of(value: Any) -> Transcript:
    (run,) = intake.take(json.dumps(value).encode()).runs
    return run.transcript


def test_a_run_without_an_id_is_refused_with_its_place() -> None:
    taken = intake.take(json.dumps({"post": [row(), {"name": "lost"}], "patch": []}).encode())

    assert [refusal.position for refusal in taken.refusals] == ["/post/1"]


def test_the_end_of_a_run_completes_its_beginning() -> None:
    begun = row(start_time=1_777_885_200_000, inputs={"q": 1}, outputs=None)
    ended = {"id": CALL, "trace_id": ROOT, "end_time": 1_777_885_201_000, "outputs": {"a": 2}}
    (step,) = run_of({"post": [begun], "patch": [ended]}).steps

    assert [(part.kind, part.text) for part in step.parts] == [
        (PartKind.TOOL_REQUEST, '{"q":1}'),
        (PartKind.TOOL_RESPONSE, '{"a":2}'),
    ]
    assert step.ended_at is not None
    assert step.started_at is not None
    assert (step.ended_at - step.started_at).total_seconds() == 1


def test_a_patch_without_an_id_is_known_by_its_dotted_order() -> None:
    patch = {"dotted_order": DOTTED, "trace_id": ROOT, "outputs": {"a": 2}}
    (step,) = run_of({"post": [row(dotted_order=DOTTED)], "patch": [patch]}).steps

    assert step.parts[1].text == '{"a":2}'


def test_a_parent_that_never_came_is_a_gap() -> None:
    transcript = run_of([row(dotted_order=DOTTED)])

    (gap,) = [gap for gap in transcript.gaps if gap.kind == "missing_parent"]
    assert ROOT in gap.detail


def test_feedback_is_no_part_of_a_step() -> None:
    given = row(outputs={"a": 2}, feedback=[{"key": "good", "score": 0, "comment": "Wrong."}])
    transcript = run_of([given])

    assert [(each.reason, each.step) for each in transcript.opinions] == [("Wrong.", 0)]
    assert "Wrong." not in str(transcript.steps)


@needs_files
def test_the_real_runs_show_a_fan_of_two_one_of_them_tried_again() -> None:
    content = (REAL / "langsmith.runs-reassembled.json").read_bytes()
    (run,) = intake.take(content).runs
    transcript = run.transcript
    research = [s for s in transcript.steps if transcript.actor_of(s).role == "research"]
    records = {place for step in transcript.steps for place in (step.pointer, *step.also_from)}
    records |= {record.pointer for record in transcript.records}
    failed = [step for step in transcript.steps if step.status is StepStatus.ERROR]
    again = [step for step in research if step.attempt == 2]
    retries = [link for link in transcript.links if link.kind is LinkKind.RETRY_OF]

    assert len({place for place in records if place.count("/") == 1}) == 11
    assert len(research) == 3
    assert len(failed) == 2
    assert [link.target for link in retries] == [step.number for step in again]
    assert [link.source for link in retries] == [research[1].number]
