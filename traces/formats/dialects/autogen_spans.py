"""AutoGen's runtime: spans of messages on their way between agents, which are no acts of any."""

from __future__ import annotations

from traces.formats.dialects.given import text, unread
from traces.formats.spans.span import Facts, Role, Span

OPERATION = "messaging.operation"
NAME = "autogen "
PREFIXES = ("messaging.",)


def is_runtime(span: Span) -> bool:
    return span.scope.name.startswith(NAME) and OPERATION in span.attributes


def facts(span: Span) -> Facts:
    """A wrapper, named by what the message was for."""
    given = span.attributes
    found = Facts(role=Role.CONTAINER, unread=unread(given, frozenset(), PREFIXES))
    found.label = f"{text(given.get(OPERATION))} {text(given.get('messaging.destination'))}".strip()
    return found
