"""What CrewAI's events say, out of the shapes that they say it in."""

from __future__ import annotations

from traces.compact import compact
from traces.facts import fact_lines, with_facts
from traces.formats.base import Json
from traces.formats.chat.message import Message
from traces.formats.chat.reading import messages, opened
from traces.formats.crewai.events import Event
from traces.formats.records import loose
from traces.transcript import Part, PartKind


def answered(response: Json) -> Message:
    """What a model said; calls are dumped with their texts in quotes."""
    if isinstance(response, list) and response and all(isinstance(each, dict) for each in response):
        calls = [unquoted(each) for each in response]
        return next(iter(messages([{"role": "assistant", "tool_calls": calls}])))
    found = messages(response, "assistant") if not isinstance(response, str) else []
    if found:
        return found[0]
    text = loose.shown(response)
    return Message("assistant", parts=(Part(PartKind.MESSAGE, text),) if text else ())


def unquoted(call: Json) -> Json:
    """A call without the quotes that the dump put around its texts."""
    if isinstance(call, str) and len(call) > 1 and call[0] == call[-1] == "'":
        return call[1:-1]
    if isinstance(call, dict):
        return {name: unquoted(value) for name, value in call.items()}
    return call


def canonical(arguments: Json) -> str:
    value = opened(arguments)
    return compact(value) if isinstance(value, dict | list) else loose.shown(value)


def result_of(end: Event) -> str:
    for key in ("error", "output", "results", "retrieved_knowledge", "memory_content", "value"):
        if end.value.get(key) is not None:
            return loose.shown(end.value[key])
    return ""


def verification(one: Event, start: Event | None) -> Part:
    """What a guardrail found, a function or a model: its verdict, and why it refuses."""
    passed = one.value.get("success")
    verdict = "inconclusive"
    if isinstance(passed, bool):
        verdict = "passed" if passed else "failed"
    if one.type.endswith("_failed"):
        verdict = "failed"
    reason = loose.shown(one.value.get("error"))
    rule = loose.shown(start.value.get("guardrail")) if start else ""
    facts = {"check": "guardrail", "method": rule, "verdict": verdict, "observed": reason}
    data = {name: value for name, value in facts.items() if value}
    text = "" if reason else loose.shown(one.value.get("result"))
    return Part(PartKind.VERIFICATION, with_facts(text, fact_lines(data)), data)
