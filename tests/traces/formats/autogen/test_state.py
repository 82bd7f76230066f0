"""AutoGen's saved states: the thread, the contexts that repeat it, and what only they hold."""

from __future__ import annotations

from typing import Any

import pytest

from tests.real import content_of
from tests.traces.formats.autogen.test_autogen import ASKED, TOLD
from tests.traces.formats.frameworks import outline, read, taken
from traces.formats import intake
from traces.formats.base import Unreadable
from traces.transcript import PartKind, StepKind


def context(*messages: dict[str, Any]) -> dict[str, Any]:
    return {"type": "AssistantAgentState", "llm_context": {"messages": list(messages)}}


USER = {"type": "UserMessage", "source": "user", "content": "Where is A-7?"}
CALLS = {
    "type": "AssistantMessage",
    "source": "clerk",
    "content": [{"id": "c1", "name": "find", "arguments": "{}"}],
    "thought": "Looking.",
}
RESULT = {
    "type": "FunctionExecutionResultMessage",
    "content": [{"call_id": "c1", "name": "find", "content": "gone", "is_error": False}],
}
WORDS = {"type": "AssistantMessage", "source": "clerk", "content": "It is lost.", "thought": None}


def team(**states: Any) -> dict[str, Any]:
    return {"type": "TeamState", "version": "1.0.0", "agent_states": states}


def test_a_state_without_messages_is_refused() -> None:
    with pytest.raises(Unreadable, match="no state of AutoGen"):
        taken(team(clerk={"type": "AssistantAgentState"}))


def test_a_context_is_folded_into_the_thread_and_adds_its_calls() -> None:
    state = team(
        clerk={"agent_state": context(USER, CALLS, RESULT, WORDS)},
        manager={"type": "RoundRobinManagerState", "message_thread": [ASKED, TOLD]},
    )
    transcript = read(state)

    assert outline(transcript) == [
        ("input", "user", "Where is A-7?"),
        ("decision", "clerk", "Looking."),
        ("tool", "clerk", "{}"),
        ("message", "clerk", "It is lost."),
    ]
    assert transcript.folded == {"messages of a context that the team's thread has": 2}
    assert transcript.steps[2].parts[1].text == "gone"


def test_a_ledger_is_a_step_that_tells_the_facts_and_the_plan() -> None:
    state = team(
        boss={
            "type": "MagenticOneOrchestratorState",
            "message_thread": [TOLD],
            "task": "Find A-7",
            "facts": "It was sent.",
            "plan": "Ask the clerk.",
            "n_stalls": 2,
        }
    )
    transcript = read(state)

    last = transcript.steps[-1]
    assert (last.kind, last.actor) == (StepKind.STATE, "boss")
    assert [part.data["artifact"] for part in last.parts] == ["facts", "plan", "n_stalls"]
    assert last.parts[0].text.startswith("It was sent.")
    assert transcript.task_text == "Find A-7"


def test_a_bare_context_is_a_run() -> None:
    transcript = read({"messages": [USER, CALLS, RESULT, WORDS]})

    assert [step.pointer for step in transcript.steps] == [
        "/messages/0",
        "/messages/1",
        "/messages/1",
        "/messages/3",
    ]
    assert transcript.steps[2].also_from == ("/messages/2",)
    assert transcript.steps[1].parts[0].kind is PartKind.INTERPRETATION


def test_teams_within_teams_are_read() -> None:
    transcript = read(team(outer={"agent_state": team(inner={"agent_state": context(USER)})}))

    assert outline(transcript) == [("input", "user", "Where is A-7?")]


def test_the_real_state_of_magentic_one() -> None:
    content = content_of("formats/autogen/autogen.magentic-one.save_state.json")
    transcript = intake.take(content).runs[0].transcript

    assert len(transcript.steps) == 7
    assert transcript.steps[-1].kind is StepKind.STATE
    assert transcript.folded == {
        "messages of a context that the team's thread has": 5,
        "messages repeated with their id": 1,
    }
