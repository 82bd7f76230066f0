"""Trajectories of mini-swe-agent: what the shell printed is the answer to what was asked of it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.real import FORMATS, needs_files
from tests.traces.formats.native_runs import tried
from traces.formats import intake
from traces.formats.base import Unreadable
from traces.transcript import ActorKind, Outcome, PartKind, StepKind, StepStatus, Transcript

REAL = FORMATS / "mini-swe-agent"
SYSTEM, TASK = {"role": "system", "content": "Be good."}, {"role": "user", "content": "Fix it."}


def said(*commands: str, **more: Any) -> dict[str, Any]:
    extra = {"actions": [{"command": each} for each in commands], "timestamp": 1772359200.5}
    return {"role": "assistant", "content": "I look.", "extra": extra, **more}


def printed(code: int, output: str = "a.py", **more: Any) -> dict[str, Any]:
    content = f"<returncode>{code}</returncode>\n<output>\n{output}\n</output>"
    extra = {"raw_output": output, "returncode": code, "timestamp": 1772359202.5, **more}
    return {"role": "user", "content": content, "extra": extra}


def read(*messages: Any, **value: Any) -> Transcript:
    given = {"trajectory_format": "mini-swe-agent-1.1", "info": {}, **value}
    content = json.dumps({**given, "messages": list(messages)}).encode()
    (run,) = intake.take(content).runs
    return run.transcript


def test_nothing_of_it_is_refused() -> None:
    with pytest.raises(Unreadable, match="no messages"):
        intake.take(b'{"messages": []}', wanted="mini_swe_agent")


def test_entries_that_are_no_messages_are_a_gap() -> None:
    transcript = read(SYSTEM, 7, TASK)
    assert [record.pointer for record in transcript.records] == ["/messages/1"]
    assert "undecodable_step" in {gap.kind for gap in transcript.gaps}


@pytest.mark.parametrize(("code", "status"), [(0, StepStatus.OK), (1, StepStatus.ERROR)])
def test_a_command_is_answered_by_what_the_shell_printed(code: int, status: StepStatus) -> None:
    transcript = read(SYSTEM, TASK, said("ls"), printed(code))
    step = transcript.steps[3]
    assert (step.kind, step.tool, step.status) == (StepKind.TOOL, "bash", status)
    assert step.parts[0].text == "ls"
    assert step.parts[1].data["returncode"] == code
    assert step.ended_at is not None
    assert step.started_at is not None
    assert (step.ended_at - step.started_at).total_seconds() == 2


def test_an_exception_of_the_environment_is_an_error_part() -> None:
    transcript = read(TASK, said("ls"), printed(-1, exception_info="Timed out."))
    assert transcript.steps[2].parts[2].kind is PartKind.ERROR
    assert transcript.steps[2].parts[2].text == "Timed out."


def test_what_is_no_answer_is_the_harness_speaking() -> None:
    transcript = read(SYSTEM, TASK, said(), {"role": "user", "content": "Give one command."})
    assert [(step.actor, transcript.actor_of(step).kind) for step in transcript.steps] == [
        ("system", ActorKind.HARNESS),
        ("user", ActorKind.HUMAN),
        ("agent", ActorKind.AGENT),
        ("harness", ActorKind.HARNESS),
    ]
    assert transcript.task_text == "Fix it."


def test_answers_with_ids_find_their_calls() -> None:
    function = {"name": "bash", "arguments": '{"command": "ls"}'}
    calls = [{"id": name, "type": "function", "function": function} for name in ("c1", "c2")]
    answers = [{**printed(0, name), "role": "tool", "tool_call_id": name} for name in ("c2", "c1")]
    transcript = read(TASK, said(tool_calls=calls), *answers)
    assert ["c1" in step.parts[1].text for step in transcript.steps[2:]] == [True, False]


@pytest.mark.parametrize("fence", ["bash", "mswea_bash_command"])
def test_in_older_files_the_command_stands_in_the_message(fence: str) -> None:
    content = f"I look.\n\n```{fence}\nls -la\n```"
    older = {"role": "user", "content": printed(1)["content"]}
    messages = [SYSTEM, TASK, {"role": "assistant", "content": content}, older]
    (run,) = intake.take(json.dumps(messages).encode()).runs
    assert run.format.startswith("mini_swe_agent@")
    step = run.transcript.steps[3]
    assert (step.parts[0].text, step.status) == ("ls -la", StepStatus.ERROR)
    assert "derived" in step.parts[0].data


def test_how_it_ended_is_the_frameworks_word_and_no_outcome() -> None:
    end = {"role": "exit", "content": "LimitsExceeded", "extra": {"exit_status": "LimitsExceeded"}}
    transcript = read(TASK, said("ls"), printed(0), end)
    assert [(r.value, r.by) for r in transcript.reports] == [("LimitsExceeded", "framework")]
    assert transcript.outcome is Outcome.UNKNOWN
    assert [(record.pointer, record.label) for record in transcript.records] == [
        ("/messages/3", "exit")
    ]


def test_how_it_was_set_up_without_what_a_scripted_model_would_say() -> None:
    model = {"model_name": "m-1", "outputs": ["zebra"]}
    config = {"model": model, "environment": {"image": "img:1", "cwd": "/r"}}
    transcript = read(TASK, info={"config": config, "mini_version": "2.4.6"})
    assert transcript.system["models"] == {"agent": "m-1"}
    assert transcript.system["version"] == "2.4.6"
    assert transcript.initial_state == {"image": "img:1", "cwd": "/r"}
    assert "zebra" not in str(transcript)


@needs_files
@pytest.mark.parametrize(
    ("name", "reports", "codes"),
    [
        ("mini-1.1.cost-limit-exceeded.traj.json", ["LimitsExceeded"], [0, 1, 0]),
        ("mini-1.1.toolcalls-submitted.traj.json", ["Submitted"], [0, 1, None]),
        ("github_issue.traj.json", [], [1, 0, 0, 0, 0, 0, 0, 1, 0, None]),
    ],
)
def test_real_files(name: str, reports: list[str], codes: list[int | None]) -> None:
    (run,) = intake.take((REAL / name).read_bytes()).runs
    tools = [step for step in run.transcript.steps if step.kind is StepKind.TOOL]
    assert [report.value for report in run.transcript.reports] == reports
    assert [step.parts[-1].data.get("returncode") for step in tools] == codes


WORDS = st.sampled_from(["user", "assistant", "tool", "exit", "<returncode>1</returncode>", ""])
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | WORDS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["command", "actions", "returncode", "timestamp", "id", "name"]), inner
        )
    ),
    max_leaves=6,
)
KEYS = ["role", "content", "extra", "tool_calls", "tool_call_id"]


@settings(deadline=None)
@given(st.lists(st.dictionaries(st.sampled_from(KEYS), ANYTHING) | ANYTHING), ANYTHING)
def test_messages_of_any_shape_are_read_or_refused(messages: list[Any], info: Any) -> None:
    value = {"trajectory_format": "mini-swe-agent-1.1", "messages": messages, "info": info}
    result, reason = tried(json.dumps(value).encode(), "mini_swe_agent")
    assert result.runs or result.refusals or reason
    assert not any("failed on this document" in r.reason for r in result.refusals)
    assert "failed on this document" not in (reason or "")
