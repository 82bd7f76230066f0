"""The words that dialects of messages use for the same thing, and how a word's value is taken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from traces.formats.base import Json

TEXTS = frozenset({"text", "input_text", "output_text", "refusal", "summary_text"})
THOUGHTS = frozenset(
    {"thinking", "reasoning", "redacted_thinking", "reasoning_content", "thought"}
    | {"reasoning.text", "reasoning.summary", "reasoning.encrypted"}
)
CALLS = frozenset({"tool_call", "function_call", "server_tool_call"})
CALL_ENDINGS = ("tool_use", "_call", "tool-call")
ANSWERS = frozenset({"tool_call_response", "server_tool_call_response", "tool_result"})
ANSWER_ENDINGS = ("tool-result", "tool-return", "tool_result", "_call_output")
# Calls that the model's vendor ran itself: the answer stands in the same piece.
RAN_BY_VENDOR = ("output", "outputs", "results", "result", "error")
CALL_BODIES = (
    "tool_call",
    "function",
    "functionCall",
    "function_call",
    "custom",
    "server_tool_call",
)
CALL_IDS = ("call_id", "tool_call_id", "toolCallId", "id")
ANSWER_IDS = ("tool_call_id", "tool_use_id", "call_id", "toolCallId", "id")
NAMES = ("name", "tool_name", "toolName")
ARGUMENTS = ("arguments", "args", "input", "action", "query", "queries", "code", "operation")
RESULTS = ("result", "response", "output", "server_tool_call_response", "content", "tools")
OF_CALLS = ("type", "part_kind", "index", *NAMES, *CALL_IDS, *CALL_BODIES)
WRAPPED_RESULTS = frozenset({"text", "json", "error-text", "error-json", "content"})
FAILURES = {"error": True, "failed": True, "success": False}


def is_call(kind: str) -> bool:
    return kind in CALLS or kind.endswith(CALL_ENDINGS)


def is_answer(kind: str) -> bool:
    return kind in ANSWERS or kind.endswith(ANSWER_ENDINGS)


def is_piece(kind: str) -> bool:
    """Whether an object of this kind is a piece of a message, and not one by itself."""
    return kind in TEXTS or kind in THOUGHTS or is_call(kind) or is_answer(kind)


def kind_of(item: Mapping[str, Json]) -> str:
    return text_of(item.get("type"), item.get("part_kind"))


def first(item: Mapping[str, Json], *keys: str) -> Json:
    return next((item[key] for key in keys if item.get(key) is not None), None)


def without(item: Mapping[str, Json], *keys: str) -> dict[str, Json]:
    """What is left of an object, without what is empty."""
    return {
        key: value
        for key, value in item.items()
        if key not in keys and value not in (None, "", [], {})
    }


def text_of(*values: Json) -> str:
    """The first of these that is a text, or a number that stands for a name."""
    for value in values:
        if isinstance(value, str) and value:
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
    return ""


def as_list(value: Json) -> Sequence[Json]:
    if isinstance(value, list):
        return value
    return [] if value is None or value == "" else [value]
