"""Trajectories of SWE-agent: turns with what came of them, told once although written twice."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.real import FORMATS, needs_files
from traces.formats import intake
from traces.formats.base import Unreadable
from traces.transcript import ActorKind, Fate, Outcome, PartKind, StepKind, Transcript

REAL = FORMATS / "swe-agent"
SYSTEM = {"role": "system", "content": "Be good.", "agent": "main"}
TASK = {"role": "user", "content": "Fix it.", "agent": "main"}
SAID = {"role": "assistant", "content": "I look.\n```\nls src\n```", "action": "ls src\n"}
SEEN = {"role": "user", "content": "a.py\n(Current directory: /r)", "agent": "main"}


def turn(**more: Any) -> dict[str, Any]:
    state = '{"open_file": "n/a", "working_dir": "/r"}\n'
    said = {"thought": "I look.", "response": SAID["content"], "action": "ls src\n"}
    return {**said, "observation": "a.py", "state": state, **more}


def read(**value: Any) -> Transcript:
    given = {"environment": "swe_main", "history": [SYSTEM, TASK], "info": {}, **value}
    (run,) = intake.take(json.dumps(given).encode(), wanted="swe_agent").runs
    return run.transcript


def texts(transcript: Transcript) -> list[list[str]]:
    return [[part.text for part in step.parts] for step in transcript.steps]


def test_nothing_of_it_is_refused() -> None:
    with pytest.raises(Unreadable, match="no steps"):
        intake.take(b'{"trajectory": 7}', wanted="swe_agent")


def test_a_turn_is_a_model_call_and_a_command_with_the_state_after_it() -> None:
    transcript = read(trajectory=[turn()], history=[SYSTEM, TASK, SAID, SEEN])
    assert texts(transcript) == [
        ["Be good."],
        ["Fix it."],
        ["I look."],
        ["ls src\n", "a.py", "open_file: n/a\nworking_dir: /r"],
    ]
    step = transcript.steps[3]
    assert (step.kind, step.tool, step.pointer) == (StepKind.TOOL, "ls", "/trajectory/0")
    assert step.parts[2].kind is PartKind.STATE
    assert "malformed_arguments" not in {gap.kind for gap in transcript.gaps}


def test_the_conversation_tells_the_turns_again_and_is_folded_into_them() -> None:
    transcript = read(trajectory=[turn()], history=[SYSTEM, TASK, SAID, SEEN])
    assert transcript.steps[2].also_from == ("/history/2", "/history/3")
    assert transcript.folded == {"turns told again in the conversation": 2}


def test_messages_of_no_turn_are_kept_in_the_raw_file_and_a_gap() -> None:
    transcript = read(trajectory=[turn()], history=[SYSTEM, TASK, SAID, SEEN, SAID])
    assert [(r.pointer, r.fate) for r in transcript.records] == [("/history/4", Fate.UNMAPPED)]
    assert "kept_in_raw_only" in {gap.kind for gap in transcript.gaps}


def test_demonstrations_are_not_the_run() -> None:
    demo = {"role": "user", "content": "zebra", "is_demo": True}
    transcript = read(trajectory=[turn()], history=[SYSTEM, demo, TASK])
    assert "zebra" not in str(transcript.steps)
    assert [(r.pointer, r.label) for r in transcript.records] == [("/history/1", "demonstration")]


def test_functions_that_the_model_called_have_their_names_and_arguments() -> None:
    function = {"name": "bash", "arguments": '{"command": "ls src"}'}
    call = {"id": "c1", "type": "function", "function": function}
    transcript = read(trajectory=[turn()], history=[TASK, {**SAID, "tool_calls": [call]}])
    assert transcript.steps[2].tool == "bash"
    assert texts(transcript)[2][:2] == ['{"command": "ls src"}', "a.py"]


def test_a_turn_without_a_command_is_answered_by_the_harness() -> None:
    transcript = read(trajectory=[turn(action="", observation="No command found.", state=None)])
    assert [(step.actor, step.text) for step in transcript.steps[2:]] == [
        ("main", "I look."),
        ("environment", "No command found."),
    ]
    assert transcript.actor_by_key["environment"].kind is ActorKind.HARNESS


def test_turns_are_read_from_the_conversation_where_that_is_all() -> None:
    said = {**SAID, "message_type": "action", "thought": "I look."}
    end = {"role": "assistant", "content": "Done.", "action": "", "message_type": "action"}
    transcript = read(history=[{**SYSTEM, "message_type": "system_prompt"}, TASK, said, SEEN, end])
    assert texts(transcript)[2:] == [["I look."], ["ls src\n", SEEN["content"]], ["Done."]]


def test_submitted_is_the_frameworks_word_and_no_outcome() -> None:
    info = {"exit_status": "submitted", "submission": "diff", "model_stats": {}, "edited_files": ""}
    transcript = read(trajectory=[turn()], info={**info, "novelty": 1})
    assert [(r.value, r.by) for r in transcript.reports] == [("submitted", "framework")]
    assert transcript.outcome is Outcome.UNKNOWN
    assert transcript.unread == {"info.novelty": 1}


def test_attempts_are_runs_and_what_the_reviewer_thinks_is_an_opinion() -> None:
    review = {"accept": 0.2, "outputs": ["zebra"]}
    tries = [
        {"history": [TASK], "trajectory": [turn()], "info": {"review": review}},
        {"history": [TASK], "trajectory": [turn(observation="b.py")], "info": {}},
        7,
    ]
    result = intake.take(json.dumps({"attempts": tries}).encode())
    assert [(run.pointer, run.transcript.attempt) for run in result.runs] == [
        ("/attempts/0", 1),
        ("/attempts/1", 2),
    ]
    assert [refusal.position for refusal in result.refusals] == ["/attempts/2"]
    first = result.runs[0].transcript
    assert [opinion.data for opinion in first.opinions] == [review]
    assert "zebra" not in str([first.steps, first.gaps, first.failures, first.suspicions])


def test_how_it_was_set_up() -> None:
    config = {
        "env": {"repo": {"base_commit": "ab12"}, "deployment": {"image": "img:1"}},
        "agent": {"model": {"name": "m-1"}, "tools": {"bundles": [{"path": "tools/search"}]}},
        "problem_statement": {"id": "task-1", "text": "Fix the sum."},
    }
    transcript = read(trajectory=[turn()], replay_config=json.dumps(config))
    assert (transcript.task_id, transcript.task_text) == ("task-1", "Fix the sum.")
    assert transcript.initial_state == {"reference": "ab12", "image": "img:1"}
    assert transcript.actor_by_key["main"].model == "m-1"


@needs_files
@pytest.mark.parametrize(
    ("name", "turns", "history"),
    [
        ("ctf-katy.traj", 18, 37),
        ("marshmallow-1867.function-calling-replace.traj", 11, 24),
        ("swe-agent__test-repo-i1.traj", 5, 12),
        # Only the conversation: a system prompt, the task, and five turns of two messages.
        ("function_calling_simple.traj", 5, 12),
    ],
)
def test_real_files(name: str, turns: int, history: int) -> None:
    (run,) = intake.take((REAL / name).read_bytes()).runs
    steps = run.transcript.steps
    said = [step for step in steps if step.kind is StepKind.DECISION]
    ran = [step for step in steps if step.kind is StepKind.TOOL]
    assert (len(said), len(ran)) == (turns, turns)
    assert all(step.parts[1].kind is PartKind.TOOL_RESPONSE for step in ran)
    pointers = {p for step in steps for p in (step.pointer, *step.also_from)}
    pointers |= {record.pointer for record in run.transcript.records}
    assert {f"/history/{number}" for number in range(history)} <= pointers
