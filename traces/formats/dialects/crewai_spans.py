"""What CrewAI's older spans need besides OpenInference: the role of the agent that has a task."""

from __future__ import annotations

import re
from collections.abc import Mapping

from traces.formats.dialects.given import text
from traces.formats.spans.json_text import opened
from traces.formats.spans.span import Facts, Role, Span

SCOPE = "openinference.instrumentation.crewai"
# The agent stands among what the task was given, dumped as text.
NAMED = re.compile(r"\brole=(?:'([^'\\]{1,200})'|\"([^\"\\]{1,200})\")")
# As far as the role is looked for: backstories are long.
FAR = 2_000


def complete(found: Facts, span: Span) -> None:
    if found.role is not Role.AGENT or found.agent:
        return
    given = opened(span.attributes.get("input.value"))
    dumped = text(given.get("agent")) if isinstance(given, Mapping) else ""
    if named := NAMED.search(dumped[:FAR]):
        found.agent = (named[1] or named[2]).strip()
