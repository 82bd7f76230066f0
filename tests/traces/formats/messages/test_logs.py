"""Logs of requests and responses: of each request only what is new, whatever order they are in."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.real import FORMATS, needs_files
from tests.traces.formats.native_runs import tried
from traces.formats import intake
from traces.formats.base import Unreadable
from traces.transcript import LinkKind, PartKind, StepKind, StepStatus, Transcript

REAL = FORMATS / "chat-messages"
USER = {"role": "user", "content": "Where is A-7?"}
CALL = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "c1", "function": {"name": "find", "arguments": "{}"}}],
}
ANSWER = {"role": "tool", "tool_call_id": "c1", "content": "gone"}
END = {"role": "assistant", "content": "It is gone."}


def exchange(
    sent: list[Any], back: Any, second: int | None = None, system: str = "Be good.", **more: Any
) -> dict[str, Any]:
    choices = [{"message": back, "finish_reason": "stop"}]
    response = {"id": f"r{second}", "model": "m-1", "choices": choices}
    messages = [{"role": "system", "content": system}, *sent]
    request = {"model": "m", "messages": messages, "temperature": 0}
    time = {} if second is None else {"timestamp": f"2026-03-01T10:00:{second:02d}Z"}
    return {"request": request, "response": response, **time, **more}


def runs(*exchanges: Any) -> list[Transcript]:
    result = intake.take("\n".join(map(json.dumps, exchanges)).encode(), wanted="messages")
    return [run.transcript for run in result.runs]


def texts(transcript: Transcript) -> list[list[str]]:
    return [[part.text for part in step.parts] for step in transcript.steps]


def kinds(transcript: Transcript) -> set[str]:
    return {gap.kind for gap in transcript.gaps}


FIRST = exchange([USER], CALL, 1)
SECOND = exchange([USER, CALL, ANSWER], END, 2)
TOLD = [["Be good."], ["Where is A-7?"], [""], ["{}", "gone"], ["It is gone."]]


def test_values_that_are_no_exchanges_are_refused_and_the_others_kept() -> None:
    content = json.dumps([FIRST, 7, {"request": {}, "response": {}}, SECOND]).encode()
    result = intake.take(content, wanted="messages")
    assert [refusal.position for refusal in result.refusals] == ["/1", "/2"]
    assert texts(result.runs[0].transcript) == TOLD


def test_each_request_adds_what_is_new_in_it() -> None:
    (transcript,) = runs(FIRST, SECOND)
    assert texts(transcript) == TOLD
    assert transcript.folded == {"messages sent again with a later request": 2}
    assert transcript.system["models"] == {"assistant": "m-1"}
    assert transcript.task_text == "Where is A-7?"


@pytest.mark.parametrize("seed", range(6))
def test_the_order_in_the_log_means_nothing_where_there_are_times(seed: int) -> None:
    third = exchange([USER, CALL, ANSWER, END, USER], {"role": "assistant", "content": "No."}, 3)
    exchanges = [FIRST, SECOND, third]
    random.Random(seed).shuffle(exchanges)
    (shuffled,), (ordered,) = runs(*exchanges), runs(FIRST, SECOND, third)
    assert texts(shuffled) == texts(ordered) == [*TOLD, ["Where is A-7?"], ["No."]]
    assert [s.source_id for s in shuffled.steps] == [s.source_id for s in ordered.steps]


def test_an_exchange_logged_twice_is_folded() -> None:
    (transcript,) = runs(FIRST, FIRST, SECOND)
    assert texts(transcript) == TOLD
    assert transcript.folded["exchanges logged again"] == 1


def test_the_same_request_with_another_response_is_a_fork() -> None:
    other = {"role": "assistant", "content": "Which one?"}
    (transcript,) = runs(FIRST, exchange([USER], other, 2), exchange([USER, CALL, ANSWER], END, 3))
    after = [link.target for link in transcript.links if link.source == 1]
    assert [transcript.steps[number].text for number in after] == ["", "Which one?"]


def test_agents_are_told_apart_by_their_instructions_and_share_a_history() -> None:
    (transcript,) = runs(FIRST, exchange([USER, CALL, ANSWER], END, 2, system="You refund."))
    assert [step.actor for step in transcript.steps] == [
        *("system", "user", "assistant", "assistant", "system", "assistant 2")
    ]


def test_sessions_that_a_log_names_are_runs_of_their_own() -> None:
    one = exchange([USER], END, 1, session_id="s1")
    two = exchange([USER], END, 2, metadata={"session_id": "s2"})
    assert [run.external_id for run in runs(one, two)] == ["s1", "s2"]


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"status": "failure", "response": {}}, "Status failure: {}"),
        ({"status": "failure", "response": None, "error_str": "Too busy."}, "Too busy."),
        (
            {"response": {}, "metadata": {"error_information": {"code": "429", "trace": ""}}},
            '{"code": "429"}',
        ),
        ({"response": "", "exception": "Too busy."}, "Too busy."),
    ],
)
def test_what_a_gateway_says_of_a_failure_is_a_step(more: dict[str, Any], told: str) -> None:
    failed = exchange([USER, CALL, ANSWER], END, 2) | more
    (run,) = runs(FIRST, failed)
    last = run.steps[-1]
    assert (last.kind, last.status) == (StepKind.ERROR, StepStatus.ERROR)
    assert [part.text for part in last.parts] == [told]


@pytest.mark.parametrize("error", [None, {}, "", {"code": "", "message": None}])
def test_empty_fields_for_errors_are_no_failure(error: Any) -> None:
    fine = {"status": "success", "error_information": error, "error_str": None}
    (run,) = runs(FIRST | fine, SECOND | fine)
    assert texts(run) == TOLD


def test_the_same_request_after_a_failure_is_taken_for_another_attempt() -> None:
    failed = exchange([USER, CALL, ANSWER], END, 2) | {"status": "failure", "response": {}}
    again, last = (
        each | {"timestamp": f"2026-03-01T10:00:0{n}Z"} for n, each in ((8, failed), (9, SECOND))
    )
    (run,) = runs(FIRST, failed, again, last)
    kinds = [step.kind for step in run.steps]
    assert kinds[-3:] == [StepKind.ERROR, StepKind.ERROR, StepKind.MESSAGE]
    tries = [link for link in run.links if link.kind is LinkKind.RETRY_OF]
    assert [(link.source, link.target, bool(link.rule)) for link in tries] == [
        (4, 5, True),
        (5, 6, True),
    ]


def test_a_call_that_failed_is_a_step() -> None:
    failed = {"request": FIRST["request"], "status": 429, "response": {"error": {"code": "busy"}}}
    (transcript,) = runs(failed)
    *_, heard, step = transcript.steps
    assert heard.text == "Where is A-7?"
    assert (step.kind, step.status) == (StepKind.ERROR, StepStatus.ERROR)
    assert step.parts[0].kind is PartKind.ERROR
    assert "busy" in step.text


def test_results_of_a_batch_are_runs_without_their_requests() -> None:
    body = {"id": "r1", "model": "m-1", "choices": [{"message": END, "finish_reason": "stop"}]}
    lines = [
        {"id": "b1", "custom_id": "task-1", "response": {"status_code": 200, "body": body}},
        {"custom_id": "task-2", "result": {"type": "succeeded", "message": {"model": "m", **END}}},
        {"id": "b3", "custom_id": "task-3", "response": None, "error": {"code": "expired"}},
    ]
    first, second, third = runs(*lines)
    assert (first.external_id, second.external_id) == ("task-1", "task-2")
    assert texts(first) == texts(second) == [["It is gone."]]
    assert "missing_parent" in kinds(first)
    assert [(step.kind, step.text) for step in third.steps] == [
        (StepKind.ERROR, '{"code": "expired"}')
    ]


def test_a_response_that_goes_on_from_an_earlier_one_says_so() -> None:
    request = {"model": "m", "input": "And now?", "previous_response_id": "resp_1"}
    item = {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "output_text", "text": "A"}],
    }
    (transcript,) = runs({"request": request, "response": {"object": "response", "output": [item]}})
    assert texts(transcript) == [["And now?"], ["A"]]
    (gap,) = (gap for gap in transcript.gaps if gap.kind == "missing_parent")
    assert "resp_1" in gap.detail


def test_what_stands_beside_is_withheld_and_reaches_no_step() -> None:
    (transcript,) = runs(exchange([USER], END, 1, score="zebra"))
    assert transcript.withheld["exchanges"][0]["score"] == "zebra"
    assert "zebra" not in str([transcript.steps, transcript.gaps, transcript.system])


def test_a_log_that_counts_seconds_writes_at_the_end() -> None:
    logged = {"messages": [USER], "response": {"model": "m", "choices": [{"message": END}]}}
    (transcript,) = runs({**logged, "timestamp": 1772359203.5, "latency_sec": 3.5})
    step = transcript.steps[-1]
    assert step.started_at is not None
    assert step.ended_at is not None
    assert (step.ended_at - step.started_at).total_seconds() == 3.5


def test_a_response_that_is_but_a_text_is_what_was_said() -> None:
    (transcript,) = runs({"messages": [USER], "response": "Gone.", "model": "m"})
    assert texts(transcript) == [["Where is A-7?"], ["Gone."]]


@settings(deadline=None)
@given(st.integers(0, 2000))
def test_a_log_cut_anywhere_gives_what_is_whole(length: int) -> None:
    content = "\n".join(map(json.dumps, [FIRST, SECOND])).encode()[:length]
    result, reason = tried(content)
    assert result.runs or result.refusals or reason
    if result.refusals and result.runs:
        assert "damaged" in kinds(result.runs[0].transcript)


@needs_files
@pytest.mark.parametrize(
    ("name", "calls", "asked", "again"),
    [
        # Three exchanges: 3 model calls, 2 tool calls, both answered in the next request.
        ("openai.responses-api.recipe-handoff.exchanges.json", 3, 2, 0),
        # One exchange: a call in the history and its answer, one more in the response.
        ("anthropic.tool-use-history.exchanges.json", 2, 2, 1),
        # Eight messages and a response, which asks for one more call.
        ("openai-chat.litellm-log.content-blocks.json", 4, 4, 1),
        ("openai-chat.messages-with-tool-calls.json", 6, 6, 0),
    ],
)
def test_real_files(name: str, calls: int, asked: int, again: int) -> None:
    (run,) = intake.take((REAL / name).read_bytes()).runs
    steps = run.transcript.steps
    model = [s for s in steps if s.actor == "assistant" and s.kind is not StepKind.TOOL]
    tools = [step for step in steps if step.kind is StepKind.TOOL]
    assert (len(model), len(tools)) == (calls, asked)
    assert sum(len(step.parts) == 1 for step in tools) == again


def test_nothing_but_what_was_asked_is_no_run() -> None:
    with pytest.raises(Unreadable):
        intake.take(b'{"request": {"url": "https://example.org"}, "response": {"ok": true}}')
