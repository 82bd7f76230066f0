"""What LlamaIndex's workflows need besides OpenInference: who acts, and what is no model call."""

from __future__ import annotations

import re
from collections.abc import Mapping

from traces.formats.dialects.given import text
from traces.formats.spans.json_text import opened
from traces.formats.spans.span import Facts, Role, Span

SCOPE = "openinference.instrumentation.llama_index"
# One turn of an agent. Its name stands in no attribute, but in the event that is dumped as text.
TURN = ".run_agent_step"
NAMED = re.compile(r"current_agent_name='([^'\\]{1,100})'\)*$")
# Has the kind of a model call, and makes the arguments of one.
PREPARING = "._prepare_chat_with_tools"
HANDOFF = "handoff"


def complete(found: Facts, span: Span) -> None:
    if span.name.endswith(PREPARING):
        found.role = Role.CONTAINER
        found.prompt = found.reply = None
    elif span.name.endswith(TURN):
        given = opened(span.attributes.get("input.value"))
        event = text(given.get("ev")) if isinstance(given, Mapping) else ""
        if named := NAMED.search(event):
            found.agent = named[1]
    elif found.role is Role.TOOL:
        answered(found)
        if found.tool == HANDOFF and isinstance(found.arguments, Mapping):
            found.role, found.to = Role.HANDOFF, text(found.arguments.get("to_agent"))


def answered(found: Facts) -> None:
    """Take the text of an answer out of the object that LlamaIndex puts it into."""
    given = opened(found.result)
    blocks = given.get("blocks") if isinstance(given, Mapping) else None
    if not isinstance(given, Mapping) or not isinstance(blocks, list) or "raw_output" not in given:
        return
    texts = [each.get("text") for each in blocks if isinstance(each, Mapping)]
    said = [each for each in texts if isinstance(each, str)]
    if len(said) == len(blocks):
        found.result = "\n".join(said)
    if given.get("is_error") is True:
        found.failed = True
