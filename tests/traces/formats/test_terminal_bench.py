"""What was typed and shown in a terminal, and what the tests said of it."""

from __future__ import annotations

import json
from typing import Any

from tests.real import FORMATS, needs_files
from tests.traces.formats.files.test_containers import zipped
from traces.formats import intake
from traces.transcript import Outcome, StepKind, Transcript

REAL = FORMATS / "terminal-bench-1"

RESULT: dict[str, Any] = {
    "id": "t-1",
    "trial_name": "ships.1-of-1",
    "task_id": "ships",
    "instruction": "Count the ships.",
    "is_resolved": False,
    "failure_mode": "unset",
    "parser_results": {"test_count": "failed", "test_file": "passed"},
    "trial_ended_at": "2026-03-01T10:09:00+00:00",
}


def run_of(files: dict[str, str], **more: Any) -> Transcript:
    content = {"results.json": json.dumps(RESULT | more).encode()}
    (run,) = intake.take(
        zipped(content | {name: text.encode() for name, text in files.items()})
    ).runs
    return run.transcript


def test_what_names_no_trial_is_refused() -> None:
    value = {"trial_name": None, "parser_results": {}}
    (refusal,) = intake.take(json.dumps(value).encode()).refusals
    assert refusal.reason == "This is no result of a Terminal-Bench trial: it has no trial_name."


def test_typing_and_screens_are_steps_in_their_order() -> None:
    told = run_of(
        {
            "commands.txt": "['ls', 'Enter']\n\n['C-d']\n",
            "panes/pre-agent.txt": "$",
            "panes/post-agent.txt": "$ ls\n7",
            "panes/post-test.txt": "1 failed",
            "sessions/agent.cast": '{"version": 2}\n[0.1, "o", "$"]',
        }
    )
    assert [(each.actor, each.text) for each in told.steps[:-1]] == [
        ("terminal", "$"),
        ("keyboard", "['ls', 'Enter']"),
        ("keyboard", "['C-d']"),
        ("terminal", "$ ls\n7"),
    ]
    assert told.steps[2].pointer == "commands.txt: line 3"
    assert told.steps[-1].kind is StepKind.VERIFICATION
    assert told.steps[-1].parts[-1].text == "1 failed"
    assert [record.pointer for record in told.records] == ["sessions/agent.cast"]


def test_the_tests_decide_and_the_framework_speaks_for_itself() -> None:
    told = run_of({"commands.txt": "['ls']"}, failure_mode="agent_timeout")
    assert [(each.by, each.value) for each in told.reports] == [
        ("framework", "agent_timeout"),
        ("verifier", "failed"),
    ]
    assert told.outcome is Outcome.FAILED
    assert [failure.check for failure in told.failures] == ["test_count"]
    assert run_of({"commands.txt": "x"}, is_resolved=None).outcome is Outcome.UNKNOWN


def test_results_of_many_trials_are_as_many_runs() -> None:
    value = {"id": "all", "results": [RESULT, RESULT | {"id": "t-2"}], "accuracy": 0.5}
    runs = intake.take(json.dumps(value).encode()).runs
    assert [(run.transcript.external_id, run.pointer) for run in runs] == [
        ("t-1", "/results/0"),
        ("t-2", "/results/1"),
    ]


@needs_files
def test_the_real_trial_is_one_run_that_failed_its_one_test() -> None:
    content = {path.name: path.read_bytes() for path in REAL.iterdir() if path.name != "SOURCE.md"}
    result = intake.take(zipped(content))
    (run,) = result.runs
    assert (result.refusals, result.left_out) == ((), ())
    told = run.transcript
    assert (told.outcome, told.task_id) == (Outcome.FAILED, "chess-best-move")
    assert sum(each.actor == "keyboard" for each in told.steps) == 10
    assert [failure.check for failure in told.failures] == ["test_move_correct"]
