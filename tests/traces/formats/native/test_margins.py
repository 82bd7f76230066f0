"""What the objects of a native run say besides their fields arrives, or is counted."""

from __future__ import annotations

from typing import Any

from tests.traces.formats.native_runs import in_version_2, native_run, native_step, transcript_of
from traces.transcript import Transcript

HELD = {"capture": {"detail": "withheld"}}


def read(*steps: dict[str, Any], **run: Any) -> Transcript:
    return transcript_of(in_version_2(native_run(*steps, **run)))


def told(run: Transcript) -> list[str]:
    return [gap.detail for gap in run.gaps if gap.kind == "kept_in_raw_only"]


def test_the_states_of_objects_in_a_run_arrive_with_their_paths() -> None:
    run = read(
        task={"capture": {"id": "withheld"}},
        system={"capture": {"version": "not_captured"}},
        initial_state={"capture": {"digest": "absent"}},
        recorder={"name": "r", "capture": {"version": "withheld"}},
        parent={"run": "r0", "relation": "fork", "capture": {"run": "damaged"}},
        attempt={"number": 2, "capture": {"reason": "withheld"}},
        reports=[{"by": "agent", "value": "done"}, {"by": "human", "value": "no"} | HELD],
        failures=[{"id": "f1", "statement": "No.", "capture": {"expected": "not_captured"}}],
        capture={"task/id": "absent", "outcome": "not_captured"},
    )
    assert run.capture == {
        "task/id": "absent",
        "outcome": "not_captured",
        "parent/run": "damaged",
        "attempt/reason": "withheld",
        "reports/1/detail": "withheld",
        "failures/f1/expected": "not_captured",
    }
    assert run.system == {"capture": {"version": "not_captured"}}
    assert run.initial_state == {"capture": {"digest": "absent"}}
    assert run.recorder == {"name": "r", "capture": {"version": "withheld"}}


def test_the_states_of_retries_and_payloads_arrive_at_step_and_part() -> None:
    payload = {"media_type": "a/b", "sha256": "0a" * 32, "size": 3}
    payload |= {"capture": {"content": "withheld"}}
    retry = {"of": "s1", "attempt": 2, "capture": {"reason": "withheld"}}
    sent = {"type": "input", "text": "", "payload": payload, "capture": {"text": "absent"}}
    run = read(native_step(1), native_step(2, sent, retry=retry, capture={"status": "damaged"}))
    assert run.steps[1].capture == {"status": "damaged", "retry/reason": "withheld"}
    assert run.steps[1].parts[0].capture == {"text": "absent", "payload/content": "withheld"}
    assert {"retry_without_reason", "payload_not_sent", "empty_content"}.isdisjoint(
        gap.kind for gap in run.gaps
    )


def test_extras_that_no_page_shows_are_counted_in_one_gap_of_the_run() -> None:
    more = {"extra": {"a": 1}}
    value = native_run(
        native_step(1, **more), native_step(2, retry={"of": "s1", "attempt": 2} | more), **more
    )
    value["extra"] = value["run"]["task"] = more
    value["actors"][0] |= more
    assert told(transcript_of(value)) == [
        "Not read, and how often it is there: extra (1), run/extra (1), task/extra (1),"
        " actors/extra (1), steps/extra (1), steps/retry/extra (1)."
    ]


def test_extras_that_are_kept_or_empty_are_no_gap() -> None:
    kept = {"type": "message", "text": "Hi.", "extra": {"tokens": 3}}
    run = read(native_step(1, kept, extra={}), system={"name": "s", "extra": {"a": 1}})
    assert told(run) == []
    assert run.steps[0].parts[0].data == {"extra": {"tokens": 3}}
    assert run.system == {"name": "s", "extra": {"a": 1}}
