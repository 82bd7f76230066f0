"""AutoGen's streams: messages as steps, a result that repeats them, handoffs, thoughts."""

from __future__ import annotations

from typing import Any

import pytest

from tests.real import content_of
from tests.traces.formats.frameworks import gap_kinds, links, outline, read, taken
from traces.formats import intake
from traces.formats.base import Unreadable
from traces.transcript import ActorKind, LinkKind, Outcome, PartKind, StepKind, StepStatus


def said(id_: str, source: str, content: Any, **more: Any) -> dict[str, Any]:
    return {
        "id": id_,
        "source": source,
        "models_usage": None,
        "created_at": "2026-03-01T10:00:00Z",
        "content": content,
        "type": "TextMessage",
    } | more


ASKED = said("m1", "user", "Where is A-7?")
CALLED = said(
    "m2",
    "clerk",
    [{"id": "c1", "name": "find", "arguments": '{"id": "A-7"}'}],
    type="ToolCallRequestEvent",
)
ANSWERED = said(
    "m3",
    "clerk",
    [{"call_id": "c1", "name": "find", "content": "not found", "is_error": True}],
    type="ToolCallExecutionEvent",
)
TOLD = said("m4", "clerk", "It is lost.")


def test_a_result_without_messages_is_refused() -> None:
    with pytest.raises(Unreadable, match="No known format"):
        taken({"messages": [], "stop_reason": "done"})


def test_a_line_that_is_no_message_is_refused_and_leaves_a_gap() -> None:
    result = taken(ASKED, {"id": "m2", "content": 3}, TOLD)

    assert [refusal.position for refusal in result.refusals] == ["line 2"]
    assert "undecodable_step" in gap_kinds(result.runs[0].transcript)


def test_a_tool_call_and_its_answer_are_one_step_of_the_agent() -> None:
    transcript = read(ASKED, CALLED, ANSWERED, TOLD)

    assert outline(transcript) == [
        ("input", "user", "Where is A-7?"),
        ("decision", "clerk", ""),
        ("tool", "clerk", '{"id": "A-7"}'),
        ("message", "clerk", "It is lost."),
    ]
    tool = transcript.steps[2]
    assert (tool.tool, tool.status, tool.parts[1].text) == ("find", StepStatus.ERROR, "not found")
    assert links(transcript, LinkKind.CONSUMES) == [(1, 2)]
    assert transcript.task_text == "Where is A-7?"
    assert transcript.actor_of(transcript.steps[0]).kind is ActorKind.HUMAN


def test_what_the_model_did_not_say_is_not_said_to_be_absent() -> None:
    assert read(ASKED, CALLED, ANSWERED).steps[1].parts[0].capture == {"text": "not_captured"}


def test_the_result_repeats_and_says_why_the_team_stopped() -> None:
    whole = {"messages": [ASKED, CALLED, ANSWERED, TOLD], "stop_reason": "Text 'lost' mentioned"}
    transcript = read(ASKED, CALLED, ANSWERED, TOLD, whole)

    assert len(transcript.steps) == 4
    assert transcript.folded == {"messages repeated with their id": 4}
    (report,) = transcript.reports
    assert (report.value, report.by, report.detail) == (
        "ended",
        "framework",
        "Text 'lost' mentioned",
    )
    assert transcript.outcome is Outcome.UNKNOWN


def test_a_result_alone_is_a_run() -> None:
    transcript = read({"messages": [ASKED, TOLD], "stop_reason": None})

    assert [step.pointer for step in transcript.steps] == ["/messages/0", "/messages/1"]
    assert transcript.reports == ()


def test_a_thought_beside_tool_calls_is_what_the_model_said() -> None:
    thought = said("m0", "clerk", "Looking.", type="ThoughtEvent")
    transcript = read(ASKED, thought, CALLED, ANSWERED)

    assert outline(transcript)[1] == ("decision", "clerk", "Looking.")
    assert transcript.steps[1].parts[0].kind is PartKind.MESSAGE
    assert transcript.steps[1].also_from == ("line 3",)


def test_a_thought_before_words_is_reasoning() -> None:
    transcript = read(ASKED, said("m0", "clerk", "Hm.", type="ThoughtEvent"), TOLD)

    assert [part.kind for part in transcript.steps[1].parts] == [
        PartKind.INTERPRETATION,
        PartKind.MESSAGE,
    ]


def test_a_thought_of_somebody_else_is_a_step_of_its_own() -> None:
    transcript = read(ASKED, said("m0", "chief", "Hm.", type="ThoughtEvent"), TOLD)

    assert [role for _, role, _ in outline(transcript)] == ["user", "chief", "clerk"]


def test_a_handoff_leads_to_the_first_step_of_whom_it_names() -> None:
    handoff = said("m5", "clerk", "Over to you.", type="HandoffMessage", target="chief")
    transcript = read(ASKED, handoff, said("m6", "clerk", "Bye."), said("m7", "chief", "Hello."))

    assert transcript.steps[1].kind is StepKind.HANDOFF
    assert transcript.steps[1].parts[0].data["to"] == "chief"
    assert links(transcript, LinkKind.HANDOFF) == [(1, 3)]


def test_pieces_of_a_stream_are_folded_into_the_whole() -> None:
    piece = said("p1", "clerk", "It", type="ModelClientStreamingChunkEvent", full_message_id="m4")
    transcript = read(ASKED, piece, TOLD)

    assert len(transcript.steps) == 2
    assert transcript.steps[1].also_from == ("line 2",)


def test_pieces_without_the_whole_are_told_of() -> None:
    piece = said("p1", "clerk", "It", type="ModelClientStreamingChunkEvent", full_message_id="m9")
    transcript = read(ASKED, piece, TOLD)

    assert "kept_in_raw_only" in gap_kinds(transcript)
    assert [record.pointer for record in transcript.records] == ["line 2"]


def test_code_that_was_run_is_a_tool_step_with_its_exit_code() -> None:
    run = said("m8", "coder", None, type="CodeExecutionEvent")
    run["result"] = {"exit_code": 1, "output": "Boom"}
    step = read(ASKED, run).steps[1]

    assert (step.kind, step.status, step.parts[0].text) == (StepKind.TOOL, StepStatus.ERROR, "Boom")
    assert step.actor == "coder"


def test_a_kind_nobody_knows_is_shown_and_told_of() -> None:
    transcript = read(ASKED, said("m9", "clerk", "?", type="NovelEvent"))

    assert outline(transcript)[1] == ("message", "clerk", "?")
    assert "unknown_part" in gap_kinds(transcript)


def test_agents_cannot_be_told_apart_by_instance() -> None:
    actor = read(ASKED, TOLD).actor_by_key["clerk"]

    assert actor.instance is None
    assert actor.capture["instance"] == "not_in_schema"


def test_the_real_stream_has_the_counts_of_the_survey() -> None:
    content = content_of("formats/autogen/autogen.roundrobin.messages.jsonl")
    transcript = intake.take(content).runs[0].transcript

    tools = [step for step in transcript.steps if step.kind is StepKind.TOOL]
    assert [step.status for step in tools] == [StepStatus.OK, StepStatus.ERROR]
    assert transcript.folded == {"messages repeated with their id": 4}
    assert [record.label for record in transcript.records] == ["TaskResult"]
