"""The native format: a strict header, steps one by one, links before sequence before clock."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.traces.formats.native_runs import (
    SAMPLE_PATHS,
    kinds,
    native_run,
    native_step,
    taken,
    transcript_of,
    tried,
)
from traces.formats import intake, native
from traces.transcript import Link, LinkKind, PartKind, StepKind, StepStatus, Transcript


def refusals(value: object) -> list[tuple[str, str]]:
    return [(refusal.position, refusal.reason) for refusal in taken(value).refusals]


@pytest.mark.parametrize(
    ("changes", "position"),
    [
        ({"run": {}}, "/run: Object missing required field `id`"),
        ({"run": {"id": ""}}, "/run/id: "),
        ({"run": {"id": "r", "outcome": "lost"}}, "/run/outcome: Invalid enum value 'lost'"),
        ({"actors": "planner"}, "/actors: Expected `array`"),
        ({"steps": {}}, "/steps: Expected `array`"),
        ({"actors": [{"id": "a"}]}, "/actors/0: Object missing required field `role`"),
        ({"mood": "sunny"}, "/: Object contains unknown field `mood`"),
        (
            {"schema": "inquest-run/3"},
            'The schema is "inquest-run/3"; this release reads'
            ' "inquest-run/1" and "inquest-run/2".',
        ),
        ({"run": {"id": "r", "failures": [{"id": "f"}]}}, "/run/failures/0: "),
    ],
)
def test_a_header_with_a_fault_is_refused_with_its_path(
    changes: dict[str, Any], position: str
) -> None:
    ((_, reason),) = refusals(native_run() | changes)
    assert reason.startswith(position)


@pytest.mark.parametrize("schema", ["inquest-run/1", "inquest-run/2"])
@pytest.mark.parametrize("missing", [("steps",), ("run", "actors", "steps")])
def test_a_run_without_a_key_is_refused_with_its_name(
    schema: str, missing: tuple[str, ...]
) -> None:
    run = {key: value for key, value in native_run().items() if key not in missing}
    names = ", ".join(f'"{name}"' for name in missing)
    reason = f"This is no whole run: it has no {names}."
    assert refusals(run | {"schema": schema}) == [("/", reason)]


def test_a_list_entry_that_is_no_run_is_refused_and_the_run_beside_it_kept() -> None:
    result = taken([native_run(), 7])
    assert [run.pointer for run in result.runs] == ["/0"]
    assert [(r.position, r.reason) for r in result.refusals] == [
        ("/1", "This is no run: a run is a JSON object.")
    ]


def test_a_bad_step_is_refused_with_its_path_and_the_rest_kept() -> None:
    bad = native_step(2, {"type": "message", "text": 5})
    result = taken(native_run(native_step(1), bad, native_step(3, inputs=["s1"])))
    assert [r.position for r in result.refusals] == ["/steps/1/parts/0/text"]
    (run,) = result.runs
    assert [step.source_id for step in run.transcript.steps] == ["s1", "s3"]
    assert kinds(run.transcript)["undecodable_step"] is None


@pytest.mark.parametrize("step", [None, 7, "s1", [], {"id": "x"}, {"id": "x", "parts": [7]}])
def test_what_is_no_step_is_refused_alone(step: object) -> None:
    result = taken(native_run(native_step(1), step))  # type: ignore[arg-type]
    assert len(result.runs) == len(result.refusals) == 1


def test_unknown_keys_are_refused_but_for_extra() -> None:
    spoilt = native_step(2, mood="sunny")
    result = taken(native_run(native_step(1, extra={"mood": "sunny"}), spoilt))
    assert [r.position for r in result.refusals] == ["/steps/1"]


def test_a_reference_to_nothing_is_a_gap_at_its_step() -> None:
    transcript = transcript_of(native_run(native_step(1), native_step(2, inputs=["s1", "gone"])))
    assert kinds(transcript)["missing_parent"] == 1
    assert transcript.links == (Link(0, 1, LinkKind.CONSUMES),)


def test_reports_and_failures_that_point_nowhere_are_a_gap_of_the_run() -> None:
    reports = [{"by": "harness", "value": "failed", "step": "gone"}]
    transcript = transcript_of(native_run(reports=reports, outcome="failed"))
    assert kinds(transcript)["missing_parent"] is None
    assert transcript.reports[0].step is None


def test_a_ring_of_links_is_a_gap_and_no_crash() -> None:
    steps = native_step(1, inputs=["s2"]), native_step(2, inputs=["s1"])
    transcript = transcript_of(native_run(*steps))
    assert kinds(transcript)["cycle"] is None
    assert transcript.links == (Link(0, 1, LinkKind.CONSUMES),)


def test_links_are_believed_against_the_sequence_and_that_is_a_gap() -> None:
    steps = native_step(1, inputs=["s2"]), native_step(2)
    transcript = transcript_of(native_run(*steps))
    assert [step.source_id for step in transcript.steps] == ["s2", "s1"]
    assert kinds(transcript)["order_conflict"] == 1


def test_the_sequence_is_believed_against_the_clock() -> None:
    steps = (
        native_step(1, started_at="2026-11-04T09:00:00Z"),
        native_step(2, started_at="2026-11-04T08:00:00Z"),
    )
    assert [step.source_id for step in transcript_of(native_run(*steps)).steps] == ["s1", "s2"]


def test_holes_in_the_sequence_are_one_gap() -> None:
    transcript = transcript_of(native_run(native_step(1), native_step(3), native_step(9)))
    (gap,) = [gap for gap in transcript.gaps if gap.kind == "sequence_hole"]
    assert gap.detail == (
        "Missing in the source's own sequence numbers:"
        " 2 (between steps #0 and #1 here), 4 to 8 (between steps #1 and #2 here)."
    )


def test_two_steps_with_one_id_are_both_kept_and_links_mean_the_first() -> None:
    other = native_step(2, {"type": "message", "text": "Another."}, id="s1")
    transcript = transcript_of(native_run(native_step(1), other, native_step(3, inputs=["s1"])))
    assert [step.source_id for step in transcript.steps] == ["s1", "s1", "s3"]
    assert kinds(transcript)["duplicate_step"] == 1
    assert Link(0, 2, LinkKind.CONSUMES) in transcript.links


def test_a_step_sent_twice_is_kept_once_and_counted() -> None:
    transcript = transcript_of(native_run(native_step(1), native_step(1)))
    assert len(transcript.steps) == 1
    assert kinds(transcript)["repeated_step"] is None


def test_an_actor_nobody_declared_is_made_and_a_gap() -> None:
    transcript = transcript_of(native_run(native_step(1, actor="coder")))
    assert transcript.actor_by_key["coder"].capture == {"kind": "not_captured"}
    assert "unknown_actor" in kinds(transcript)


def test_of_actors_with_one_id_the_first_is_kept_and_that_is_a_gap() -> None:
    value = native_run()
    value["actors"] += [value["actors"][0], value["actors"][0] | {"model": "m2"}]
    run = transcript_of(value)
    assert [actor.model for actor in run.actors] == [None]
    assert kinds(run)["actor_conflict"] is None
    assert "actor_conflict" not in kinds(transcript_of(native_run()))


def test_a_time_without_zone_is_left_out_and_a_gap() -> None:
    transcript = transcript_of(native_run(native_step(1, started_at="2026-11-04T08:00:00")))
    assert transcript.steps[0].started_at is None
    assert "started_at 2026-11-04T08:00:00" in next(
        gap.detail for gap in transcript.gaps if gap.kind == "implausible_values"
    )


def test_each_reference_becomes_a_recorded_link_of_its_kind() -> None:
    steps = (
        native_step(1),
        native_step(2, spawned_by="s1"),
        native_step(3, handoff_from="s1"),
        native_step(4, retry={"of": "s3", "attempt": 2, "reason": "timeout"}),
        native_step(5, joins=["s2", "s4"]),
    )
    transcript = transcript_of(native_run(*steps))
    assert transcript.links == (
        Link(0, 1, LinkKind.SPAWN),
        Link(0, 2, LinkKind.HANDOFF),
        Link(2, 3, LinkKind.RETRY_OF),
        Link(1, 4, LinkKind.JOIN),
        Link(3, 4, LinkKind.JOIN),
    )
    assert transcript.steps[3].attempt == 2
    assert transcript.steps[3].attempt_reason == "timeout"


def test_only_a_step_without_any_predecessor_is_guessed_to_follow() -> None:
    transcript = transcript_of(native_run(native_step(1), native_step(2)))
    (link,) = transcript.links
    assert (link.kind, link.rule) == (LinkKind.FOLLOWS, "previous step of the same actor")


PARTS = [
    ({"type": "input", "text": "Do it."}, "Do it.", {}),
    ({"type": "message", "text": "Done.", "to": "owner"}, "Done.\n\nto: owner", {"to": "owner"}),
    (
        {"type": "tool_request", "tool": "grep", "call": "c1", "arguments": {"q": "é", "n": 1}},
        '{"q":"é","n":1}',
        {"tool": "grep", "call": "c1"},
    ),
    (
        {"type": "tool_request", "tool": "grep", "arguments": "{'q': 1}"},
        "{'q': 1}",
        {"tool": "grep", "parse_ok": False},
    ),
    (
        {"type": "tool_response", "call": "c1", "status": "error", "text": "404"},
        "404",
        {"call": "c1", "status": "error"},
    ),
    (
        {"type": "state", "artifact": "plan", "before": "plan@1", "after": "plan@2"},
        "plan: plan@1 -> plan@2\n\nartifact: plan\nbefore: plan@1\nafter: plan@2",
        {"artifact": "plan", "before": "plan@1", "after": "plan@2"},
    ),
    (
        {"type": "state", "artifact": "plan", "after": "plan@2", "change": "uses v1"},
        "uses v1\n\nartifact: plan\nafter: plan@2",
        {"artifact": "plan", "after": "plan@2"},
    ),
    (
        {"type": "verification", "check": "ci", "verdict": "failed", "expected": "201"},
        "ci: failed (expected 201)\n\ncheck: ci\nverdict: failed\nexpected: 201",
        {"check": "ci", "verdict": "failed", "expected": "201"},
    ),
    (
        {"type": "decision", "text": "Use v1.", "chosen": "v1", "rejected": [{"option": "v2"}]},
        "Use v1.\n\nchosen: v1\nrejected: v2",
        {"chosen": "v1", "rejected": [{"option": "v2"}]},
    ),
    (
        {"type": "error", "text": "Boom", "error": "OSError"},
        "Boom\n\nerror: OSError",
        {"error": "OSError"},
    ),
]


@pytest.mark.parametrize(("part", "text", "data"), PARTS, ids=lambda value: str(value)[:30])
def test_a_part_is_what_people_cite_and_the_rest_is_data(
    part: dict[str, Any], text: str, data: dict[str, Any]
) -> None:
    read = transcript_of(native_run(native_step(1, part))).steps[0].parts[0]
    assert (read.kind, read.text, dict(read.data)) == (PartKind(part["type"]), text, data)


@pytest.mark.parametrize(
    ("parts", "kind"),
    [
        ([{"type": "tool_request", "tool": "x"}, {"type": "error", "text": "!"}], StepKind.TOOL),
        ([{"type": "interpretation", "text": "Hm."}], StepKind.MESSAGE),
        ([{"type": "interpretation", "text": "Hm."}, PARTS[8][0]], StepKind.DECISION),
        ([], StepKind.MESSAGE),
    ],
)
def test_a_step_without_kind_is_named_for_its_parts(
    parts: list[dict[str, Any]], kind: StepKind
) -> None:
    step = {"id": "s1", "sequence": 1, "actor": "planner", "parts": parts}
    assert transcript_of(native_run(step)).steps[0].kind is kind


def test_a_step_without_status_has_that_of_its_tool() -> None:
    response = {"type": "tool_response", "status": "timeout"}
    steps = transcript_of(native_run(native_step(1, response), native_step(2))).steps
    assert [step.status for step in steps] == [StepStatus.TIMEOUT, StepStatus.NOT_CAPTURED]


def test_the_run_is_read_whole() -> None:
    run = native_run(
        source="recorder 1",
        task={"id": "T-1", "text": "Do it."},
        outcome="failed",
        started_at="2026-11-04T08:00:00+02:00",
        parent={"run": "run-0", "relation": "retry"},
        attempt={"number": 2, "reason": "flaky"},
        reports=[{"by": "harness", "value": "failed", "step": "s2"}],
        failures=[{"id": "f", "statement": "It broke.", "exposed_by": "s2", "check": "ci"}],
    )
    read = transcript_of(run)
    assert (read.external_id, read.source, read.schema) == ("run-1", "recorder 1", "inquest-run/1")
    assert (read.task_id, read.task_text, read.outcome) == ("T-1", "Do it.", "failed")
    assert read.started_at == datetime(2026, 11, 4, 6, tzinfo=UTC)
    assert (read.parent_run, read.parent_relation) == ("run-0", "retry")
    assert (read.attempt, read.attempt_reason) == (2, "flaky")
    assert read.reports[0].step == read.failures[0].exposed_by == 1


def test_jsonl_is_one_run_a_line() -> None:
    lines = [json.dumps(native_run(id=f"run-{n}")) for n in range(3)]
    result = intake.take("\n".join([*lines, '{"schema": "inq']).encode())
    assert [run.pointer for run in result.runs] == ["line 1", "line 2", "line 3"]
    assert [refusal.position for refusal in result.refusals] == ["line 4"]


@pytest.mark.parametrize("path", SAMPLE_PATHS, ids=lambda path: path.stem)
def test_samples_are_read_whole(path: Any) -> None:
    result = intake.take(path.read_bytes())
    (run,) = result.runs
    assert result.refusals == ()
    assert len(run.transcript.steps) == len(json.loads(path.read_text())["steps"])


def without_places(transcript: Transcript) -> Transcript:
    return replace(transcript, steps=tuple(replace(s, pointer="") for s in transcript.steps))


@settings(max_examples=20, deadline=None)
@given(st.sampled_from(SAMPLE_PATHS), st.randoms(use_true_random=False))
def test_steps_in_any_order_are_the_same_run(path: Any, chance: random.Random) -> None:
    value = json.loads(path.read_text())
    (given_run,) = taken(value).runs
    chance.shuffle(value["steps"])
    (shuffled,) = taken(value).runs
    assert without_places(shuffled.transcript) == without_places(given_run.transcript)
    assert shuffled.sha256 == given_run.sha256


@settings(deadline=None)
@given(st.integers(0, 600))
def test_a_file_cut_anywhere_is_refused_in_words(length: int) -> None:
    whole = json.dumps(native_run(), indent=1).encode()
    result, reason = tried(whole[:length])
    assert bool(result.runs) == (length >= len(whole))
    assert bool(reason) == (length < len(whole))


def test_a_step_of_too_many_inputs_is_refused_alone() -> None:
    many = native_step(2, inputs=[f"s{n}" for n in range(1001)])
    result = intake.take(json.dumps(native_run(native_step(1), many)).encode())
    assert len(result.runs[0].transcript.steps) == 1
    assert result.refusals[0].position == "/steps/1/inputs"


def test_a_run_of_too_many_links_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "MOST_LINKS", 1)
    steps = [native_step(1), native_step(2, inputs=["s1"], joins=["s1"])]
    result = intake.take(json.dumps(native_run(*steps)).encode())
    assert result.refusals[0].reason == "The steps have 2 inputs and joins in all; the limit is 1."
