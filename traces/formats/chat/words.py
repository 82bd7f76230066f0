"""The words that dialects of messages use for the same thing, and how a word's value is taken."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence

from traces.formats.base import Json

TEXTS = frozenset({"text", "input_text", "output_text", "refusal", "summary_text"})
THOUGHTS = frozenset(
    {"thinking", "reasoning", "redacted_thinking", "reasoning_content", "thought"}
    | {"reasoning.text", "reasoning.summary", "reasoning.encrypted"}
)
# What the .NET libraries call reasoning, behind the name of the library.
THOUGHT_ENDING = "ReasoningContent"
# What seals reasoning that is not shown.
SEALS = ("signature", "encrypted_content", "data", "protectedData")
CALLS = frozenset({"tool_call", "function_call", "server_tool_call"})
CALL_ENDINGS = ("tool_use", "_call", "tool-call")
ANSWERS = frozenset(
    {"tool_call_response", "server_tool_call_response", "tool_result", "function_result"}
)
RESULT = "function_result"
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
OF_CALLS = frozenset({"type", "part_kind", "index", *NAMES, *CALL_IDS, *CALL_BODIES})
WRAPPED_RESULTS = frozenset({"text", "json", "error-text", "error-json", "content"})
EMPTY: tuple[Json, ...] = ("", [], {})
FAILURES = {"error": True, "failed": True, "success": False}


def is_call(kind: str) -> bool:
    return kind in CALLS or kind.endswith(CALL_ENDINGS)


def is_answer(kind: str) -> bool:
    return kind in ANSWERS or kind.endswith(ANSWER_ENDINGS)


def is_thought(kind: str) -> bool:
    return kind in THOUGHTS or kind.endswith(THOUGHT_ENDING)


def is_piece(kind: str) -> bool:
    """Whether an object of this kind is a piece of a message, and not one by itself."""
    return kind in TEXTS or is_thought(kind) or is_call(kind) or is_answer(kind)


def kind_of(item: Mapping[str, Json]) -> str:
    kind = item.get("type") or item.get("part_kind")
    return kind if isinstance(kind, str) else ""


def first(item: Mapping[str, Json], *keys: str) -> Json:
    for key in keys:
        if (value := item.get(key)) is not None:
            return value
    return None


def text_at(item: Mapping[str, Json], keys: Iterable[str]) -> str:
    """The first text at one of these keys."""
    for key in keys:
        if (value := item.get(key)) is not None and (text := text_of(value)):
            return text
    return ""


def without(item: Mapping[str, Json], *keys: str) -> dict[str, Json]:
    """What is left of an object, without what is empty."""
    return rest_of(item, keys)


def rest_of(item: Mapping[str, Json], placed: Container[str]) -> dict[str, Json]:
    """What is left of an object without keys that have a place, and without what is empty."""
    return {
        key: value
        for key, value in item.items()
        if key not in placed and (value or (value is not None and value not in EMPTY))
    }


def text_of(*values: Json) -> str:
    """The first of these that is a text, or a number that stands for a name."""
    for value in values:
        if isinstance(value, str):
            if value:
                return value
        elif isinstance(value, int) and not isinstance(value, bool):
            return str(value)
    return ""


def as_list(value: Json) -> Sequence[Json]:
    if isinstance(value, list):
        return value
    return [] if value is None or value == "" else [value]
