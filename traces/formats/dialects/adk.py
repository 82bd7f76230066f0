"""Google's Agent Development Kit: GenAI names, with content in attributes of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from traces.formats.base import Json
from traces.formats.chat import reading
from traces.formats.chat.message import Answer, Message
from traces.formats.dialects import genai
from traces.formats.dialects.given import Attributes, first, shown, text, unread
from traces.formats.spans.json_text import opened
from traces.formats.spans.span import Facts, Role, Span

SCOPE = "gcp.vertex.agent"
OWN = "gcp.vertex.agent."
KNOWN = genai.KNOWN | {
    f"{OWN}{name}"
    for name in (
        "event_id", "invocation_id", "session_id", "llm_request", "llm_response", "data",
        "tool_call_args", "tool_response",
    )
}  # fmt: skip
RUN = "agent_run ["
INSTRUMENTATION = "openinference.instrumentation.google_adk"
MERGED = "(merged tools)"
TRANSFER = "transfer_to_agent"
EMPTY = ("{}", "")


def facts(span: Span) -> Facts:
    given = span.attributes
    found = genai.facts(span, KNOWN)
    found.unread = unread(given, KNOWN, genai.PREFIXES)
    if "gen_ai.operation.name" not in given:
        older(found, span)
    if given.get("gen_ai.tool.name") == MERGED:
        return Facts(role=Role.SYNTHETIC, unread=found.unread)
    if found.role is Role.MODEL:
        model_call(found, given)
    elif found.role is Role.TOOL:
        tool_call(found, given)
    return found


def complete(found: Facts, span: Span) -> None:
    """What OpenInference leaves in ADK's own attributes."""
    rest = (name for name in found.unread if not name.startswith(genai.PREFIXES))
    found.unread = [name for name in rest if name not in KNOWN]
    if found.role is Role.AGENT:
        found.agent = found.agent or agent_in(span.name)
    elif found.role is Role.TOOL:
        given = span.attributes
        found.call = found.call or text(given.get("gen_ai.tool.call.id"))
        answer = opened(found.result)
        if isinstance(answer, Mapping) and {"name", "response"} <= answer.keys():
            found.result = None
            response = shown(answer["response"])
            given = {**given, f"{OWN}tool_response": response}
        if found.tool == MERGED:
            found.role = Role.SYNTHETIC
        tool_call(found, given)


def agent_in(name: str) -> str:
    """The agent in a span's name, as the versions write it."""
    if name.startswith(RUN):
        return name.removeprefix(RUN).removesuffix("]")
    return name.removeprefix("invoke_agent ") if name.startswith("invoke_agent ") else ""


def older(found: Facts, span: Span) -> None:
    """The versions that named their spans only."""
    if span.name == "call_llm" or span.name.startswith("generate_content"):
        found.role = Role.MODEL
        genai.model_call(found, span)
    elif span.name.startswith(RUN):
        found.role = Role.AGENT
        found.agent = agent_in(span.name)
    elif span.name.startswith("execute_tool"):
        found.role = Role.TOOL
        genai.tool_call(found, span.attributes)
        found.tool = found.tool or span.name.removeprefix("execute_tool").strip()


def model_call(found: Facts, given: Attributes) -> None:
    found.read = messages
    request = opened(given.get(f"{OWN}llm_request"))
    if found.prompt is None and isinstance(request, Mapping) and request:
        found.prompt = request.get("contents")
        config = request.get("config")
        if found.system is None and isinstance(config, Mapping):
            found.system = config.get("system_instruction")
    response = opened(given.get(f"{OWN}llm_response"))
    if found.reply is None and isinstance(response, Mapping) and response:
        found.reply = response.get("content")


def tool_call(found: Facts, given: Attributes) -> None:
    arguments = given.get(f"{OWN}tool_call_args")
    if found.arguments is None and arguments not in EMPTY:
        found.arguments = arguments
    response = first(given, "gen_ai.tool.call.result", f"{OWN}tool_response")
    if response is not None and response not in EMPTY:
        result, found.failed = answer_of(response)
        found.result = shown(response) if result is None else result
    if found.tool == TRANSFER:
        named = opened(found.arguments)
        found.role = Role.HANDOFF
        found.to = text(named.get("agent_name")) if isinstance(named, Mapping) else ""
        found.to = found.to or TRANSFER


def messages(value: Json, role: str) -> list[Message]:
    """Messages, with what tools answered taken out of the object that ADK puts around it."""
    found = reading.messages(value, role)
    if not any(each.answers for each in found):
        return found
    return [replace(each, answers=tuple(map(bare, each.answers))) for each in found]


def bare(answer: Answer) -> Answer:
    text, failed = answer_of(answer.text)
    return replace(answer, text=text or "", failed=answer.failed if failed is None else failed)


def answer_of(given: Json) -> tuple[str | None, bool | None]:
    """A tool's answer, and whether it failed: what returns no object is put into one by ADK."""
    value = opened(given)
    if isinstance(value, Mapping) and len(value) == 1:
        if "result" in value:
            return shown(value["result"]), None
        if isinstance(value.get("error"), str) and value["error"]:
            return value["error"], True
    return shown(given), None
