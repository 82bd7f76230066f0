"""pydantic-ai, as it writes for Logfire: GenAI names, and words of its own for runs and retries."""

from __future__ import annotations

from traces.formats.base import Json
from traces.formats.dialects import genai, genai_logs
from traces.formats.dialects.given import Attributes, first_text, number, shown, text, unread
from traces.formats.spans.json_text import opened
from traces.formats.spans.span import Event, Facts, Role, Span

SCOPES = ("pydantic-ai", "pydantic_ai")
KNOWN = genai.KNOWN | {
    "gen_ai.agent.call.id", "agent_name", "model_name", "final_result", "all_messages_events",
    "pydantic_ai.all_messages", "pydantic_ai.new_message_index", "model_request_parameters",
    "logfire.msg", "logfire.json_schema", "logfire.span_type", "logfire.msg_template",
    "logfire.level_num", "events", "tool_arguments", "tool_response", "tools",
    "pydantic_ai.tool.retry.cause", "pydantic_ai.tool.retry.attempt",
    "pydantic_ai.tool.retry.max_retries",
}  # fmt: skip
RETRY = "pydantic_ai.tool.retry."


def facts(span: Span) -> Facts:
    given = span.attributes
    found = genai.facts(span, KNOWN)
    found.unread = unread(given, KNOWN, genai.PREFIXES)
    found.agent = first_text(given, "gen_ai.agent.name", "agent_name")
    found.instance = text(given.get("gen_ai.agent.call.id"))
    if "agent_name" in given and found.role is not Role.AGENT and "gen_ai.tool.name" not in given:
        found.role = Role.AGENT
    if found.role is Role.MODEL:
        add_events(found, given)
    elif found.role is Role.AGENT:
        found.model = found.model or text(given.get("model_name"))
        found.reply = given.get("final_result")
        found.configuration = {}
    elif found.role is Role.TOOL:
        tool_call(found, given)
    return found


def add_events(found: Facts, given: Attributes) -> None:
    """Content as the versions before 1.0 have it: a list of events in one attribute."""
    listed = opened(given.get("events"))
    if not isinstance(listed, list):
        return
    events = [Event(name_of(each), None, each) for each in listed if isinstance(each, dict)]
    carrier = Span("", "", events=events)
    genai_logs.complete(found, carrier)


def name_of(given: dict[str, Json]) -> str:
    name = given.get("event.name")
    return name if isinstance(name, str) else ""


def tool_call(found: Facts, given: Attributes) -> None:
    if found.arguments is None:
        found.arguments = given.get("tool_arguments")
    if found.result is None:
        found.result = shown(given.get("tool_response"))
    retry = {
        "cause": given.get(f"{RETRY}cause"),
        "attempt": number(given.get(f"{RETRY}attempt")),
        "max": number(given.get(f"{RETRY}max_retries")),
    }
    found.retried = {name: value for name, value in retry.items() if value is not None}
