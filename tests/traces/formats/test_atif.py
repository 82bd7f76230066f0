"""Trajectories of one agent each, told as one run with those that they refer to."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.real import FORMATS, needs_files
from tests.traces.formats.files.test_containers import zipped
from tests.traces.formats.native_runs import kinds
from traces.formats import intake
from traces.formats.intake import TakenRun
from traces.transcript import LinkKind, PartKind, StepKind, Transcript


def step(number: int, source: str = "agent", message: Any = "x", **more: Any) -> dict[str, Any]:
    return {"step_id": number, "source": source, "message": message, **more}


def trajectory(*steps: Any, name: str = "t-1", **more: Any) -> dict[str, Any]:
    return {
        "schema_version": "ATIF-v1.7",
        "session_id": "s-1",
        "trajectory_id": name,
        "agent": {"name": "helper", "version": "1", "model_name": "m"},
        "steps": list(steps),
        **more,
    }


def calling(number: int, *calls: str, results: Any = ()) -> dict[str, Any]:
    called = [{"tool_call_id": c, "function_name": "look", "arguments": {"n": 1}} for c in calls]
    return step(number, tool_calls=called, observation={"results": list(results)})


def ref(**where: str) -> dict[str, Any]:
    return {"content": None, "subagent_trajectory_ref": [where]}


def run_of(value: Any) -> Transcript:
    (run,) = intake.take(json.dumps(value).encode()).runs
    return run.transcript


def files(**values: Any) -> list[TakenRun]:
    named = {name.replace("_", "."): json.dumps(value).encode() for name, value in values.items()}
    return list(intake.take(zipped(named)).runs)


def told(transcript: Transcript) -> list[str]:
    return [f"{each.actor}: {each.parts[0].text}" for each in transcript.steps]


@pytest.mark.parametrize(
    "value", [{"schema_version": "ATIF-v1.4"}, {"schema_version": "ATIF-v1.4", "steps": {}}]
)
def test_what_has_no_steps_is_refused(value: Any) -> None:
    (refusal,) = intake.take(json.dumps(value).encode()).refusals
    assert refusal.reason == "This is no ATIF trajectory: it has no list steps."


def test_what_is_no_step_is_a_gap_and_stays_reachable() -> None:
    transcript = run_of(trajectory(step(1, "user"), "oops", step(2)))
    assert "undecodable_step" in kinds(transcript)
    assert [record.pointer for record in transcript.records] == ["/steps/1"]
    assert len(transcript.steps) == 2


def test_steps_out_of_turn_are_a_gap() -> None:
    assert "sequence_hole" in kinds(run_of(trajectory(step(1), step(3))))
    assert "sequence_hole" not in kinds(run_of(trajectory(step(2), step(1))))


def test_a_step_with_calls_is_a_decision_and_a_step_for_each_call() -> None:
    transcript = run_of(
        trajectory(
            step(1, "user", "Look twice."),
            calling(
                2,
                "a",
                "b",
                results=[
                    {"source_call_id": "b", "content": "two"},
                    {"source_call_id": "a", "content": "one"},
                ],
            ),
        )
    )
    assert [each.kind for each in transcript.steps] == [
        StepKind.INPUT,
        StepKind.DECISION,
        StepKind.TOOL,
        StepKind.TOOL,
    ]
    assert [each.source_id for each in transcript.steps] == ["1", "2", "2.1", "2.2"]
    assert [each.parts[1].text for each in transcript.steps[2:]] == ["one", "two"]
    assert {part.kind for each in transcript.steps for part in each.parts} == {
        PartKind.INPUT,
        PartKind.MESSAGE,
        PartKind.TOOL_REQUEST,
        PartKind.TOOL_RESPONSE,
    }


def test_results_of_no_call_come_from_the_environment() -> None:
    results = [{"content": "$ ls"}, {"source_call_id": "elsewhere", "content": "$ pwd"}]
    transcript = run_of(trajectory(step(1, observation={"results": results}), step(2)))
    assert told(transcript) == [
        "helper: x",
        "environment: $ ls",
        "environment: $ pwd",
        "helper: x",
    ]
    assert transcript.steps[1].parts[0].is_observation(transcript.actor_of(transcript.steps[1]))


def test_an_embedded_subagent_stands_between_its_call_and_the_next_step() -> None:
    sub = trajectory(step(1, "user", "Dig."), step(2, message="Dug."), name="t-2")
    sub["agent"] = {"name": "digger"}
    transcript = run_of(
        trajectory(
            step(1, observation={"results": [ref(trajectory_id="t-2")]}),
            step(2, message="Thanks."),
            subagent_trajectories=[sub],
        )
    )
    assert told(transcript) == ["helper: x", "helper: Dig.", "digger t-2: Dug.", "helper: Thanks."]
    actor = transcript.actor_by_key["digger t-2"]
    assert (actor.role, actor.instance, actor.parent) == ("digger", "t-2", "helper")
    recorded = {(each.source, each.target, each.kind) for each in transcript.links if not each.rule}
    assert recorded == {(0, 1, LinkKind.SPAWN), (2, 3, LinkKind.CONSUMES)}


def test_a_reference_to_nowhere_is_a_gap() -> None:
    transcript = run_of(
        trajectory(
            step(1, observation={"results": [ref(trajectory_path="gone.json")]}),
            continued_trajectory_ref="more.json",
        )
    )
    (gap,) = [gap for gap in transcript.gaps if gap.kind == "missing_parent"]
    assert "gone.json, more.json" in gap.detail


def test_a_trajectory_that_continues_itself_ends() -> None:
    first = trajectory(step(1), continued_trajectory_ref="b.json")
    second = trajectory(step(1), continued_trajectory_ref="a.json", name="t-2")
    assert {len(run.transcript.steps) for run in files(a_json=first, b_json=second)} == {1}


def test_files_that_refer_to_each_other_are_one_run() -> None:
    main = trajectory(
        step(1, "user", "Go."),
        step(2, observation={"results": [ref(trajectory_path="sub.json")]}),
        continued_trajectory_ref="main.cont.json",
    )
    sub = trajectory(step(1, message="Below."), name="t-sub")
    again = trajectory(
        step(1, "user", "Go.", is_copied_context=True),
        step(2, "user", "The summary.", is_copied_context=True),
        step(3, message="On."),
        name="t-1",
    )
    main_run, other = files(
        main_json=main, main_cont_json=again, sub_json=sub, zother_json=trajectory(step(1))
    )
    assert (main_run.pointer, other.pointer) == ("main.json", "zother.json")
    transcript = main_run.transcript
    assert told(transcript) == [
        "user: Go.",
        "helper: x",
        "helper t-sub: Below.",
        "user: The summary.",
        "helper: On.",
    ]
    assert transcript.folded == {"context copied from another trajectory": 1}
    assert transcript.steps[4].pointer == "main.cont.json: /steps/2"


def test_a_long_chain_of_continuations_is_followed() -> None:
    chain = {
        f"c{n}_json": trajectory(step(1, message=str(n)), continued_trajectory_ref=f"c{n + 1}.json")
        for n in range(900)
    }
    (run,) = files(**chain)
    assert [each.parts[0].text for each in run.transcript.steps] == [str(n) for n in range(900)]


@given(st.integers(0, 400))
def test_whatever_the_depth_of_subagents_nothing_breaks(depth: int) -> None:
    value = trajectory(step(1), name="t-last")
    for level in range(min(depth, 60)):
        refers = step(1, observation={"results": [ref(trajectory_id=value["trajectory_id"])]})
        value = trajectory(refers, name=f"t-{level}x", subagent_trajectories=[value])
    assert len(run_of(value).steps) == min(depth, 60) + 1


@needs_files
def test_the_linear_history_has_five_and_eight_steps_and_no_times() -> None:
    begin = "terminus2-linear-history.trajectory"
    content = {
        name: (FORMATS / "atif" / name).read_bytes()
        for name in (f"{begin}.json", f"{begin}.cont-1.json")
    }
    counts = [len(json.loads(each)["steps"]) for each in content.values()]
    (run,) = intake.take(zipped(content)).runs
    reached = {step.pointer for step in run.transcript.steps}
    reached |= {record.pointer for record in run.transcript.records}
    assert counts == [5, 8]
    assert reached == {f"/steps/{n}" for n in range(5)} | {
        f"{begin}.cont-1.json: /steps/{n}" for n in range(8)
    }
    assert "no_times" in kinds(run.transcript)


@needs_files
def test_the_trajectory_of_the_trial_has_38_steps_and_18_calls() -> None:
    path = FORMATS / "harbor-trial" / "build-pov-ray__shn5AKH__agent__trajectory.json"
    (run,) = intake.take(path.read_bytes()).runs
    assert run.transcript.schema == "ATIF-v1.2"
    steps = run.transcript.steps
    assert len({step.pointer for step in steps}) == 38
    assert sum(step.kind is StepKind.TOOL for step in steps) == 18
