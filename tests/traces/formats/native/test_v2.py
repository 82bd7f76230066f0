"""What version 2 of the native format adds, as it arrives in the transcript."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.traces.formats.native_documents import VALUES, documents
from tests.traces.formats.native_runs import (
    in_version_2,
    kinds,
    native_run,
    native_step,
    taken,
    transcript_of,
)
from traces.formats import native
from traces.formats.native import v2
from traces.transcript import Part, Transcript

SHA = "0a" * 32
LONG = "x" * 500


def read(*steps: dict[str, Any], **run: Any) -> Transcript:
    return transcript_of(in_version_2(native_run(*steps, **run)))


def part(**fields: Any) -> Part:
    return read(native_step(1, fields)).steps[0].parts[0]


@pytest.mark.parametrize("moment", ["2026-11-04T08:00:00", "0001-01-01T00:00:00Z"])
def test_a_time_that_no_calendar_holds_is_left_out_and_a_gap(moment: str) -> None:
    run = read(native_step(1, recorded_at=moment), closed_at=moment)
    assert (run.closed_at, run.steps[0].recorded_at) == (None, None)
    (gap,) = [gap for gap in run.gaps if gap.kind == "implausible_values"]
    assert "closed_at" in gap.detail
    assert "recorded_at" in gap.detail


def test_names_that_are_too_long_are_shortened_and_a_gap() -> None:
    value = in_version_2(
        native_run(
            native_step(1), native_step(2, retry={"of": "s1", "attempt": 2, "decided_by": LONG})
        )
    )
    value["actors"][0]["replaces"] = LONG
    run = transcript_of(value)
    assert run.actors[0].replaces == run.steps[1].attempt_by
    assert len(run.actors[0].replaces or "") == 200
    assert "shortened_names" in kinds(run)


def test_a_payload_that_is_no_base64_refuses_its_step_with_its_path() -> None:
    spoilt = {"type": "error", "text": "", "payload": {"media_type": "a/b", "content": "!"}}
    result = taken(in_version_2(native_run(native_step(1), native_step(2, spoilt))))
    assert [(r.position, r.reason) for r in result.refusals] == [
        ("/steps/1/parts/0/payload/content", "Invalid base64 encoded string.")
    ]
    assert len(result.runs[0].transcript.steps) == 1


def test_a_payload_of_neither_shape_is_refused_in_words() -> None:
    spoilt = {"type": "error", "text": "", "payload": {"media_type": "a/b", "size": 1}}
    (refusal,) = taken(in_version_2(native_run(native_step(1, spoilt)))).refusals
    assert refusal.position == "/steps/0/parts/0/payload"
    assert refusal.reason == "A payload has either `content` or both `sha256` and `size`."


def test_a_race_with_a_step_that_is_not_there_is_a_gap() -> None:
    raced = {"type": "state", "artifact": "plan", "against": ["s1", "gone"]}
    run = read(native_step(1), native_step(2, raced))
    assert kinds(run)["missing_parent"] == 1
    assert all(link.rule for link in run.links)


def test_the_record_says_who_wrote_it_and_when_it_was_closed() -> None:
    run = read(closed_at="2026-11-04T10:00:00+02:00", recorder={"name": "otter", "version": "3"})
    assert run.closed_at == datetime(2026, 11, 4, 8, tzinfo=UTC)
    assert run.recorder == {"name": "otter", "version": "3"}
    assert run.schema == "inquest-run/2"


def test_a_step_says_when_it_was_written_down_and_who_ordered_it_again() -> None:
    retry = {"of": "s1", "attempt": 2, "reason": "timeout", "decided_by": "controller"}
    step = native_step(2, retry=retry, recorded_at="2026-11-04T08:00:00Z")
    read_step = read(native_step(1), step).steps[1]
    assert read_step.recorded_at == datetime(2026, 11, 4, 8, tzinfo=UTC)
    assert (read_step.attempt_reason, read_step.attempt_by) == ("timeout", "controller")


def test_a_restarted_actor_names_the_instance_it_replaces() -> None:
    value = in_version_2(native_run())
    second = {"id": "planner-2", "role": "planner", "kind": "agent", "replaces": "planner"}
    value["actors"].append(second)
    first, restarted = transcript_of(value).actors
    assert (first.role, restarted.role, restarted.replaces) == ("planner", "planner", first.key)


PARTS: list[tuple[dict[str, Any], str, dict[str, Any]]] = [
    (
        {"type": "interpretation", "text": "Done.", "claims": [{"artifact": "plan"}]},
        "Done.\n\nclaims: plan",
        {"claims": [{"artifact": "plan"}]},
    ),
    (
        {
            "type": "state",
            "artifact": "plan",
            "change": "v1",
            "resolution": "merged",
            "against": ["s1"],
        },
        "v1\n\nartifact: plan\nresolution: merged\nagainst: s1",
        {"artifact": "plan", "resolution": "merged", "against": ["s1"]},
    ),
    (
        {
            "type": "verification",
            "check": "ci",
            "verdict": "passed",
            "text": "Green.",
            "subject": "git:a1",
            "method": "make test",
        },
        "Green.\n\ncheck: ci\nsubject: git:a1\nmethod: make test\nverdict: passed",
        {"check": "ci", "verdict": "passed", "subject": "git:a1", "method": "make test"},
    ),
    (
        {"type": "input", "text": "", "payload": {"media_type": "image/png", "content": "AAA="}},
        "",
        {"payload": {"media_type": "image/png", "content": "AAA="}},
    ),
    (
        {
            "type": "tool_response",
            "status": "ok",
            "payload": {"media_type": "image/png", "sha256": SHA, "size": 9},
        },
        "",
        {"status": "ok", "payload": {"media_type": "image/png", "sha256": SHA, "size": 9}},
    ),
]


@pytest.mark.parametrize(("fields", "text", "data"), PARTS, ids=lambda value: str(value)[:30])
def test_a_part_is_what_people_cite_and_the_rest_is_data(
    fields: dict[str, Any], text: str, data: dict[str, Any]
) -> None:
    # As the reader hands it on: what is large moves to payloads afterwards.
    run, _ = native.read_run(in_version_2(native_run(native_step(1, fields))), ())
    (found,) = run.steps[0].parts
    assert (found.text, dict(found.data)) == (text, data)


def test_a_cut_text_is_damaged_unless_the_file_says_otherwise() -> None:
    cut = {"characters": 90_000, "sha256": SHA}
    found = part(type="tool_request", tool="x", arguments="...", cut=cut)
    assert (found.data["cut"], found.capture) == (cut, {"text": "damaged"})
    said = {"text": "withheld", "claims": "not_captured"}
    assert part(type="message", text="...", cut=cut, capture=said).capture == said


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(documents(v2.Document))
def test_any_run_that_fits_is_read_whole(value: dict[str, Any]) -> None:
    result = taken(value)
    assert (len(result.runs), result.refusals) == (1, ())


PLACES: list[tuple[str, ...]] = [
    ("run", "closed_at"),
    ("run", "recorder"),
    ("run", "capture"),
    ("actors", "replaces"),
    ("steps", "recorded_at"),
    ("steps", "retry"),
    ("steps", "parts"),
]
PART_PLACES = ["claims", "payload", "cut", "resolution", "against", "subject", "method", "capture"]


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(PLACES), VALUES | st.integers() | st.floats())
def test_anything_in_a_new_field_is_read_or_refused(place: tuple[str, ...], held: Any) -> None:
    value = in_version_2(native_run())
    holder = value[place[0]]
    (holder if place[0] == "run" else holder[0])[place[1]] = held
    result = taken(value)
    assert result.runs or result.refusals


@settings(max_examples=100, deadline=None)
@given(
    st.sampled_from(["message", "state", "verification"]),
    st.sampled_from(PART_PLACES),
    VALUES | st.lists(st.dictionaries(st.sampled_from(["artifact", "version"]), VALUES)),
)
def test_anything_in_a_new_field_of_a_part_costs_at_most_its_step(
    kind: str, name: str, held: Any
) -> None:
    needed = {"text": "", "artifact": "a", "check": "c", "verdict": "passed"}
    known = {
        "message": ("text",),
        "state": ("artifact",),
        "verification": ("check", "verdict"),
    }[kind]
    given_part = {"type": kind, **{key: needed[key] for key in known}, name: held}
    result = taken(in_version_2(native_run(native_step(1, given_part), native_step(2))))
    assert len(result.runs[0].transcript.steps) + len(result.refusals) == 2
