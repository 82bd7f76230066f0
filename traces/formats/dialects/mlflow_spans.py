"""MLflow's spans: a type, and inputs and outputs that are JSON, even where they are plain text."""

from __future__ import annotations

from traces.formats.base import Json
from traces.formats.dialects.given import shown, text, unread, unwrapped
from traces.formats.spans.json_text import opened
from traces.formats.spans.span import Facts, Role, Span

KIND = "mlflow.spanType"
ROLES = {
    "AGENT": Role.AGENT,
    "CHAT_MODEL": Role.MODEL,
    "LLM": Role.MODEL,
    "TOOL": Role.TOOL,
    "RETRIEVER": Role.TOOL,
    "RERANKER": Role.TOOL,
    "GUARDRAIL": Role.CHECK,
    "EVALUATOR": Role.JUDGEMENT,
}
KNOWN = frozenset(
    {
        KIND, "mlflow.spanInputs", "mlflow.spanOutputs", "mlflow.traceRequestId",
        "mlflow.spanFunctionName", "mlflow.chat.messages", "mlflow.chat.tools",
        "mlflow.message.format", "mlflow.chat.tokenUsage", "mlflow.llm.model", "model",
        "mlflow.llm.provider", "mlflow.experimentId", "mlflow.trace.session", "mlflow.trace.user",
    }
)  # fmt: skip


def facts(span: Span) -> Facts:
    given = {name: decoded(value) for name, value in span.attributes.items()}
    role = ROLES.get(text(given.get(KIND)).upper(), Role.CONTAINER)
    inputs, outputs = given.get("mlflow.spanInputs"), given.get("mlflow.spanOutputs")
    found = Facts(
        role=role,
        label=span.name,
        agent=span.name if role is Role.AGENT else "",
        conversation=text(given.get("mlflow.trace.session")),
        unread=unread(span.attributes, KNOWN),
    )
    if role is Role.MODEL:
        found.model = text(given.get("mlflow.llm.model")) or model_in(inputs)
        found.prompt, found.reply = prompt_of(inputs), outputs
        if tools := given.get("mlflow.chat.tools"):
            found.configuration = {"tools": tools}
    elif role is Role.AGENT:
        found.prompt, found.reply = inputs, outputs
    elif role is Role.TOOL or role is Role.CHECK:
        found.tool = text(given.get("mlflow.spanFunctionName")) or span.name
        found.arguments = unwrapped(inputs)
        found.result = shown(outputs)
    return found


def decoded(value: Json) -> Json:
    """A value that stands as JSON in a string, be it a plain text."""
    return opened(value)


def model_in(inputs: Json) -> str:
    return text(inputs.get("model")) if isinstance(inputs, dict) else ""


def prompt_of(inputs: Json) -> Json:
    """The messages; what else a call was given is not said by anybody."""
    if isinstance(inputs, dict):
        for name in ("messages", "input", "contents", "prompt"):
            if inputs.get(name) is not None:
                return inputs[name]
    return inputs
