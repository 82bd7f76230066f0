"""OpenTelemetry's GenAI conventions (`gen_ai.*`): the latest, and what stood in spans before.

Content is on the span, or in log records and events that name it; by default it is nowhere.
"""

from __future__ import annotations

from traces.formats.base import Json
from traces.formats.dialects import genai_logs
from traces.formats.dialects.given import (
    Attributes,
    below,
    finish_of,
    first,
    first_text,
    shown,
    text,
    unread,
)
from traces.formats.spans.span import Facts, Judged, Role, Span

ROLES = {
    "chat": Role.MODEL,
    "generate_content": Role.MODEL,
    "text_completion": Role.MODEL,
    "execute_tool": Role.TOOL,
    "retrieval": Role.TOOL,
    "invoke_agent": Role.AGENT,
}
# Model calls under names of older libraries: "chat.completions", "text.streaming_completions".
SPEAKING = ("chat.", "text.", "completion", "responses")
KNOWN = frozenset(
    {
        "gen_ai.operation.name", "gen_ai.system", "gen_ai.provider.name", "gen_ai.request.model",
        "gen_ai.response.model", "gen_ai.response.id", "gen_ai.response.finish_reasons",
        "gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.system_instructions",
        "gen_ai.tool.definitions", "gen_ai.agent.name", "gen_ai.conversation.id", "error.type",
        "gen_ai.tool.name", "gen_ai.tool.type", "gen_ai.tool.call.id", "gen_ai.tool.call.arguments",
        "gen_ai.tool.call.result", "gen_ai.tool.description", "gen_ai.agent.id",
        "gen_ai.agent.description", "gen_ai.agent.version", "gen_ai.workflow.name",
        "gen_ai.transfer.mode", "gen_ai.transfer.target.name", "gen_ai.output.type",
        "gen_ai.prompt", "gen_ai.completion", "gen_ai.data_source.id", "gen_ai.token.type",
        "input.value", "output.value", "gen_ai.is_streaming", "gen_ai.openai.api_base",
        "traceloop.workflow.name",
    }
)  # fmt: skip
PREFIXES = ("gen_ai.usage.", "gen_ai.request.", "gen_ai.aggregated_usage.", "gen_ai.evaluation.")
SIGNS = (
    "gen_ai.operation.name", "gen_ai.tool.name", "gen_ai.request.model", "gen_ai.output.messages",
    "gen_ai.input.messages", "gen_ai.agent.name",
)  # fmt: skip
RECORDS = genai_logs.NAMES
PASSES_CONTROL = "pass_control"
EVALUATION = "gen_ai.evaluation.result"


def facts(span: Span, known: frozenset[str] = KNOWN, prefixes: tuple[str, ...] = PREFIXES) -> Facts:
    given = span.attributes
    role = role_of(given)
    found = Facts(
        role=role,
        agent=text(given.get("gen_ai.agent.name")),
        conversation=text(given.get("gen_ai.conversation.id")),
        error_type=text(given.get("error.type")),
        unread=unread(given, known, prefixes),
    )
    if role is Role.AGENT:
        found.agent = found.agent or text(given.get("gen_ai.agent.id"))
    if role is Role.MODEL or role is Role.AGENT:
        model_call(found, span)
    elif role is Role.TOOL:
        tool_call(found, given)
    if span.events or span.logs:
        found.judged = [*judgements(span)]
    return found


def role_of(given: Attributes) -> Role:
    operation = given.get("gen_ai.operation.name")
    if isinstance(operation, str):
        spoken = operation.startswith(SPEAKING)
        return ROLES.get(operation, Role.MODEL if spoken else Role.CONTAINER)
    if "gen_ai.tool.name" in given or "gen_ai.tool.call.id" in given:
        return Role.TOOL
    if not given.keys().isdisjoint(("gen_ai.request.model", "gen_ai.output.messages")):
        return Role.MODEL
    return Role.MODEL if "gen_ai.input.messages" in given else Role.CONTAINER


def model_call(found: Facts, span: Span) -> None:
    given = span.attributes
    found.model = first_text(given, "gen_ai.response.model", "gen_ai.request.model")
    found.parameters = below(given, "gen_ai.request.", "gen_ai.request.model")
    found.system = given.get("gen_ai.system_instructions")
    found.prompt = first(given, "gen_ai.input.messages", "gen_ai.prompt")
    found.reply = first(given, "gen_ai.output.messages", "gen_ai.completion")
    found.finish = finish_of(given.get("gen_ai.response.finish_reasons"))
    found.response_id = text(given.get("gen_ai.response.id"))
    if definitions := given.get("gen_ai.tool.definitions"):
        found.configuration = {"tools": definitions}
    if span.logs or span.events:
        genai_logs.complete(found, span)


def tool_call(found: Facts, given: Attributes) -> None:
    found.tool = text(given.get("gen_ai.tool.name")) or text(given.get("gen_ai.operation.name"))
    found.call = text(given.get("gen_ai.tool.call.id"))
    found.arguments = first(
        given, "gen_ai.tool.call.arguments", "gen_ai.retrieval.query.text", "input.value"
    )
    found.result = shown(
        first(given, "gen_ai.tool.call.result", "gen_ai.retrieval.documents", "output.value")
    )
    if given.get("gen_ai.transfer.mode") == PASSES_CONTROL:
        found.role = Role.HANDOFF
        found.to = text(given.get("gen_ai.transfer.target.name")) or found.tool


def judgements(span: Span) -> list[Judged]:
    """Evaluations are judgements of the run, by whomever: never part of a step."""
    return [
        Judged(
            str(each.attributes.get("gen_ai.evaluation.name") or "evaluation"),
            text(each.attributes.get("gen_ai.evaluation.explanation")),
            plain(each.attributes),
        )
        for each in (*span.events, *span.logs)
        if each.name == EVALUATION
    ]


def plain(given: Attributes) -> dict[str, Json]:
    return below(given, "gen_ai.evaluation.")
