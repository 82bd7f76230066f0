"""AgentOps: sessions, agents, operations and tools, with what went in and out as JSON."""

from __future__ import annotations

from traces.formats.dialects.given import first, first_text, shown, text, unread, unwrapped
from traces.formats.spans.span import Facts, Role, Span

KIND = "agentops.span.kind"
ROLES = {"agent": Role.AGENT, "tool": Role.TOOL, "guardrail": Role.CHECK}
INPUTS = ("agentops.entity.input", "tool.parameters", "input.value")
OUTPUTS = ("agentops.entity.output", "tool.result", "output.value")
KNOWN = frozenset(
    {KIND, *INPUTS, *OUTPUTS, "agentops.entity.name", "operation.name", "agent.name", "tool.name"}
    | {"agentops.session.id", "agent.id", "session.id"}
)


def facts(span: Span) -> Facts:
    given = span.attributes
    role = ROLES.get(text(given.get(KIND)).lower(), Role.CONTAINER)
    name = first_text(given, "agentops.entity.name", "operation.name") or span.name
    found = Facts(
        role=role,
        label=name,
        agent=text(given.get("agent.name")) or (name if role is Role.AGENT else ""),
        conversation=first_text(given, "agentops.session.id", "session.id"),
        unread=unread(given, KNOWN),
    )
    if role is Role.TOOL or role is Role.CHECK:
        found.tool = text(given.get("tool.name")) or name
        found.arguments = unwrapped(first(given, *INPUTS))
        found.result = shown(first(given, *OUTPUTS))
    elif role is Role.AGENT:
        found.prompt, found.reply = first(given, *INPUTS), first(given, *OUTPUTS)
    return found
