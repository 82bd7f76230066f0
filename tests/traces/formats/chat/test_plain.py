"""The fast reader of messages says what the slow one says."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from traces.formats.chat import plain, reading

WORDS = st.sampled_from(["", "Hello.", "[]", '{"a": 1}', "\u00e9\n", "0"])
NAMES = st.sampled_from(["c1", "find", "", None, 3])
JSON = st.one_of(WORDS, st.none(), st.just({"id": "A-7"}), st.just([1]), st.just(2))
TEXT = st.fixed_dictionaries({"type": st.just("text"), "content": JSON})
CALL = st.fixed_dictionaries(
    {"type": st.just("tool_call")}, optional={"id": NAMES, "name": NAMES, "arguments": JSON}
)
ANSWER = st.fixed_dictionaries(
    {"type": st.just("tool_call_response")},
    optional={"id": NAMES, "name": NAMES, "response": JSON, "result": JSON},
)
PART = st.one_of(TEXT, CALL, ANSWER, WORDS, st.just({"type": "reasoning", "content": "Hm."}))
FUNCTION = st.fixed_dictionaries(
    {"type": st.just("function"), "id": NAMES},
    optional={"function": st.fixed_dictionaries({"name": NAMES}, optional={"arguments": JSON})},
)
MESSAGE = st.fixed_dictionaries(
    {},
    optional={
        "role": st.sampled_from(["user", "assistant", "system", "tool", "developer", "ai", 5]),
        "parts": st.lists(PART, max_size=3),
        "content": JSON,
        "tool_calls": st.lists(FUNCTION, max_size=2),
        "tool_call_id": NAMES,
        "finish_reason": NAMES,
        "name": NAMES,
    },
)


@given(given_=st.lists(MESSAGE, max_size=3), role=st.sampled_from(["user", "assistant"]))
def test_both_readers_say_the_same(given_: list[Any], role: str) -> None:
    slow = reading.messages(given_, role)
    assert list(plain.messages(given_, role)) == slow
    assert list(plain.messages(json.dumps(given_), role)) == reading.messages(
        json.dumps(given_), role
    )


@pytest.mark.parametrize("strange", [None, 7, "Hello.", "[1", [], {}, [None], "{}", ["a", ["b"]]])
def test_what_is_no_message_is_left_to_the_slow_reader(strange: Any) -> None:
    assert list(plain.messages(strange)) == reading.messages(strange)


def test_the_usual_shapes_are_read_fast() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "find", "arguments": "{}"}}
    for usual in (
        {"role": "user", "parts": [{"type": "text", "content": "Hello?"}]},
        {"role": "assistant", "content": "Hm.", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "found"},
    ):
        assert plain.message(usual) == reading.messages(usual)[0]
