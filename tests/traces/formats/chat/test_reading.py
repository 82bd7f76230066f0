"""Messages of every dialect, each written by hand as its interface documents it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from traces.formats.chat.message import Answer, Call, Message
from traces.formats.chat.reading import messages, opened
from traces.transcript import PartKind

CALL = Call("c1", "find_order", {"id": "A-7"})
THOUGHT, SAID = PartKind.INTERPRETATION, PartKind.MESSAGE


def read(value: Any, role: str = "user") -> Message:
    (message,) = messages(value, role)
    return message


def said(message: Message) -> list[tuple[PartKind, str]]:
    return [(part.kind, part.text) for part in message.parts]


def asked(message: Message) -> list[tuple[str, str, Any]]:
    return [(call.id, call.name, opened(call.arguments)) for call in message.calls]


def answered(message: Message) -> list[tuple[str, str, bool | None]]:
    return [(answer.id, answer.text, answer.failed) for answer in message.answers]


@pytest.mark.parametrize("nothing", [None, "", [], {}, [[]], {"messages": []}])
def test_nothing_says_nothing(nothing: Any) -> None:
    assert all(message.says_nothing for message in messages(nothing))


@pytest.mark.parametrize("odd", [7, True, [7], {"a": 1}, {"type": "hologram", "x": [1]}])
def test_what_nobody_knows_is_shown_as_json_and_marked(odd: Any) -> None:
    (part,) = read(odd).parts
    assert json.loads(part.text) == (odd[0] if isinstance(odd, list) else odd)
    assert part.data["raw"] is True


def test_json_in_a_string_is_opened_three_levels_deep_and_no_further() -> None:
    once = json.dumps({"a": 1})
    twice, thrice = json.dumps(once), json.dumps(json.dumps(once))
    assert opened(once) == opened(twice) == opened(thrice) == {"a": 1}
    assert opened(json.dumps(thrice)) == once
    assert opened("[not json") == "[not json"
    assert opened("12") == "12"


def test_json_in_a_string_that_is_too_deep_or_holds_nul_is_safe() -> None:
    deep = "[" * 5_000 + "]" * 5_000
    assert opened(deep) == deep
    assert opened('["a\\u0000b\\ud83d"]') == ["a\u2400b\ufffd"]


def test_a_string_that_holds_other_json_than_messages_stays_as_it_was_written() -> None:
    assert said(read('{"order":  "A-7"}')) == [(PartKind.INPUT, '{"order":  "A-7"}')]
    assert said(read('[{"role": "user", "content": "Hi"}]')) == [(PartKind.INPUT, "Hi")]


def test_openai_chat() -> None:
    function = {"name": "find_order", "arguments": '{"id": "A-7"}'}
    message = read(
        {
            "role": "assistant",
            "content": "Looking.",
            "reasoning_content": "Hm.",
            "refusal": "Not that.",
            "tool_calls": [{"id": "c1", "type": "function", "function": function}],
        }
    )
    assert said(message) == [(THOUGHT, "Hm."), (SAID, "Looking."), (SAID, "Not that.")]
    assert message.parts[2].data == {"refusal": True}
    assert asked(message) == [("c1", "find_order", {"id": "A-7"})]
    tool = read({"role": "tool", "tool_call_id": "c1", "name": "find_order", "content": "none"})
    assert tool.answers == (Answer("c1", "find_order", "none"),)


def test_reasoning_under_two_names_is_one_thought() -> None:
    message = read({"role": "assistant", "content": "", "reasoning": "Hm.", "thinking": "Hm."})
    assert said(message) == [(THOUGHT, "Hm.")]


def test_text_of_a_custom_tool_need_not_be_json_and_that_of_others_must() -> None:
    custom = {"id": "c1", "type": "custom", "custom": {"name": "shell", "input": "ls -la"}}
    broken = {"id": "c2", "type": "function", "function": {"name": "f", "arguments": "{a:"}}
    none = {"id": "c3", "type": "function", "function": {"name": "f"}}
    calls = read({"role": "assistant", "content": None, "tool_calls": [custom, broken, none]}).calls
    assert [call.well_formed for call in calls] == [True, False, True]
    assert calls[1].part().data["parse_ok"] is False
    assert [call.part().text for call in calls] == ["ls -la", "{a:", ""]


def test_anthropic_blocks() -> None:
    message = read(
        {
            "role": "assistant",
            "id": "msg_1",
            "model": "m-1",
            "stop_reason": "tool_use",
            "content": [
                {"type": "thinking", "thinking": "", "signature": "Eq"},
                {"type": "redacted_thinking", "data": "Em"},
                {"type": "text", "text": "Looking.", "cache_control": {"type": "ephemeral"}},
                {"type": "tool_use", "id": "c1", "name": "find_order", "input": {"id": "A-7"}},
            ],
        }
    )
    assert [part.capture for part in message.parts] == [{"text": "withheld"}, {}]
    assert message.parts[1].data == {"cache_control": {"type": "ephemeral"}}
    assert message.calls == (CALL,)
    assert (message.id, message.model, message.finish) == ("msg_1", "m-1", "tool_use")


def test_anthropic_results_and_words_in_one_message() -> None:
    result = {"type": "tool_result", "tool_use_id": "c1", "is_error": True}
    pieces = [{"type": "text", "text": "not"}, {"type": "text", "text": "found"}]
    message = read(
        {
            "role": "user",
            "content": [
                {**result, "content": pieces},
                {**result, "tool_use_id": "c2", "content": "ok", "is_error": False},
                {"type": "text", "text": "And now?"},
            ],
        }
    )
    assert answered(message) == [("c1", "not\nfound", True), ("c2", "ok", False)]
    assert said(message) == [(PartKind.INPUT, "And now?")]


def test_tools_that_the_vendor_runs_are_asked_and_answered_in_one_message() -> None:
    results = [{"type": "web_search_result", "url": "https://example.org", "title": "A"}]
    message = read(
        {
            "role": "assistant",
            "content": [
                {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"q": "A"}},
                {"type": "web_search_tool_result", "tool_use_id": "s1", "content": results},
            ],
        }
    )
    assert asked(message) == [("s1", "web_search", {"q": "A"})]
    ((call, text, failed),) = answered(message)
    assert (call, json.loads(text), failed) == ("s1", results, None)


def test_items_of_one_responses_call_are_one_message() -> None:
    items = [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hi"}]},
        {"type": "reasoning", "id": "rs1", "summary": [], "encrypted_content": "gA"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "L"}]},
        {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}", "id": "fc1"},
        {"type": "function_call", "call_id": "c2", "name": "f", "arguments": "{}", "id": "fc2"},
        {"type": "function_call_output", "call_id": "c1", "output": "one"},
        {
            "type": "function_call_output",
            "call_id": "c2",
            "output": [{"type": "input_text", "text": "two"}],
        },
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "A"}]},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "B"}]},
    ]
    read_ = messages(items)
    assert [message.role for message in read_] == [
        *("user", "assistant", "tool", "tool", "assistant", "assistant")
    ]
    assert said(read_[1]) == [(THOUGHT, ""), (SAID, "L")]
    assert [call.id for call in read_[1].calls] == ["c1", "c2"]
    assert answered(read_[2]) + answered(read_[3]) == [("c1", "one", None), ("c2", "two", None)]


def test_a_response_is_one_message_with_its_id_and_model() -> None:
    output = [
        {"type": "mcp_call", "id": "m1", "name": "g", "arguments": "{}", "output": "7"},
        {"type": "mcp_call", "id": "m2", "name": "g", "arguments": "{}", "error": "down"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "A"}]},
    ]
    message = read({"object": "response", "id": "resp_1", "model": "m-1", "output": output})
    assert [call.id for call in message.calls] == ["m1", "m2"]
    assert answered(message) == [("m1", "7", None), ("m2", "down", True)]
    assert (message.model, message.text) == ("m-1", "A")


def test_a_chat_completion() -> None:
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "A"}}
    message = read({"id": "chatcmpl-1", "model": "m-1", "choices": [choice]})
    assert (message.role, message.text, message.finish) == ("assistant", "A", "stop")
    assert (message.id, message.model) == ("chatcmpl-1", "m-1")


@pytest.mark.parametrize("key", ["result", "response"])
def test_gen_ai_parts(key: str) -> None:
    call = {"type": "tool_call", "id": "c1", "name": "find_order", "arguments": {"id": "A-7"}}
    reasoning = {"type": "reasoning", "content": "Hm."}
    parts = [{"type": "text", "content": "Looking."}, reasoning, call]
    message = read({"role": "assistant", "parts": parts, "finish_reason": "tool_call"})
    assert said(message) == [(SAID, "Looking."), (THOUGHT, "Hm.")]
    assert message.calls == (CALL,)
    response = {"type": "tool_call_response", "id": "c1", key: {"total": 1}}
    assert answered(read({"role": "tool", "parts": [response]})) == [("c1", '{"total": 1}', None)]
    empty = {"type": "tool_call_response", "id": "c1", key: []}
    assert answered(read({"role": "tool", "parts": [empty]})) == [("c1", "[]", None)]


def test_gemini_contents() -> None:
    call = {"functionCall": {"name": "find_order", "args": {"id": "A-7"}}}
    picture = {"inlineData": {"mimeType": "image/png", "data": "iVBO"}}
    result = {"functionResponse": {"name": "find_order", "response": {"error": "down"}}}
    read_ = messages(
        {
            "systemInstruction": {"parts": [{"text": "Be good."}]},
            "contents": [
                {"role": "user", "parts": [{"text": "Hi"}, picture]},
                {"role": "model", "parts": [{"text": "Hm.", "thought": True}, call]},
                {"role": "user", "parts": [result]},
            ],
        }
    )
    assert [message.role for message in read_] == ["system", "user", "assistant", "user"]
    assert read_[1].parts[1].data == {"type": "inlineData", "raw": True}
    assert said(read_[2]) == [(THOUGHT, "Hm.")]
    assert asked(read_[2]) == [("", "find_order", {"id": "A-7"})]
    assert answered(read_[3]) == [("", '{"error": "down"}', True)]
    content = {"role": "model", "parts": [{"text": "A"}]}
    given_back = {"candidates": [{"content": content, "finishReason": "STOP"}]}
    assert (read(given_back).text, read(given_back).finish) == ("A", "STOP")


def constructor(name: str, **kwargs: Any) -> dict[str, Any]:
    path = ["langchain", "schema", "messages", name]
    return {"lc": 1, "type": "constructor", "id": path, "kwargs": kwargs}


def test_langchain_dumps() -> None:
    call = {"name": "find_order", "args": {"id": "A-7"}, "id": "c1", "type": "tool_call"}
    broken = {"name": "f", "args": "{a:", "id": "c2", "error": None, "type": "invalid_tool_call"}
    block = {"type": "tool_use", "id": "c1", "name": "find_order", "input": {"id": "A-7"}}
    function = {"name": "find_order", "arguments": '{"id": "A-7"}'}
    ai = constructor(
        "AIMessage",
        content=[{"type": "text", "text": "Looking."}, block],
        tool_calls=[call],
        invalid_tool_calls=[broken],
        additional_kwargs={"tool_calls": [{"id": "c1", "function": function}]},
        response_metadata={"model_name": "m-1", "finish_reason": "tool_calls"},
    )
    tool = constructor("ToolMessage", content="down", tool_call_id="c1", status="error")
    human, plain = constructor("HumanMessage", content="Hi"), {"type": "human", "content": "Hi"}
    read_ = messages([[human, ai, tool, plain, {"type": "ai", "data": {"content": "A"}}]])
    assert [message.role for message in read_] == [
        *("user", "assistant", "tool", "user", "assistant")
    ]
    assert asked(read_[1]) == [("c1", "find_order", {"id": "A-7"}), ("c2", "f", "{a:")]
    assert (read_[1].model, read_[1].finish) == ("m-1", "tool_calls")
    assert answered(read_[2]) == [("c1", "down", True)]


def test_langchain_generations_and_calls_in_older_dumps() -> None:
    function = {"name": "find_order", "arguments": '{"id": "A-7"}'}
    older = {"tool_calls": [{"id": "c1", "type": "function", "function": function}]}
    message = constructor("AIMessageChunk", content="", additional_kwargs=older)
    generation = {"text": "", "message": message, "generation_info": {"finish_reason": "stop"}}
    found = read({"generations": [[generation]]})
    assert (found.role, found.finish) == ("assistant", "stop")
    assert asked(found) == [("c1", "find_order", {"id": "A-7"})]


def test_nested_openinference_messages() -> None:
    function = {"name": "find_order", "arguments": '{"id": "A-7"}'}
    contents = [{"message_content": {"type": "text", "text": "Looking."}}]
    calls = [{"tool_call": {"id": "c1", "function": function}}]
    message = read([{"message": {"role": "assistant", "contents": contents, "tool_calls": calls}}])
    assert said(message) == [(SAID, "Looking.")]
    assert asked(message) == [("c1", "find_order", {"id": "A-7"})]


def test_vercel_pieces() -> None:
    ids = {"toolCallId": "c1", "toolName": "find_order"}
    call = {"type": "tool-call", **ids, "input": {"id": "A-7"}}
    wrong = {"type": "tool-result", **ids, "output": {"type": "error-text", "value": "down"}}
    assert read({"role": "assistant", "content": [call]}).calls == (CALL,)
    assert answered(read({"role": "tool", "content": [wrong]})) == [("c1", "down", True)]


@pytest.mark.parametrize(
    ("role", "known"),
    [("developer", "system"), ("function", "tool"), ("model", "assistant"), ("critic", "critic")],
)
def test_roles_have_one_name_in_all_dialects(role: str, known: str) -> None:
    assert read({"role": role, "content": "A"}).role == known


def test_keys_without_a_place_are_kept() -> None:
    assert read({"role": "user", "content": "A", "usage": {"n": 1}, "x": None}).rest == {
        "usage": {"n": 1}
    }
    tool = read({"role": "tool", "tool_call_id": "c1", "content": "A", "artifact": [1]})
    assert tool.answers[0].data == {"message": {"artifact": [1]}}


KEYS = st.sampled_from(
    [
        *("role", "content", "parts", "type", "text", "id", "name", "tool_calls", "function"),
        *("arguments", "message", "data", "kwargs", "lc", "output", "result", "input", "choices"),
        *("messages", "generations", "thinking", "signature", "functionCall", "response"),
        *("functionResponse", "tool_call_id", "message_content", "tool_call", "status", "error"),
    ]
) | st.text(max_size=3)
VALUES = (
    st.sampled_from(
        [
            *("user", "assistant", "tool", "text", "tool_use", "tool_result", "function_call"),
            *("function_call_output", "reasoning", "message", "mcp_call", "constructor", "ai"),
        ]
    )
    | st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=4)
)
ANYTHING = st.recursive(
    VALUES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=15,
)


@settings(deadline=None)
@given(ANYTHING)
def test_any_json_is_read_the_same_from_a_string_or_not_at_all(value: Any) -> None:
    found = messages(value)
    assert found == messages(value)
    for message in found:
        assert isinstance(message.role, str)
        json.dumps([[part.text, dict(part.data)] for part in message.parts])
        json.dumps([call.part().text for call in message.calls])
        json.dumps([answer.part().text for answer in message.answers])


@settings(deadline=None)
@given(st.dictionaries(KEYS, ANYTHING, min_size=1, max_size=4), st.text("abc", min_size=3))
def test_a_text_in_a_message_is_never_lost(around: dict[str, Any], text: str) -> None:
    value = {**around, "role": "assistant", "content": text}
    assert any(text in message.text for message in messages(value))
