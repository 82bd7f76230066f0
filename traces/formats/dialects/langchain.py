"""What LangChain and LangGraph add to OpenInference: who acts, and messages as tools' answers."""

from __future__ import annotations

from collections.abc import Mapping

from traces.formats.dialects.given import text
from traces.formats.spans import tool_messages
from traces.formats.spans.json_text import opened
from traces.formats.spans.span import Facts, Role, Span

SCOPE = "openinference.instrumentation.langchain"
# What the node is called that LangGraph itself makes for tools.
TOOLS = "tools"


def complete(found: Facts, span: Span) -> None:
    """Name the agent: the one that LangChain made, else the node of the graph."""
    given = span.attributes
    metadata = opened(given.get("metadata"))
    if isinstance(metadata, Mapping):
        node = text(metadata.get("langgraph_node"))
        made = text(metadata.get("lc_agent_name"))
        # A node that only carries out calls is nobody.
        acting = made or ("" if found.role is Role.TOOL or node == TOOLS else node)
        found.agent = found.agent or acting
        found.conversation = found.conversation or text(metadata.get("thread_id"))
        if found.role is Role.CONTAINER and acting and span.name == acting:
            found.role = Role.AGENT
    if found.role is Role.TOOL:
        answer = tool_messages.answer_in(given.get("output.value"))
        if answer is not None:
            tool_messages.take(found, answer)
