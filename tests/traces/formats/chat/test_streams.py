"""Captured streams are put together as the interfaces' own clients do."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.traces.formats.native_runs import tried
from traces.formats import intake
from traces.formats.chat.streams import assembled
from traces.transcript import Fate, PartKind, Transcript


def chunk(finish: str | None = None, **delta: Any) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "r1", "object": "chat.completion.chunk", "model": "m-1", "choices": [choice]}


def call(index: int, arguments: str, **more: Any) -> dict[str, Any]:
    name = {"name": more.pop("name")} if "name" in more else {}
    return {"index": index, "function": {"arguments": arguments, **name}, **more}


OPENAI = [
    chunk(role="assistant", content=""),
    chunk(content="Look"),
    chunk(content="ing."),
    chunk(tool_calls=[call(0, "", id="c1", name="find"), call(1, "{", id="c2", name="look")]),
    chunk(tool_calls=[call(0, '{"id": ')]),
    chunk(tool_calls=[call(1, "}"), call(0, '"A-7"}')]),
    chunk("tool_calls"),
    {"id": "r1", "object": "chat.completion.chunk", "model": "m-1", "choices": [], "usage": {}},
]
ANTHROPIC = [
    {"type": "message_start", "message": {"id": "r1", "model": "m-1", "role": "assistant"}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking"}},
    {
        "type": "content_block_delta",
        "index": 0,
        "delta": {"type": "thinking_delta", "thinking": "Hm."},
    },
    {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "Look"}},
    {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "ing."}},
    {
        "type": "content_block_start",
        "index": 2,
        "content_block": {"type": "tool_use", "id": "c1", "name": "find", "input": {}},
    },
    {
        "type": "content_block_delta",
        "index": 2,
        "delta": {"type": "input_json_delta", "partial_json": '{"id": '},
    },
    {
        "type": "content_block_delta",
        "index": 2,
        "delta": {"type": "input_json_delta", "partial_json": '"A-7"}'},
    },
    {"type": "content_block_stop", "index": 2},
    {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {}},
    {"type": "message_stop"},
]
ITEM = {"type": "function_call", "call_id": "c1", "name": "find", "arguments": '{"id": "A-7"}'}
RESPONSES = [
    {"type": "response.created", "response": {"id": "r1", "model": "m-1", "output": []}},
    {"type": "response.output_item.done", "output_index": 0, "item": ITEM},
]


def read(events: list[Any]) -> Transcript:
    (run,) = intake.take(json.dumps(events).encode()).runs
    return run.transcript


def requests(transcript: Transcript) -> list[tuple[str | None, str]]:
    return [(step.tool, part.text) for step, part in transcript.parts_of(PartKind.TOOL_REQUEST)]


def test_arguments_that_come_in_pieces_go_to_their_call() -> None:
    transcript = read(OPENAI)
    assert requests(transcript) == [("find", '{"id": "A-7"}'), ("look", "{}")]
    assert transcript.steps[0].text == "Looking."
    assert transcript.steps[0].parts[0].data["finish"] == "tool_calls"


def test_blocks_that_come_in_pieces() -> None:
    transcript = read(ANTHROPIC)
    assert [part.text for part in transcript.steps[0].parts] == ["Hm.", "Looking."]
    assert requests(transcript) == [("find", '{"id": "A-7"}')]


def test_items_that_were_done_before_a_stream_broke_off() -> None:
    assert requests(read(RESPONSES)) == [("find", '{"id": "A-7"}')]


def test_the_whole_response_counts_where_an_event_holds_it() -> None:
    whole = {"id": "r1", "object": "response", "output": [{**ITEM, "name": "other"}]}
    events = [*RESPONSES, {"type": "response.completed", "response": whole}]
    assert [tool for tool, _ in requests(read(events))] == ["other"]


@pytest.mark.parametrize("events", [OPENAI, ANTHROPIC, RESPONSES])
@pytest.mark.parametrize("kept_as_text", [True, False])
@pytest.mark.parametrize("in_body", [True, False])
def test_a_response_in_a_log_may_be_a_stream(
    events: list[Any], *, kept_as_text: bool, in_body: bool
) -> None:
    wire = "".join(f"event: x\ndata: {json.dumps(event)}\n\n" for event in events)
    stream = f"{wire}data: [DONE]\n" if kept_as_text else events
    request = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
    response = {"status": 200, "body": stream} if in_body else stream
    transcript = read([{"request": request, "response": response}])
    assert transcript.steps[0].text == "Hi"
    assert ("find", '{"id": "A-7"}') in requests(transcript)


@pytest.mark.parametrize("events", [OPENAI, ANTHROPIC, RESPONSES])
def test_each_piece_is_known_to_be_one(events: list[Any]) -> None:
    transcript = read(events)
    assert {record.pointer for record in transcript.records} == {
        f"/{index}" for index in range(len(events))
    }
    assert {record.fate for record in transcript.records} == {Fate.FOLDED}


@pytest.mark.parametrize("events", [OPENAI, ANTHROPIC, RESPONSES])
@settings(deadline=None)
@given(length=st.integers(0, 2500))
def test_a_stream_cut_anywhere_is_read_as_far_as_it_goes(events: list[Any], length: int) -> None:
    content = "\n".join(map(json.dumps, events)).encode()[:length]
    result, reason = tried(content)
    assert result.runs or result.refusals or reason


@settings(deadline=None)
@given(
    st.lists(
        st.dictionaries(
            st.sampled_from(["type", "index", "delta", "content_block", "choices", "item"]),
            st.sampled_from(
                ["content_block_delta", {}, [], None, 0, [{"delta": {"tool_calls": 1}}]]
            ),
        )
    )
)
def test_events_of_any_shape_are_put_together(events: list[Any]) -> None:
    assert isinstance(assembled(events), dict)
    assert isinstance(assembled([*events, OPENAI[0]]), dict)
    assert isinstance(assembled([*events, {"type": "response.created"}]), dict)
