"""ADK's events: branches as forks and joins, transfers, state changes, failures in responses."""

from __future__ import annotations

from typing import Any

import pytest

from tests.real import content_of
from tests.traces.formats.frameworks import gap_kinds, links, outline, read, taken
from traces.formats import intake
from traces.formats.base import Unreadable
from traces.transcript import ActorKind, LinkKind, PartKind, StepKind, StepStatus


def event(id_: str, author: str, *parts: dict[str, Any], **more: Any) -> dict[str, Any]:
    role = "user" if author == "user" else "model"
    return {
        "id": id_,
        "invocationId": "e-1",
        "author": author,
        "timestamp": 1_772_000_000.5,
        "content": {"role": role, "parts": list(parts)},
        "actions": {},
    } | more


def text(words: str, **more: Any) -> dict[str, Any]:
    return {"text": words} | more


def call(name: str, **args: Any) -> dict[str, Any]:
    return {"functionCall": {"id": "c1", "name": name, "args": args}}


def response(name: str, answer: Any) -> dict[str, Any]:
    return {"functionResponse": {"id": "c1", "name": name, "response": answer}}


ASKED = event("v1", "user", text("Where is A-7?"))


def test_an_evaluation_set_is_refused_for_it_holds_no_run() -> None:
    with pytest.raises(Unreadable, match="evaluation set"):
        taken({"eval_set_id": "s", "eval_cases": [{"eval_id": "c", "conversation": []}]})
    with pytest.raises(Unreadable, match="evaluation set"):
        taken({"query": "Where?", "expected_tool_use": [], "reference": "Gone."})


def test_an_event_without_an_author_is_refused() -> None:
    result = taken(ASKED, {"invocationId": "e-1"})

    assert [refusal.position for refusal in result.refusals] == ["line 2"]
    assert "undecodable_step" in gap_kinds(result.runs[0].transcript)


def test_a_call_and_its_response_are_one_step_of_the_agent() -> None:
    transcript = read(
        ASKED,
        event("v2", "clerk", text("Looking."), call("find", id="A-7"), modelVersion="gemini-2"),
        event("v3", "clerk", response("find", {"status": "error", "why": "gone"})),
        event("v4", "clerk", text("It is lost."), finishReason="STOP"),
    )

    assert outline(transcript) == [
        ("input", "user", "Where is A-7?"),
        ("decision", "clerk", "Looking."),
        ("tool", "clerk", '{"id":"A-7"}'),
        ("message", "clerk", "It is lost."),
    ]
    assert transcript.steps[2].status is StepStatus.ERROR
    assert transcript.steps[2].also_from == ("line 3",)
    assert transcript.steps[3].parts[0].data["finish"] == "STOP"
    assert transcript.actor_by_key["clerk"].model == "gemini-2"
    assert transcript.external_id == "e-1"


def test_a_wrapped_answer_is_shown_as_it_was_given() -> None:
    transcript = read(
        ASKED,
        event("v2", "clerk", call("find")),
        event("v3", "clerk", response("find", {"error": "gone"})),
    )
    answer = transcript.steps[2].parts[1]

    assert (answer.text, answer.data["wrapped"]) == ("gone", "error")
    assert transcript.steps[2].status is StepStatus.ERROR


def test_a_success_is_not_claimed_where_nothing_says_so() -> None:
    transcript = read(
        ASKED,
        event("v2", "clerk", call("find")),
        event("v3", "clerk", response("find", {"result": "here"})),
    )

    assert transcript.steps[2].status is StepStatus.NOT_CAPTURED


def test_branches_fork_and_what_is_on_none_of_them_joins() -> None:
    transcript = read(
        ASKED,
        event("v2", "left", text("One."), branch="gather.left"),
        event("v3", "right", text("Two."), branch="gather.right"),
        event("v4", "left", text("Three."), branch="gather.left"),
        event("v5", "writer", text("Four.")),
    )

    assert links(transcript, LinkKind.SPAWN) == [(0, 1), (0, 2)]
    assert links(transcript, LinkKind.FOLLOWS) == [(1, 3)]
    assert sorted(links(transcript, LinkKind.JOIN)) == [(2, 4), (3, 4)]
    assert [actor.instance for actor in transcript.actors] == [
        None,
        "gather.left",
        "gather.right",
        None,
    ]


def test_a_branch_goes_on_from_the_branch_it_is_inside() -> None:
    transcript = read(
        ASKED,
        event("v2", "outer", text("One."), branch="a"),
        event("v3", "inner", text("Two."), branch="a.b"),
        event("v4", "outer", text("Three."), branch="a"),
    )

    assert links(transcript, LinkKind.SPAWN) == [(0, 1), (1, 2)]
    assert links(transcript, LinkKind.JOIN) == [(2, 3)]


def test_a_call_that_only_transfers_is_a_handoff() -> None:
    transcript = read(
        ASKED,
        event("v2", "clerk", call("transfer_to_agent", agent_name="chief")),
        event(
            "v3",
            "clerk",
            response("transfer_to_agent", {"result": None}),
            actions={"transferToAgent": "chief"},
        ),
        event("v4", "chief", text("Hello.")),
    )

    assert [step.kind for step in transcript.steps] == [
        StepKind.INPUT,
        StepKind.HANDOFF,
        StepKind.MESSAGE,
    ]
    assert transcript.steps[1].parts[0].data["to"] == "chief"
    assert links(transcript, LinkKind.HANDOFF) == [(1, 2)]


def test_a_state_delta_is_told_with_the_step_that_made_it() -> None:
    made = {"stateDelta": {"order": "A-7"}, "artifactDelta": {"letter.pdf": 2}}
    transcript = read(ASKED, event("v2", "clerk", text("Noted."), actions=made))

    states = [part for part in transcript.steps[1].parts if part.kind is PartKind.STATE]
    assert [part.data["artifact"] for part in states] == ["order", "letter.pdf"]
    assert states[0].text.startswith("A-7")
    assert states[1].data["after"] == "2"


def test_an_event_that_only_changes_state_is_a_step() -> None:
    made = {"stateDelta": {"order": "A-7"}}
    transcript = read(ASKED, event("v2", "clerk", actions=made))

    assert transcript.steps[1].kind is StepKind.STATE


def test_pieces_are_folded_into_the_whole_that_comes_after() -> None:
    transcript = read(
        ASKED,
        event("p1", "clerk", text("It"), partial=True),
        event("p2", "clerk", text(" is"), partial=True),
        event("v2", "clerk", text("It is lost."), partial=False),
    )

    assert len(transcript.steps) == 2
    assert transcript.steps[1].also_from == ("line 2", "line 3")
    assert transcript.folded == {"streamed pieces before the whole": 2}


def test_pieces_without_a_whole_are_steps_that_are_cut() -> None:
    transcript = read(ASKED, event("p1", "clerk", text("It"), partial=True))

    assert outline(transcript)[1] == ("message", "clerk", "It")
    assert transcript.steps[1].capture == {"text": "damaged"}
    assert "cut_text" in gap_kinds(transcript)


def test_an_error_of_the_model_is_an_error_of_the_step() -> None:
    broken = event("v2", "clerk", errorCode="429", errorMessage="Too many requests.")
    step = read(ASKED, broken).steps[1]

    assert step.status is StepStatus.ERROR
    assert [part.text for part in step.parts if part.kind is PartKind.ERROR] == [
        "Too many requests."
    ]


def test_snake_case_and_empty_fields_are_the_same() -> None:
    asked = {"text": None, "function_call": {"id": "c1", "name": "find", "args": {}}}
    transcript = read(
        {
            "id": "s1",
            "app_name": "desk",
            "events": [
                {
                    "id": "v1",
                    "invocation_id": "e",
                    "author": "clerk",
                    "content": {"role": "model", "parts": [asked]},
                }
            ],
            "state": {"k": 1},
        }
    )

    assert [kind for kind, _, _ in outline(transcript)] == ["decision", "tool"]
    assert transcript.external_id == "s1"
    assert transcript.system["name"] == "desk"
    assert transcript.unread == {"state": 1}


def test_who_the_user_is_and_that_thoughts_are_interpretation() -> None:
    transcript = read(ASKED, event("v2", "clerk", text("Hm.", thought=True), text("Lost.")))

    assert transcript.actor_by_key["user"].kind is ActorKind.HUMAN
    assert [part.kind for part in transcript.steps[1].parts] == [
        PartKind.INTERPRETATION,
        PartKind.MESSAGE,
    ]


def test_the_real_events_have_the_branches_of_the_survey() -> None:
    content = content_of("formats/google-adk/google-adk.events.jsonl")
    transcript = intake.take(content).runs[0].transcript

    records = {pointer for step in transcript.steps for pointer in (step.pointer, *step.also_from)}
    assert records == {f"line {number}" for number in range(1, 6)}
    branches = [actor.instance for actor in transcript.actors]
    assert branches == ["gather.policy_agent", "gather.order_agent", None]
    assert len(links(transcript, LinkKind.JOIN)) == 2


def test_the_real_evaluation_set_is_refused() -> None:
    with pytest.raises(Unreadable, match="evaluation set"):
        intake.take(content_of("formats/google-adk/dependent_tool_calls.test.json"))


def test_the_real_old_session_has_its_transfers() -> None:
    content = content_of("formats/google-adk/old-session.flow_complex_spark.json")
    transcript = intake.take(content).runs[0].transcript

    handoffs = [step for step in transcript.steps if step.kind is StepKind.HANDOFF]
    assert [step.parts[0].data["to"] for step in handoffs] == [
        "research_assistant",
        "spark_assistant",
    ]
