"""Claude Code's own spans: a turn, its model requests and tools, sub-agents by their id.

Content is there only if it was switched on; a tool's output is an event of its span.
"""

from __future__ import annotations

from traces.formats.dialects.given import first, first_text, number, shown, text, unread
from traces.formats.spans.span import Facts, Role, Span

NAMES = "claude_code."
TURN, REQUEST, TOOL = "claude_code.interaction", "claude_code.llm_request", "claude_code.tool"
MAIN, SUBAGENT = "main", "subagent"
OUTPUT = "tool.output"
KNOWN = frozenset(
    {
        "session.id", "span.type", "model", "gen_ai.system", "gen_ai.request.model", "agent_id",
        "parent_agent_id", "stop_reason", "attempt", "success", "error", "request_id",
        "gen_ai.response.id", "tool_name", "tool_use_id", "gen_ai.tool.call.id", "tool_input",
        "gen_ai.tool.call.arguments", "gen_ai.operation.name", "gen_ai.tool.name", "user_prompt",
        "response.model_output", "duration_ms", "input_tokens", "output_tokens",
        "cache_read_tokens", "cache_creation_tokens", "ttft_ms", "user_prompt_length",
        "interaction.sequence", "interaction.duration_ms", "gen_ai.provider.name",
    }
)  # fmt: skip
PREFIXES = ("user.", "organization.", "terminal.", "app.", "gen_ai.usage.")


def facts(span: Span) -> Facts:
    given = span.attributes
    subagent = text(given.get("agent_id"))
    found = Facts(
        agent=SUBAGENT if subagent else "",
        instance=subagent,
        label=span.name,
        conversation=text(given.get("session.id")),
        unread=unread(given, KNOWN, PREFIXES),
    )
    if span.name == REQUEST:
        model_call(found, span)
    elif span.name == TOOL:
        tool_call(found, span)
    elif span.name == TURN:
        found.role, found.agent = Role.AGENT, MAIN
        found.prompt = given.get("user_prompt")
    return found


def model_call(found: Facts, span: Span) -> None:
    given = span.attributes
    found.role = Role.MODEL
    found.model = first_text(given, "model", "gen_ai.request.model")
    found.finish = text(given.get("stop_reason"))
    found.response_id = first_text(given, "gen_ai.response.id", "request_id")
    found.reply = given.get("response.model_output")
    found.attempt = number(given.get("attempt"))
    failed(found, span)


def tool_call(found: Facts, span: Span) -> None:
    given = span.attributes
    found.role = Role.TOOL
    found.tool = first_text(given, "tool_name", "gen_ai.tool.name")
    found.call = first_text(given, "tool_use_id", "gen_ai.tool.call.id")
    found.arguments = first(given, "tool_input", "gen_ai.tool.call.arguments")
    for event in span.events:
        if event.name == OUTPUT:
            found.result = shown(first(event.attributes, "output", "content"))
    failed(found, span)


def failed(found: Facts, span: Span) -> None:
    if span.attributes.get("success") is False:
        found.error = text(span.attributes.get("error")) or span.message
