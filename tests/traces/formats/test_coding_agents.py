"""What logs of coding agents are said to have no place for is a field of ours, and none has it."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import inspect

from tests import real
from tests.real import FORMATS
from tests.traces.formats import story
from tests.traces.formats.native_documents import paths
from traces.formats import intake
from traces.formats.base import Unreadable
from traces.formats.native import v2
from traces.transcript import Outcome, PartKind, Transcript

NAMES = frozenset(
    {"claude_code", "claude_stream", "codex_exec", "codex_rollout", "copilot_events"}
    | {"managed_agents", "openclaw", "openhands"}
)
FOLDERS = (
    "claude-code",
    "claude-agent-sdk-stream-json",
    "codex-cli",
    "openclaw-telemetry",
    "anthropic-managed-agents",
    "openhands",
)
STORIES = [name for name, each in story.STORIES.items() if each.format in NAMES]


def runs_of(content: bytes) -> list[Transcript]:
    try:
        return [run.transcript for run in intake.take(content).runs]
    except Unreadable:
        return []


def real_files() -> list[Any]:
    return real.each_of(path for each in FOLDERS for path in (FORMATS / each).glob("*.json*"))


def has(run: Transcript) -> set[str]:
    """Of what a format may have no place for: what this run has all the same."""
    fields = ("recorder", "attempt", "reports", "initial_state", "failures", "started_at")
    found = {field for field in fields if getattr(run, field)}
    found |= {"parent"} if run.parent_run else set()
    found |= {"outcome"} if run.outcome is not Outcome.UNKNOWN else set()
    found |= {"task/id"} if run.task_id else set()
    found |= {f"system/{key}" for key in run.system}
    found |= {f"steps/parts/{part.kind.value}" for step in run.steps for part in step.parts}
    found |= {"steps/retry"} if any(step.attempt for step in run.steps) else set()
    found |= {"steps/started_at"} if any(step.started_at for step in run.steps) else set()
    found |= {"steps/ended_at"} if any(step.ended_at for step in run.steps) else set()
    for field in ("configuration", "parent", "replaces"):
        if any(getattr(actor, field) for actor in run.actors):
            found.add(f"actors/{field}")
    return found


def untrue(run: Transcript) -> set[str]:
    unsayable = {path for path, state in run.capture.items() if state == "not_in_schema"}
    known = {path.removeprefix("run/") for path in paths(inspect.type_info(v2.Document))}
    kinds = {f"steps/parts/{kind}" for kind in PartKind}
    assert unsayable
    return (unsayable - known - kinds) | (unsayable & has(run))


@pytest.mark.parametrize("name", STORIES)
def test_what_a_story_cannot_say_it_does_not_say(name: str) -> None:
    assert untrue(story.run_of(name).transcript) == set()


@pytest.mark.parametrize("path", real_files())
def test_what_a_real_file_cannot_say_it_does_not_say(path: Any) -> None:
    for run in runs_of(path.read_bytes()):
        assert untrue(run) == set()
