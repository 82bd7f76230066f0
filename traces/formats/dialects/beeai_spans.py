"""BeeAI's older spans: one for each event of a call, instead of one for the call."""

from __future__ import annotations

import re

from traces.formats.dialects.given import text
from traces.formats.spans.json_text import opened
from traces.formats.spans.span import Facts, Role, Span

SCOPE = "openinference.instrumentation.beeai"
# What happened to what, and which time: the events of one call have one number.
EVENT = re.compile(r"([\w.]{1,200})\.(start|success|finish|error|\w{1,40})(-\d{1,9})\Z")
OF_CALLS = frozenset({"start", "success", "finish", "error"})
KNOWN = frozenset({"target", "name", "traceId", "source", "history", "beeai.version"})


def complete(found: Facts, span: Span) -> None:
    """Say of which call an event is, so that all of one call are one step."""
    found.unread = [name for name in found.unread if name not in KNOWN]
    event = EVENT.match(span.name)
    if event is None or found.role not in (Role.MODEL, Role.TOOL):
        return
    what, happened, number = event.groups()
    if happened not in OF_CALLS:
        found.role = Role.CONTAINER
        return
    found.response_id = what + number
    if found.role is Role.TOOL:
        given = span.attributes
        found.tool = text(given.get("tool.name")) or what.rpartition(".")[2]
        if found.arguments is None:
            found.arguments = opened(given.get("tool.parameters"))
