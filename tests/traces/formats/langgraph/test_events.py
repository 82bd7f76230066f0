"""LangChain's streamed events: starts with their ends, and starts that never ended."""

from __future__ import annotations

from typing import Any

import pytest

from tests.traces.formats.frameworks import gap_kinds, outline, read, taken
from traces.formats.base import Unreadable
from traces.transcript import StepStatus


def event(kind: str, run: str, *parents: str, node: str = "", **data: Any) -> dict[str, Any]:
    place = {"langgraph_node": node, "langgraph_checkpoint_ns": f"{node}:1"} if node else {}
    return {
        "event": kind,
        "run_id": run,
        "parent_ids": list(parents),
        "name": node if kind.startswith("on_chain") else kind.split("_")[1],
        "metadata": {"thread_id": "th-1", **place},
        "data": data,
    }


ASKED = [{"type": "human", "content": "Where?"}]
SAID = {"type": "ai", "content": "Here."}


def test_an_event_without_a_run_is_refused() -> None:
    result = taken(*model(), {"event": "on_chain_end", "parent_ids": []})

    assert [refusal.position for refusal in result.refusals] == ["line 5"]
    assert "undecodable_step" in gap_kinds(result.runs[0].transcript)


def test_other_events_fit_no_format() -> None:
    with pytest.raises(Unreadable, match="No known format"):
        taken({"event": "click", "run_id": "r", "parent_ids": []})


def model() -> list[dict[str, Any]]:
    return [
        event("on_chain_start", "r1", node="clerk"),
        event("on_chat_model_start", "r2", "r1", node="clerk", input={"messages": [ASKED]}),
        event("on_chat_model_end", "r2", "r1", node="clerk", output=SAID),
        event("on_chain_end", "r1", node="clerk"),
    ]


def test_a_model_call_is_one_step_of_its_node() -> None:
    transcript = read(*model())

    assert outline(transcript) == [("input", "user", "Where?"), ("message", "clerk", "Here.")]
    assert transcript.external_id == "th-1"
    assert transcript.steps[1].also_from == ("line 3",)


def test_an_attempt_that_never_ended_is_told_of() -> None:
    events = model()
    transcript = read(event("on_chain_start", "r0", node="clerk"), *events)

    assert "damaged" in gap_kinds(transcript)


def test_an_error_of_a_tool_is_one() -> None:
    transcript = read(
        *model(),
        event("on_tool_start", "r3", input={"id": 7}),
        event("on_tool_error", "r3", error="ValueError('gone')"),
    )

    assert transcript.steps[-1].status is StepStatus.ERROR
    assert "gone" in transcript.steps[-1].text


def test_nodes_that_call_nothing_are_steps_with_what_they_made() -> None:
    transcript = read(
        event("on_chain_start", "g"),
        event("on_chain_start", "r1", "g", node="outer", input={}),
        event("on_chain_start", "r2", "g", "r1", node="inner", input={}),
        event("on_chain_end", "r2", "g", "r1", node="inner", output={"x": ["seven"]}),
        event("on_chain_end", "r1", "g", node="outer", output={"x": ["seven"]}),
        event("on_chain_start", "r3", "g", node="silent"),
        event("on_chain_end", "r3", "g", node="silent", output=None),
        event("on_chain_end", "g", output={"x": ["seven"]}),
    )
    assert outline(transcript) == [("message", "inner", '{"x":["seven"]}')]
