"""AutoGen's event log: each message once, lines of other loggers refused, lost payloads told of."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.real import content_of
from tests.traces.formats.autogen.test_autogen import ANSWERED, ASKED, CALLED, TOLD
from tests.traces.formats.frameworks import as_lines, gap_kinds, outline, read
from traces.formats import intake
from traces.formats.base import Unreadable
from traces.transcript import StepKind, StepStatus

CLERK = "clerk_7/7"


def sent(payload: Any, sender: str = CLERK, stage: str = "SEND") -> dict[str, Any]:
    return {
        "payload": payload if isinstance(payload, str) else json.dumps(payload),
        "sender": sender,
        "receiver": None,
        "kind": "MessageKind.PUBLISH",
        "delivery_stage": f"DeliveryStage.{stage}",
        "type": "Message",
    }


def test_a_log_without_messages_is_refused() -> None:
    with pytest.raises(Unreadable, match="no steps"):
        intake.take(as_lines([sent("{}"), sent("{}")]))


def test_each_message_is_one_step_however_often_it_was_delivered() -> None:
    transcript = read(
        sent({"messages": [ASKED]}, "manager"),
        sent({"messages": [ASKED]}, "manager", "DELIVER"),
        sent({"message": CALLED}),
        sent({"message": CALLED}, stage="DELIVER"),
        sent({"message": ANSWERED}),
        sent({"response": {"chat_message": TOLD, "inner_messages": [CALLED, ANSWERED]}}),
    )

    assert [kind for kind, _, _ in outline(transcript)] == ["input", "decision", "tool", "message"]
    assert transcript.folded == {"messages repeated with their id": 4}
    assert transcript.steps[0].also_from == ("line 2",)


def test_the_sender_is_the_instance_of_the_agent() -> None:
    transcript = read(sent({"message": TOLD}))

    (actor,) = transcript.actors
    assert (actor.role, actor.instance) == ("clerk", CLERK)


def test_what_could_not_be_written_is_damaged() -> None:
    lost = sent("Message could not be serialized")
    transcript = read(sent({"message": TOLD}), lost, lost)

    assert "damaged" in gap_kinds(transcript)
    assert [record.pointer for record in transcript.records] == ["line 2", "line 3"]


def call(result: str, **more: Any) -> dict[str, Any]:
    return {
        "type": "ToolCall",
        "tool_name": "find",
        "arguments": {"id": "A-7"},
        "result": result,
        "agent_id": CLERK,
    } | more


def test_a_tool_call_is_folded_into_the_message_that_asked_for_it() -> None:
    transcript = read(sent({"message": CALLED}), call("found"), sent({"message": TOLD}))

    tool = transcript.steps[1]
    assert [part.text for part in tool.parts] == ['{"id": "A-7"}', "found"]
    assert tool.also_from == ("line 2",)


def test_a_tool_call_that_no_message_tells_of_is_a_step() -> None:
    transcript = read(sent({"message": TOLD}), call("found", tool_name="other"))

    assert [step.kind for step in transcript.steps] == [StepKind.MESSAGE, StepKind.TOOL]
    assert transcript.steps[1].tool == "other"


def test_a_failed_handler_is_an_error() -> None:
    broken = {"type": "MessageHandlerException", "handling_agent": CLERK, "exception": "Boom"}
    transcript = read(sent({"message": TOLD}), broken)

    assert transcript.steps[1].status is StepStatus.ERROR
    assert transcript.steps[1].parts[0].text == "Boom"


def test_a_model_call_is_folded_into_what_it_said() -> None:
    model = {
        "type": "LLMCall",
        "agent_id": CLERK,
        "response": {"choices": [{"message": {"role": "assistant", "content": "It is lost."}}]},
    }
    transcript = read(sent({"message": TOLD}), model)

    assert len(transcript.steps) == 1
    assert transcript.steps[0].also_from == ("line 2",)


def test_the_real_log_has_three_lines_that_are_not_json() -> None:
    result = intake.take(content_of("formats/autogen/autogen.core-event-log.jsonl"))

    assert [refusal.position for refusal in result.refusals] == ["line 15", "line 16", "line 17"]
    kinds = [kind for kind, _, _ in outline(result.runs[0].transcript)]
    assert kinds == ["input", "decision", "tool", "tool", "message"]
