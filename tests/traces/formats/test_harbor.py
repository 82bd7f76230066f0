"""A trial's folder is one run, in which agent, framework and verifier speak for themselves."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from tests.real import FORMATS, needs_files
from tests.traces.formats.files.test_containers import zipped
from tests.traces.formats.test_atif import calling, step, trajectory
from traces.formats import intake
from traces.formats.intake import Intake
from traces.transcript import Fate, Outcome, PartKind, StepKind, Transcript

REAL = FORMATS / "harbor-trial"

RESULT = {
    "id": "trial-1",
    "task_name": "count-ships",
    "trial_name": "count-ships__Ab1",
    "task_id": {"git_url": "https://git.example/tasks", "git_commit_id": "c0ffee", "path": "ships"},
    "task_checksum": "d1",
    "config": {"agent": {"model_name": "small-1"}},
    "agent_info": {"name": "otter", "version": "3", "model_info": None},
    "verifier_result": {"rewards": {"reward": 0.0}},
    "exception_info": None,
    "started_at": "2026-03-01T10:00:00Z",
    "finished_at": "2026-03-01T10:09:00Z",
}
STORY = trajectory(step(1, "user", "Count."), calling(2, "c1"), step(3, message="Seven ships."))
TESTS = {
    "results": {
        "tool": {"name": "pytest"},
        "tests": [
            {"name": "test_count", "status": "failed", "trace": "assert 7 == 8"},
            {"name": "test_file", "status": "passed"},
            {"name": "test_slow", "status": "skipped"},
        ],
    }
}
SPOKEN = {
    "type": "assistant",
    "session_id": "z",
    "parent_tool_use_id": None,
    "message": {
        "id": "m1",
        "role": "assistant",
        "content": [{"type": "text", "text": "Seven."}],
    },
}
STREAM = [
    {"type": "system", "subtype": "init", "session_id": "z", "cwd": "/app"},
    SPOKEN,
    {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "session_id": "z",
        "result": "Seven ships.",
    },
]


def taken(root: str = "", **more: Any) -> Intake:
    files: dict[str, Any] = {
        "result.json": RESULT,
        "config.json": {"trial_name": "count-ships__Ab1"},
        "trial.log": "it went on",
        "agent/trajectory.json": STORY,
        "verifier/ctrf.json": TESTS,
        "verifier/reward.txt": "0\n",
    }
    files |= more.pop("files", {})
    files["result.json"] = files["result.json"] | more
    return intake.take(
        zipped(
            {
                f"{root}{name}": value.encode() if isinstance(value, str) else lines(value)
                for name, value in files.items()
                if value is not None
            }
        )
    )


def lines(value: Any) -> bytes:
    if isinstance(value, list):
        return b"\n".join(json.dumps(each).encode() for each in value)
    return json.dumps(value).encode()


def run_of(**more: Any) -> Transcript:
    (run,) = taken(**more).runs
    return run.transcript


def test_what_names_no_trial_is_refused() -> None:
    value = {"trial_name": "", "verifier_result": None}
    (refusal,) = intake.take(json.dumps(value).encode()).refusals
    assert refusal.reason == "This is no result of a Harbor trial: it has no trial_name."


def test_the_folder_is_one_run_from_task_to_verdict() -> None:
    result = taken()
    assert (result.refusals, result.left_out) == ((), ())
    (run,) = result.runs
    told = run.transcript
    assert (run.format, run.pointer) == ("harbor@1", "result.json")
    assert (told.external_id, told.task_id, told.task_text) == ("trial-1", "count-ships", "Count.")
    assert told.initial_state == {
        "reference": "https://git.example/tasks@c0ffee#ships",
        "digest": "d1",
    }
    assert (told.system["name"], told.system["models"]) == ("otter", {"otter": "small-1"})
    assert [each.kind for each in told.steps] == [
        StepKind.INPUT,
        StepKind.DECISION,
        StepKind.TOOL,
        StepKind.MESSAGE,
        StepKind.VERIFICATION,
    ]
    assert told.steps[1].pointer == "agent/trajectory.json: /steps/1"


def test_agent_framework_and_verifier_are_three_speakers() -> None:
    told = run_of(files={"agent/otter.txt": STREAM})
    said = [(each.by, each.value, each.detail) for each in told.reports]
    assert ("agent", "success") in [each[:2] for each in said]
    assert ("framework", "completed", "") in said
    assert ("verifier", "failed", "reward 0") in said
    assert told.outcome is Outcome.FAILED


def test_without_a_log_of_its_own_the_agents_last_words_are_its_claim() -> None:
    (claim,) = [each for each in run_of().reports if each.by == "agent"]
    assert (claim.value, claim.detail, claim.step) == ("completed", "Seven ships.", 3)


def test_each_test_is_a_check_and_each_that_failed_a_failure() -> None:
    told = run_of()
    checks = told.steps[-1].parts
    assert [(part.data["check"], part.data["verdict"]) for part in checks] == [
        ("test_count", "failed"),
        ("test_file", "passed"),
        ("test_slow", "skipped"),
    ]
    assert checks[0].text.startswith("assert 7 == 8\n\n")
    assert [failure.check for failure in told.failures] == ["test_count"]


def test_a_bad_reward_is_the_failure_where_no_test_tells_more() -> None:
    told = run_of(files={"verifier/ctrf.json": None})
    assert [failure.check for failure in told.failures] == ["reward"]


@pytest.mark.parametrize(
    ("reward", "outcome", "said"),
    [
        (1, Outcome.SUCCEEDED, "passed"),
        (0.4, Outcome.UNKNOWN, "inconclusive"),
        (0, Outcome.FAILED, "failed"),
    ],
)
def test_a_reward_is_an_outcome_only_at_its_ends(
    reward: float, outcome: Outcome, said: str
) -> None:
    told = run_of(
        verifier_result={"rewards": {"reward": reward}}, files={"verifier/ctrf.json": None}
    )
    assert told.outcome is outcome
    assert ("verifier", said) in [(each.by, each.value) for each in told.reports]


def test_a_trial_that_broke_down_is_told_by_the_framework() -> None:
    error = {"exception_type": "AgentTimeoutError", "exception_message": "after 900 s"}
    told = run_of(
        exception_info=error,
        verifier_result=None,
        files={"agent/trajectory.json": None, "verifier/ctrf.json": None},
    )
    assert told.steps == ()
    assert [(each.by, each.value) for each in told.reports] == [("framework", "AgentTimeoutError")]
    assert told.outcome is Outcome.FAILED
    assert [failure.observed for failure in told.failures] == ["after 900 s"]


def test_without_a_trajectory_the_agents_own_log_is_told() -> None:
    told = run_of(files={"agent/trajectory.json": None, "agent/otter.txt": STREAM})
    assert [each.text for each in told.steps[:-1]] == ["Seven."]
    assert told.steps[0].pointer == "agent/otter.txt: line 2"


def test_every_file_stays_reachable() -> None:
    told = run_of(files={"agent/otter.txt": STREAM, "agent/setup.log": "installing"})
    reached = {each.pointer.split(": ")[0] for each in (*told.steps, *told.records)}
    reached |= {each for step in told.steps for each in step.also_from}
    assert reached >= {
        "agent/trajectory.json",
        "agent/otter.txt",
        "agent/setup.log",
        "config.json",
        "trial.log",
        "verifier/ctrf.json",
        "verifier/reward.txt",
    }


def test_a_trajectory_that_nothing_refers_to_is_a_gap_and_stays_reachable() -> None:
    told = run_of(files={"agent/trajectory.other.json": trajectory(step(1), name="t-9")})
    assert [gap.kind for gap in told.gaps if "trajectory.other.json" in gap.detail] == [
        "kept_in_raw_only"
    ]
    assert "agent/trajectory.other.json" in [record.pointer for record in told.records]


def test_trials_side_by_side_are_told_apart() -> None:
    files = {
        f"{trial}/{name}": json.dumps(value).encode()
        for trial in ("a", "b")
        for name, value in {
            "result.json": RESULT | {"id": trial},
            "agent/trajectory.json": STORY,
        }.items()
    }
    runs = intake.take(zipped(files)).runs
    assert [run.transcript.external_id for run in runs] == ["a", "b"]
    assert {len(run.transcript.steps) for run in runs} == {5}


def test_a_result_alone_is_a_run_without_its_middle() -> None:
    (run,) = intake.take(json.dumps(RESULT).encode()).runs
    assert run.format == "harbor@1"
    assert [each.kind for each in run.transcript.steps] == [StepKind.VERIFICATION]


@needs_files
def test_the_real_trial_fails_although_its_agent_says_success() -> None:
    content = {path.name: path.read_bytes() for path in REAL.iterdir() if path.name != "SOURCE.md"}
    result = intake.take(zipped(content))
    (run,) = result.runs
    assert (result.refusals, result.left_out) == ((), ())
    told = run.transcript
    assert len({each.pointer for each in told.steps if "trajectory.json" in each.pointer}) == 38
    assert sum(each.kind is StepKind.TOOL for each in told.steps) == 18
    log = [each for each in told.records if "claude-code.txt" in each.pointer]
    assert (len(log), {each.fate for each in log}) == (62, {Fate.FOLDED})
    said = {(each.by, each.value) for each in told.reports}
    assert said == {("agent", "success"), ("framework", "completed"), ("verifier", "failed")}
    assert told.outcome is Outcome.FAILED
    parts = Counter(part.data["verdict"] for _, part in told.parts_of(PartKind.VERIFICATION))
    assert parts == {"failed": 3}
