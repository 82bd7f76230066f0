"""No field claims that something did not occur where the format could not have told it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.traces.formats import story
from tests.traces.formats.story import STORIES
from traces.transcript import PartKind, Transcript

# What a format has no place for, by the survey of formats. Named as the survey names it.
CANNOT_TELL = {
    "messages": "start instance state verify terminal retry times",
    "whowhen": "request response error start instance state retry times",
    "claude_code": "terminal verify",
    "claude_stream": "times verify state",
    "codex_rollout": "verify",
    "codex_exec": "times verify",
    "atif": "error state verify terminal retry",
    "gemini_cli": "start instance state verify terminal retry",
    "tau_bench": "instance state retry times",
    "swe_agent": "instance verify",
    "mini_swe_agent": "instance state retry",
    "openhands": "state retry",
    "autogen": "instance state verify retry",
    "autogen_log": "state verify retry",
    "ag2": "start instance state verify retry times",
    "langgraph": "config verify retry",
    "langgraph_events": "start state verify retry times",
    "langgraph_stream": "config verify retry",
    "adk_events": "verify terminal retry",
    "smolagents_memory": "instance state verify retry start",
    "crewai": "state",
    "mcp": "start instance intent state verify terminal retry",
    "a2a": "config start request response state verify",
    "atof": "start state verify retry",
    "langfuse": "start state terminal retry",
    "mlflow": "start state retry",
    "openai_agents": "start state terminal retry",
    "pydantic_ai": "start state verify",
    "otlp": "start state",
    "trail": "start state retry",
}
PATHS = {
    "start": ("initial_state",),
    "config": ("system",),
    "state": ("steps/parts/state",),
    "verify": ("steps/parts/verification",),
    "terminal": ("outcome", "reports"),
    "retry": ("steps/retry", "attempt", "retry"),
    "times": ("started_at", "ended_at", "steps/started_at", "steps/ended_at"),
    "error": ("status", "steps/status"),
    "instance": ("instance", "actors/instance"),
    "intent": ("message/text", "interpretation/text"),
    "request": ("tool_request/text", "tool"),
    "response": ("tool_response/text",),
}


def absent(transcript: Transcript) -> Iterator[str]:
    """The path of each field that the run, or something in it, says there was none of."""
    owners = [transcript.capture, *(actor.capture for actor in transcript.actors)]
    owners += [step.capture for step in transcript.steps]
    for owner in owners:
        yield from (path for path, state in owner.items() if state == "absent")
    for _, _, part in transcript.citable():
        kind = PartKind(part.kind)
        yield from (f"{kind}/{name}" for name, state in part.capture.items() if state == "absent")


@pytest.mark.parametrize("name", STORIES)
def test_nothing_is_absent_that_the_format_cannot_tell(name: str) -> None:
    columns = CANNOT_TELL.get(STORIES[name].format, "").split()
    impossible = {path for column in columns for path in PATHS[column]}

    assert impossible.isdisjoint(absent(story.run_of(name).transcript))
