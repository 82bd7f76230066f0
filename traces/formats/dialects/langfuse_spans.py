"""Langfuse's SDK over OTLP: a type for each observation, input and output as JSON or as text."""

from __future__ import annotations

from traces.formats.base import Json
from traces.formats.dialects.given import shown, text, unread, unwrapped
from traces.formats.dialects.mlflow_spans import prompt_of
from traces.formats.spans.json_text import opened
from traces.formats.spans.span import Facts, Role, Span

OWN = "langfuse."
KIND = f"{OWN}observation.type"
ROLES = {
    "agent": Role.AGENT,
    "generation": Role.MODEL,
    "tool": Role.TOOL,
    "retriever": Role.TOOL,
    "guardrail": Role.CHECK,
    "evaluator": Role.JUDGEMENT,
}
KNOWN = frozenset(
    {
        KIND, "session.id", "user.id", "langfuse.trace.name", "langfuse.environment",
        "langfuse.release", "langfuse.version",
        *(
            f"{OWN}observation.{name}"
            for name in (
                "input", "output", "level", "status_message", "model.name", "model.parameters",
                "usage_details", "cost_details", "completion_start_time", "metadata",
            )
        ),
    }
)  # fmt: skip
PREFIXES = ("langfuse.internal.", "langfuse.observation.metadata.", "langfuse.trace.metadata.")


def facts(span: Span) -> Facts:
    given = span.attributes
    role = ROLES.get(text(given.get(KIND)).lower(), Role.CONTAINER)
    sent, answer = said(span, "input"), said(span, "output")
    found = Facts(
        role=role,
        label=span.name,
        agent=span.name if role is Role.AGENT else "",
        conversation=text(given.get("session.id")),
        unread=unread(given, KNOWN, PREFIXES),
    )
    if role is Role.MODEL:
        model_call(found, span)
        found.prompt, found.reply = prompt_of(opened(sent)), answer
    elif role is Role.AGENT:
        found.prompt, found.reply = unwrapped(sent), answer
    elif role is Role.TOOL or role is Role.CHECK:
        found.tool = span.name
        found.arguments = unwrapped(sent)
        found.result = shown(answer)
    if given.get(f"{OWN}observation.level") == "ERROR":
        found.error = text(given.get(f"{OWN}observation.status_message"))
    return found


def said(span: Span, side: str) -> Json:
    return span.attributes.get(f"{OWN}observation.{side}")


def model_call(found: Facts, span: Span) -> None:
    given = span.attributes
    found.model = text(given.get(f"{OWN}observation.model.name"))
    parameters = opened(given.get(f"{OWN}observation.model.parameters"))
    found.parameters = parameters if isinstance(parameters, dict) else {}
    sent = opened(said(span, "input"))
    if isinstance(sent, dict) and (tools := sent.get("tools")):
        found.configuration = {"tools": tools}
