"""A tool's answer as the message that LangChain makes of it, in the shapes that it is dumped in."""

from __future__ import annotations

from collections.abc import Mapping

from traces.compact import compact
from traces.formats.base import Json
from traces.formats.spans.json_text import opened
from traces.formats.spans.span import Facts

CLASSES = ("ToolMessage", "ToolMessageChunk")


def answer_in(value: Json) -> Mapping[str, Json] | None:
    """The message of a tool in what it gave; None if it gave anything else."""
    given = opened(value)
    if not isinstance(given, Mapping):
        return None
    if given.keys() == {"output"}:
        return answer_in(given["output"])
    path, inner = given.get("id"), None
    if isinstance(path, list) and path and path[-1] in CLASSES:
        inner = given.get("kwargs")
    elif given.get("type") == "tool":
        inner = given["data"] if isinstance(given.get("data"), Mapping) else given
    if isinstance(inner, Mapping) and {"content", "tool_call_id"} <= inner.keys():
        return inner
    return None


def take(found: Facts, message: Mapping[str, Json]) -> None:
    """Take the answer, the call that it answers, and whether it failed."""
    content, call = message["content"], message["tool_call_id"]
    found.result = words(content)
    found.call = found.call or (call if isinstance(call, str) else "")
    if message.get("status") == "error":
        found.failed = True


def words(content: Json) -> str:
    """The text of an answer; blocks that are all text are one text."""
    if isinstance(content, list) and content:
        texts = [each.get("text") if isinstance(each, Mapping) else each for each in content]
        said = [each for each in texts if isinstance(each, str)]
        if len(said) == len(texts):
            return "\n".join(said)
    return content if isinstance(content, str) else "" if content is None else compact(content)
