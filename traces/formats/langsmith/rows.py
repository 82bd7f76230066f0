"""What LangSmith's runs say: their roles, which are attempts of one another, and their content."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from traces.formats.base import Json
from traces.formats.chat.message import Message
from traces.formats.records import loose
from traces.formats.records.loose import Object
from traces.formats.spans import tool_messages
from traces.formats.spans.span import Facts, Role, Span
from traces.transcript import Part, PartKind

ROLES = {
    "llm": Role.MODEL,
    "tool": Role.TOOL,
    "retriever": Role.TOOL,
    "chain": Role.CONTAINER,
    "prompt": Role.CONTAINER,
    "parser": Role.CONTAINER,
    "embedding": Role.CONTAINER,
}
HELD = frozenset(
    {"id", "name", "run_type", "inputs", "outputs", "error", "start_time", "end_time", "trace_id"}
    | {"parent_run_id", "dotted_order", "extra", "tags", "events", "session_name", "session_id"}
    | {"status", "reference_example_id", "serialized", "child_runs", "feedback", "feedback_stats"}
)
# What only a model gives. The end of a run that came without its beginning has no type.
OF_MODELS = frozenset({"choices", "generations"})
# Chains that LangChain makes of others, and of itself.
STRINGS = ("Runnable", "Channel", "LangGraph")
STREAMED = "new_token"


@dataclass(slots=True)
class Row:
    """A run of LangSmith's, which is a span here, with all that came of it."""

    value: dict[str, Json]
    places: list[str]

    @property
    def metadata(self) -> Object:
        return loose.mapping(loose.at(self.value, "extra", "metadata"))


Attempt = tuple[int, str, str]


def attempts(rows: Sequence[Row]) -> dict[str, Attempt]:
    """Runs that were tried again: equal name and checkpoint, the earlier one with an error.

    By the run's id: which attempt it is, of which run, and why that was not the last.
    """
    groups: defaultdict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        space = loose.text(row.metadata.get("langgraph_checkpoint_ns"))
        if space and row.metadata.get("langgraph_node") == row.value.get("name"):
            groups[space, loose.text(row.value.get("name"))].append(row)
    found: dict[str, Attempt] = {}
    for group in groups.values():
        group.sort(key=lambda row: loose.text(row.value.get("dotted_order")))
        for number, (before, row) in enumerate(pairwise(group), start=2):
            if before.value.get("error"):
                reason = loose.shown(before.value["error"]).split("\n", 1)[0]
                found[str(row.value["id"])] = (number, str(before.value["id"]), reason)
    return found


def facts(span: Span, row: Row, tried: Mapping[str, Attempt]) -> Facts:
    value, metadata = row.value, row.metadata
    role = role_of(value)
    node = loose.text(metadata.get("lc_agent_name")) or loose.text(metadata.get("langgraph_node"))
    found = Facts(role=role, label=span.name, agent=node or chain(span, value))
    found.unread = [name for name in value if name not in HELD]
    found.conversation = loose.text(metadata.get("thread_id"))
    outputs = value.get("outputs")
    if role is Role.MODEL:
        found.model = loose.text(metadata.get("ls_model_name"))
        found.parameters = loose.mapping(loose.at(value, "extra", "invocation_params"))
        found.prompt = value.get("inputs")
        found.reply = streamed(value) if outputs is None else outputs
    elif role is Role.TOOL:
        found.tool, found.arguments = span.name, value.get("inputs")
        if not value.get("error"):
            answer_of(found, outputs)
    elif node and node == span.name:
        # One execution of a node of the graph, which speaks by itself if no model runs in it.
        found.role, found.agent = Role.AGENT, node
        found.instance = loose.text(metadata.get("langgraph_checkpoint_ns"))
        found.reply, found.read = outputs or "", spoken
    if span.id in tried:
        found.attempt, _, found.retry_reason = tried[span.id]
    return found


def chain(span: Span, value: Object) -> str:
    """Whose work a chain is: that of its name, but for what LangChain itself strings together."""
    named = value.get("run_type") == "chain" and not span.name.startswith(STRINGS)
    return span.name if named else ""


def role_of(value: Object) -> Role:
    kind = loose.text(value.get("run_type"))
    if not kind and not OF_MODELS.isdisjoint(loose.mapping(value.get("outputs"))):
        return Role.MODEL
    return ROLES.get(kind, Role.CONTAINER)


def streamed(value: Object) -> Json:
    """What a model had said when its stream broke off; None if that is not recorded."""
    events = (each for each in loose.objects(value.get("events")) if each.get("name") == STREAMED)
    tokens = [word_of(loose.at(each, "kwargs", "token")) for each in events]
    return [{"role": "assistant", "content": "".join(tokens)}] if any(tokens) else None


def word_of(token: Json) -> str:
    """A token: a text, or a piece of a stream of OpenAI's."""
    if isinstance(token, str):
        return token
    choices = loose.objects(loose.at(token, "choices"))
    return loose.text(loose.at(choices[0], "delta", "content")) if choices else ""


def answer_of(found: Facts, outputs: Json) -> None:
    """What a tool gave, out of the wrapper that holds what is no object."""
    if (answer := tool_messages.answer_in(outputs)) is not None:
        tool_messages.take(found, answer)
    elif outputs is not None:
        given = loose.mapping(outputs)
        found.result = loose.shown(given["output"] if given.keys() == {"output"} else outputs)


def spoken(value: Json, role: str) -> Sequence[Message]:
    text = loose.shown(value)
    return [Message("assistant", parts=(Part(PartKind.MESSAGE, text),))] if text else []
