"""What a format is said to have no place for is a field of ours, and no run of it has it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec import inspect

from tests.traces.formats.native_documents import paths
from tests.traces.formats.test_whowhen import algorithm_generated
from traces.formats import intake
from traces.formats.native import v2
from traces.formats.steps.unsayable import OF_CONVERSATIONS
from traces.transcript import PartKind, Transcript

CALL = {"id": "c1", "type": "function", "function": {"name": "find", "arguments": "{}"}}
MESSAGES = [
    {"role": "user", "content": "Find it."},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": "there"},
]
GIVEN: dict[str, Any] = {
    "list": MESSAGES,
    "model": {"model": "otter-3", "messages": MESSAGES},
    "whowhen": {k: v for k, v in algorithm_generated().items() if k != "system_prompt"},
    "whowhen with a prompt": algorithm_generated(system_prompt={"A": "Count."}),
}
RUN = ("started_at", "ended_at", "closed_at", "recorder", "attempt", "reports", "initial_state")


def read(value: Any) -> Transcript:
    (run,) = intake.take(json.dumps(value).encode()).runs
    return run.transcript


@pytest.mark.parametrize("name", GIVEN)
def test_it_is_said_once_for_the_run_and_is_true(name: str) -> None:
    run = read(GIVEN[name])
    unsayable = {path for path, state in run.capture.items() if state == "not_in_schema"}
    known = {path.removeprefix("run/") for path in paths(inspect.type_info(v2.Document))}
    kinds = {f"steps/parts/{kind}" for kind in PartKind}
    assert set(OF_CONVERSATIONS) < unsayable <= known | kinds
    assert not [field for field in RUN if getattr(run, field)]
    assert not run.parent_run
    assert all((step.started_at or step.recorded_at or step.attempt) is None for step in run.steps)
    assert not {part.kind for _, _, part in run.citable()} & {"decision", "state", "verification"}
    assert not {actor.configuration or actor.parent or actor.replaces for actor in run.actors} - {
        None
    }


def test_what_a_format_has_a_place_for_was_not_captured_or_is_there() -> None:
    states = {name: read(value).capture.get("system") for name, value in GIVEN.items()}
    assert states == {
        "list": "not_captured",
        "model": None,
        "whowhen": "not_captured",
        "whowhen with a prompt": None,
    }


def test_each_format_has_its_own_places() -> None:
    messages, whowhen = (read(GIVEN[name]).capture for name in ("model", "whowhen with a prompt"))
    assert set(messages) - set(whowhen) == {
        *("outcome", "failures", "task/id", "steps/status", "steps/handoff_from")
    }
    assert set(whowhen) - set(messages) == {
        *("system/models", "steps/inputs", "steps/parts/payload")
    }
