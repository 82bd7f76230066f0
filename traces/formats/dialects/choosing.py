"""Which dialect a span is in: by one attribute that tells, or by who wrote it."""

from __future__ import annotations

from collections.abc import Callable

from traces.formats.dialects import (
    adk,
    agentops,
    autogen_spans,
    claude_code_spans,
    genai,
    langfuse_spans,
    logfire,
    mlflow_spans,
    openinference,
    openllmetry,
    strands,
    vercel,
)
from traces.formats.spans.span import Facts, Role, Span

Read = Callable[[Span], Facts]


# One attribute that tells, the most telling first.
BY_ATTRIBUTE: tuple[tuple[str, Read], ...] = (
    (openinference.KIND, openinference.facts),
    (vercel.OPERATION, vercel.facts),
    (langfuse_spans.KIND, langfuse_spans.facts),
    *((name, openllmetry.facts) for name in (openllmetry.KIND, *openllmetry.SIGNS)),
)
BY_SCOPE: dict[str, Read] = {
    adk.SCOPE: adk.facts,
    strands.SCOPE: strands.facts,
    vercel.SCOPE: vercel.newer,
    **dict.fromkeys(logfire.SCOPES, logfire.facts),
}
# Names that several write, after those who wrote them are known.
COMMON: tuple[tuple[str, Read], ...] = (
    (mlflow_spans.KIND, mlflow_spans.facts),
    *((name, genai.facts) for name in genai.SIGNS),
    (agentops.KIND, agentops.facts),
)


def facts_of(span: Span) -> Facts:
    """What the span says in its dialect. One that no dialect knows says nothing."""
    read = reader_of(span)
    if read is not None:
        return read(span)
    if any(each.name in genai.RECORDS for each in (*span.events, *span.logs)):
        found = genai.facts(span)
        found.role = Role.MODEL
        genai.model_call(found, span)
        return found
    return Facts(role=Role.OTHER)


def reader_of(span: Span) -> Read | None:
    given = span.attributes
    for name, read in BY_ATTRIBUTE:
        if name in given:
            return read
    if span.name.startswith(claude_code_spans.NAMES):
        return claude_code_spans.facts
    if autogen_spans.is_runtime(span):
        return autogen_spans.facts
    if (read_scope := BY_SCOPE.get(span.scope.name)) is not None:
        return read_scope
    return next((read for name, read in COMMON if name in given), None)
