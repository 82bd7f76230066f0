"""Codex rollouts: texts stored twice are told once, and copied history is not told again."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.traces.formats.logs import gaps, lines, links, real, real_run, run_of, step, tools
from traces.formats import intake
from traces.formats.base import Unreadable
from traces.transcript import ActorKind, Fate, LinkKind, PartKind, StepKind, StepStatus

META = {"id": "t-1", "cwd": "/repo", "cli_version": "0.50.0", "source": "cli"}


def at(second: int, kind: str, **payload: Any) -> dict[str, Any]:
    when = f"2026-01-03T04:05:{second:02d}.000Z"
    return {"timestamp": when, "type": kind, "payload": payload}


def item(second: int, kind: str, **payload: Any) -> dict[str, Any]:
    return at(second, "response_item", type=kind, **payload)


def event(second: int, kind: str, **payload: Any) -> dict[str, Any]:
    return at(second, "event_msg", type=kind, **payload)


def says(second: int, role: str, words: str) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    return item(second, "message", role=role, content=[{"type": kind, "text": words}])


def call(second: int, name: str, tool: str = "shell", **given: Any) -> dict[str, Any]:
    return item(second, "function_call", name=tool, call_id=name, arguments=json.dumps(given))


def output(second: int, name: str, value: Any) -> dict[str, Any]:
    return item(second, "function_call_output", call_id=name, output=value)


def wrapped(words: str, code: int) -> str:
    return json.dumps({"output": words, "metadata": {"exit_code": code, "duration_seconds": 0.5}})


@pytest.mark.parametrize("kind", ["token_count", "turn_aborted"])
def test_a_fragment_of_notes_is_refused_by_name(kind: str) -> None:
    with pytest.raises(Unreadable, match=f"only notes: {kind}"):
        intake.take(lines(event(0, kind)))


def test_a_rollout_is_told_step_by_step() -> None:
    transcript = run_of(
        at(0, "session_meta", **META, git={"commit_hash": "abc", "branch": "main"}),
        at(0, "turn_context", model="gpt-5-codex", effort="high"),
        says(1, "user", "<environment_context>/repo</environment_context>"),
        says(1, "user", "Run the tests."),
        event(1, "user_message", message="Run the tests."),
        event(2, "agent_message", message="Running them."),
        says(3, "assistant", "Running them."),
        call(3, "c-1", command=["pytest"]),
        output(5, "c-1", wrapped("1 failed", 1)),
        says(6, "assistant", "One test fails."),
    )

    assert [(s.source_id, s.actor, s.kind.value, s.text) for s in transcript.steps] == [
        ("line 3", "codex", "input", "<environment_context>/repo</environment_context>"),
        ("line 4", "user", "input", "Run the tests."),
        ("line 6.reply", "main", "decision", "Running them."),
        ("c-1", "main", "tool", '{"command": ["pytest"]}\n1 failed'),
        ("line 10.reply", "main", "message", "One test fails."),
    ]
    tool = step(transcript, "c-1")
    assert tool.status is StepStatus.ERROR
    assert tool.parts[1].data["exit_code"] == 1
    assert transcript.folded == {"texts that an event says again": 2}
    assert transcript.initial_state["digest"] == "abc"
    assert transcript.actor_by_key["main"].instance == "t-1"
    # The event came a second before the item was written.
    reply = step(transcript, "line 6.reply")
    assert reply.started_at is not None
    assert reply.ended_at is not None
    assert (reply.ended_at - reply.started_at).total_seconds() == 1


def test_what_only_an_event_says_is_a_step() -> None:
    transcript = run_of(
        at(0, "session_meta", **META),
        event(1, "user_message", message="Hello."),
        event(2, "agent_message", message="Hi."),
    )

    assert [s.text for s in transcript.steps] == ["Hello.", "Hi."]


def test_reasoning_that_is_encrypted_was_withheld() -> None:
    transcript = run_of(
        item(1, "reasoning", summary=[], content=None, encrypted_content="gAAA"),
        says(1, "assistant", "Yes."),
    )
    thought, words = transcript.steps[0].parts

    assert (thought.kind, thought.capture) == (PartKind.INTERPRETATION, {"text": "withheld"})
    assert words.text == "Yes."


def test_events_of_a_call_give_its_times_and_its_exit_code() -> None:
    transcript = run_of(
        call(1, "c-1", command=["make"]),
        event(2, "exec_command_begin", call_id="c-1"),
        event(9, "exec_command_end", call_id="c-1", exit_code=2),
        output(10, "c-1", "No rule"),
    )
    tool = step(transcript, "c-1")

    assert tool.status is StepStatus.ERROR
    assert tool.started_at is not None
    assert tool.started_at.second == 2
    assert tool.also_from == ("line 2", "line 3", "line 4")


def test_a_call_id_that_is_used_again_has_an_output_each_time() -> None:
    transcript = run_of(
        call(1, "c", command=["a"]),
        output(2, "c", "ok"),
        call(3, "c", command=["b"]),
        output(4, "c", "ok"),
    )

    assert [len(s.parts) for s in tools(transcript)] == [2, 2]


def test_a_patch_tells_what_it_changed() -> None:
    changes = {"a.py": {"type": "update"}, "b.py": {"type": "add"}}
    transcript = run_of(
        call(1, "c-1", "apply_patch", input="*** Begin Patch"),
        event(2, "patch_apply_end", call_id="c-1", success=True, changes=changes),
    )
    states = [p.data["artifact"] for _, p in transcript.parts_of(PartKind.STATE)]

    assert states == ["a.py", "b.py"]


def test_errors_of_the_stream_are_attempts() -> None:
    transcript = run_of(
        says(0, "user", "Go."),
        event(1, "stream_error", message="stream error: reset; retrying 1/5 in 200ms"),
        event(2, "stream_error", message="stream error: reset; retrying 2/5 in 400ms"),
        says(3, "assistant", "Here."),
    )
    reply = transcript.steps[-1]

    assert links(transcript, LinkKind.RETRY_OF) == [
        ("line 2", "line 3"),
        ("line 3", reply.source_id),
    ]
    assert reply.attempt == 3
    assert "reset" in str(reply.attempt_reason)


def test_the_end_of_a_turn_is_the_programs_word() -> None:
    transcript = run_of(says(0, "user", "Go."), event(1, "turn_aborted", reason="interrupted"))
    (report,) = transcript.reports

    assert (report.value, report.by, report.detail) == ("turn_aborted", "framework", "interrupted")
    assert transcript.outcome.value == "unknown"


def child() -> list[dict[str, Any]]:
    spawn = {"parent_thread_id": "t-1", "agent_nickname": "Euler"}
    meta = {"id": "t-2", "source": {"subagent": {"thread_spawn": spawn}}}
    begun = {"timestamp": "2026-01-03T04:05:10.000Z"}
    return [
        at(10, "session_meta", **meta, **begun),
        event(7, "user_message", message="Send a subagent."),
        call(8, "c-1", "spawn_agent", message="Look."),
        event(11, "user_message", message="Look."),
        event(12, "agent_message", message="Nothing here."),
    ]


def test_history_copied_from_the_parent_is_counted_and_not_told_again() -> None:
    transcript = run_of(*child())

    assert (transcript.parent_run, transcript.parent_relation) == ("t-1", "subagent")
    assert [s.text for s in transcript.steps] == ["Look.", "Nothing here."]
    assert transcript.folded == {"history copied from the parent": 2}
    assert [r.pointer for r in transcript.records if r.fate is Fate.FOLDED] == ["line 2", "line 3"]
    assert transcript.actor_by_key["Euler"].instance == "t-2"
    assert transcript.actor_by_key["caller"].instance == "t-1"


def test_a_compacted_history_is_an_interpretation_by_the_program() -> None:
    transcript = run_of(
        says(0, "user", "Go."),
        at(1, "compacted", message="So far: nothing.", replacement_history=[{}, {}]),
    )
    told = transcript.steps[-1]

    assert told.parts[0].kind is PartKind.INTERPRETATION
    assert transcript.actor_of(told).kind is ActorKind.HARNESS
    assert transcript.folded == {"history told again after compaction": 2}


def test_text_that_was_taken_out_is_withheld_and_not_absent() -> None:
    transcript = run_of(says(0, "user", "[withheld 12 chars]"))

    assert transcript.steps[0].parts[0].capture == {"text": "withheld"}


def test_the_long_rollout_has_the_counts_of_the_survey() -> None:
    transcript = real_run("codex-cli/rollout-0.40.0.a.text-withheld.jsonl")
    asked = tools(transcript)
    thoughts = transcript.parts_of(PartKind.INTERPRETATION)
    contexts = [r for r in transcript.records if r.label == "turn_context"]

    assert (len(asked), sum(len(s.parts) == 2 for s in asked)) == (34, 34)
    assert (len(contexts), len(thoughts)) == (35, 33)
    # The texts of 32 thoughts, a question and an answer.
    assert transcript.folded["texts that an event says again"] == 34
    assert gaps(transcript, "request_without_response") == []


def test_the_real_child_is_read_without_its_parents_history() -> None:
    transcript = real_run("codex-cli/spawn-child-with-copied-history.rollout.jsonl")

    assert transcript.folded == {"history copied from the parent": 2}
    assert len(transcript.steps) == 2


def test_the_real_fragments_are_read_or_refused_for_a_reason() -> None:
    (plan,) = tools(real_run("codex-cli/function-update_plan.jsonl"))

    assert plan.tool == "update_plan"
    for name in ("token-count", "turn-aborted"):
        with pytest.raises(Unreadable, match="only notes"):
            real(f"codex-cli/event-{name}.jsonl")


def test_a_turn_with_a_call_and_its_kind() -> None:
    transcript = run_of(call(1, "c-1"), output(2, "c-1", "ok"), says(3, "assistant", "Good."))

    assert [s.kind for s in transcript.steps] == [
        StepKind.DECISION,
        StepKind.TOOL,
        StepKind.MESSAGE,
    ]


@pytest.mark.parametrize(
    ("said", "status", "code"),
    [
        ("Exit code: 1\nWall time: 1.2 seconds\nOutput:\nFAILED", StepStatus.ERROR, 1),
        ("Exit code: 0\nWall time: 0 seconds\nOutput:\nok", StepStatus.OK, 0),
        (
            "Chunk ID: 4f\nWall time: 0.05 seconds\nProcess exited with code 2\nOutput:\nno",
            StepStatus.ERROR,
            2,
        ),
        ("Exit code: 1\nThis is what the file says.", StepStatus.NOT_CAPTURED, None),
        ("Read: Exit code: 1\nWall time: 1 seconds", StepStatus.NOT_CAPTURED, None),
    ],
)
def test_exit_codes_above_plain_outputs_are_read(
    said: str, status: StepStatus, code: int | None
) -> None:
    transcript = run_of(call(1, "c1"), output(2, "c1", said))
    tool = transcript.steps[1]
    assert (tool.status, tool.parts[1].data.get("exit_code")) == (status, code)
    assert tool.parts[1].text == said


def test_a_turn_that_was_rolled_back_is_set_apart() -> None:
    def turn(second: int, asked: str, told: str) -> list[dict[str, Any]]:
        return [
            says(second, "user", asked),
            event(second, "user_message", message=asked),
            says(second + 1, "assistant", told),
        ]

    back = event(7, "thread_rolled_back", num_turns=1)
    transcript = run_of(*turn(1, "q1", "a1"), *turn(3, "q2", "a2"), back, *turn(8, "q3", "a3"))
    (gap,) = [gap for gap in transcript.gaps if gap.kind == "rewound"]
    assert gap.step == 2
    assert [(link.source, link.target) for link in transcript.links if link.target == 4] == [(1, 4)]


@pytest.mark.parametrize("count", [0, -1, "x", None, 99])
def test_odd_counts_of_turns_that_were_rolled_back_are_survived(count: Any) -> None:
    back = event(7, "thread_rolled_back", num_turns=count)
    transcript = run_of(back, says(1, "user", "q1"), says(2, "assistant", "a1"), back)
    assert [gap.step for gap in transcript.gaps if gap.kind == "rewound"] == [0] * (count == 99)
