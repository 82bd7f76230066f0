"""Message lists: calls find their answers, and what is odd is kept and said."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.traces.formats.native_runs import tried
from traces.formats import intake
from traces.formats.base import Unreadable
from traces.transcript import ActorKind, Link, LinkKind, PartKind, StepKind, StepStatus, Transcript

FOLLOWS = "previous message of a shared conversation"


def call(id_: str | None, name: str = "find", arguments: Any = '{"id":"A-7"}') -> dict[str, Any]:
    return {"id": id_, "type": "function", "function": {"name": name, "arguments": arguments}}


def asks(*calls: dict[str, Any], content: str | None = None) -> dict[str, Any]:
    return {"role": "assistant", "content": content, "tool_calls": list(calls)}


def answers(id_: str, content: Any = "not found") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": id_, "content": content}


USER = {"role": "user", "content": "Where is A-7?"}


def read(*messages: Any) -> Transcript:
    (run,) = intake.take(json.dumps(list(messages)).encode()).runs
    return run.transcript


def gaps(transcript: Transcript) -> list[tuple[str, int | None]]:
    usual = {"no_times", "no_recorded_links", "actor_without_instance", "unknown_initial_state"}
    return [(gap.kind, gap.step) for gap in transcript.gaps if gap.kind not in usual]


def texts(transcript: Transcript) -> list[list[str]]:
    return [[part.text for part in step.parts] for step in transcript.steps]


def test_entries_that_are_no_messages_are_refused_and_the_others_kept() -> None:
    result = intake.take(json.dumps([USER, {"role": "user"}, 7, {"text": "x"}, USER]).encode())
    assert [refusal.position for refusal in result.refusals] == ["/1", "/2", "/3"]
    (run,) = result.runs
    assert len(run.transcript.steps) == 2
    assert gaps(run.transcript) == [("undecodable_step", None)]


def test_no_messages_are_no_run() -> None:
    result = intake.take(b'{"messages": []}', wanted="messages")
    assert result.runs == ()
    assert result.refusals[0].reason == "There are no messages here."


def test_a_call_without_an_answer_and_an_answer_without_a_call_are_gaps() -> None:
    transcript = read(USER, asks(call("c1")), answers("c9", [{"type": "text", "text": "orphan"}]))
    assert texts(transcript) == [["Where is A-7?"], [""], ['{"id":"A-7"}'], ["orphan"]]
    assert gaps(transcript) == [("request_without_response", 2), ("response_without_request", 3)]


@pytest.mark.parametrize("arguments", ['{"a": 1,}', "", "{'a': 1}", '{"a": 1}{"a": 2}'])
def test_malformed_arguments_are_kept_as_they_were_written(arguments: str) -> None:
    transcript = read(USER, asks(call("c1", arguments=arguments)), answers("c1"))
    request = transcript.steps[2].parts[0]
    assert request.text == arguments
    assert request.data["parse_ok"] is False
    assert gaps(transcript) == [("malformed_arguments", 2)]


def test_a_call_id_used_again_goes_to_the_nearest_following_answer() -> None:
    transcript = read(
        USER, asks(call("c0")), answers("c0", "first"), asks(call("c0")), answers("c0", "second")
    )
    assert texts(transcript)[2::2] == [['{"id":"A-7"}', "first"], ['{"id":"A-7"}', "second"]]
    assert gaps(transcript) == [("reused_call_id", None)]


def test_answers_in_another_order_find_their_calls() -> None:
    transcript = read(
        USER, asks(call("c1"), call("c2")), answers("c2", "two"), answers("c1", "one")
    )
    assert [step.parts[1].text for step in transcript.steps[2:]] == ["one", "two"]


def test_what_is_said_and_each_call_are_steps_with_recorded_links() -> None:
    transcript = read(
        USER,
        asks(call("c1"), call("c2", "look"), content="Looking."),
        answers("c1"),
        answers("c2"),
        {"role": "assistant", "content": "Gone."},
    )
    assert [(step.kind, step.tool) for step in transcript.steps] == [
        (StepKind.INPUT, None),
        (StepKind.DECISION, None),
        (StepKind.TOOL, "find"),
        (StepKind.TOOL, "look"),
        (StepKind.MESSAGE, None),
    ]
    assert transcript.links == (
        Link(0, 1, LinkKind.FOLLOWS, FOLLOWS),
        Link(1, 2, LinkKind.CONSUMES),
        Link(1, 3, LinkKind.CONSUMES),
        Link(2, 4, LinkKind.FOLLOWS, FOLLOWS),
        Link(3, 4, LinkKind.FOLLOWS, FOLLOWS),
    )


def test_steps_are_named_by_their_message_wherever_it_stands() -> None:
    messages = [USER, asks(call("c1"), call("c2"), content="Looking."), answers("c1")]
    (in_list,) = intake.take(json.dumps(messages).encode()).runs
    (in_lines,) = intake.take("\n".join(map(json.dumps, messages)).encode()).runs
    assert [step.source_id for step in in_list.transcript.steps] == ["0", "1", "1.1", "1.2"]
    assert [step.pointer for step in in_lines.transcript.steps][:2] == ["line 1", "line 2"]
    assert in_list.sha256 == in_lines.sha256


def test_a_model_call_that_says_nothing_is_a_step_and_known_to_say_nothing() -> None:
    transcript = read(USER, {"role": "assistant", "content": None, "tool_calls": None})
    assert texts(transcript) == [["Where is A-7?"], [""]]
    assert transcript.steps[1].parts[0].capture == {"text": "absent"}
    assert gaps(transcript) == []


def test_old_function_calls_find_their_answer_by_name() -> None:
    transcript = read(
        USER,
        {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
        {"role": "function", "name": "f", "content": "7"},
    )
    assert texts(transcript)[2] == ["{}", "7"]
    assert gaps(transcript) == []


@pytest.mark.parametrize(
    "odd", [None, 7, "f", {}, {"function": None}, {"type": "custom", "custom": {"input": "x"}}]
)
def test_a_call_of_any_shape_is_kept(odd: Any) -> None:
    transcript = read(USER, {"role": "assistant", "content": "", "tool_calls": [odd]})
    assert transcript.steps[2].tool == "unknown tool"
    kinds = [step.kind for step in transcript.steps]
    assert kinds == [StepKind.INPUT, StepKind.DECISION, StepKind.TOOL]


def test_content_in_pieces_keeps_every_piece() -> None:
    pieces = [
        {"type": "text", "text": "See"},
        {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
        {"type": "hologram", "id": "t1", "name": "f", "input": {}},
        "plain",
        7,
    ]
    transcript = read({"role": "user", "content": pieces})
    parts = transcript.steps[0].parts
    assert parts[0].text == "See"
    assert json.loads(parts[1].text) == pieces[1]
    assert json.loads(parts[2].text) == pieces[2]
    assert [part.text for part in parts[3:]] == ["plain", "7"]
    assert gaps(transcript) == [("unknown_part", 0)]


def test_a_large_image_is_kept_apart_from_the_text() -> None:
    image = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(90_000)).decode()
    url = {"url": f"data:image/png;base64,{image}"}
    content = [{"type": "text", "text": "See"}, {"type": "image_url", "image_url": url}]
    (run,) = intake.take(json.dumps([{"role": "user", "content": content}]).encode()).runs
    part = run.transcript.steps[0].parts[1]
    assert len(part.text) < 500
    assert [payload.media_type for payload in run.payloads] == ["image/png"]
    assert run.transcript.task_text == "See"


def test_reasoning_and_refusal_are_told_apart_from_speech() -> None:
    message = {
        "role": "assistant",
        "content": "No.",
        "reasoning_content": "Hm.",
        "refusal": "I must not.",
    }
    (step,) = read(message).steps
    assert [part.kind for part in step.parts] == [
        PartKind.INTERPRETATION,
        PartKind.MESSAGE,
        PartKind.MESSAGE,
    ]
    assert step.parts[2].data == {"refusal": True}


def test_other_keys_of_a_message_are_kept() -> None:
    (step,) = read({"role": "user", "content": "Hi.", "cache_control": {"type": "ephemeral"}}).steps
    assert step.parts[0].data == {"message": {"cache_control": {"type": "ephemeral"}}}


def test_roles_and_names_make_actors() -> None:
    transcript = read(
        {"role": "system", "content": "Be good."},
        {"role": "user", "content": "Hi.", "name": "maren"},
        {"role": "assistant", "content": "Yes?", "name": "Planner"},
        {"role": "assistant", "content": "Hm.", "name": "Coder"},
        {"role": "user", "content": "Well.", "name": "Planner"},
        {"role": "critic", "content": "Bad."},
    )
    assert {actor.key: actor.kind for actor in transcript.actors} == {
        "system": ActorKind.HARNESS,
        "maren": ActorKind.HUMAN,
        "Planner": ActorKind.AGENT,
        "Coder": ActorKind.AGENT,
        "critic": ActorKind.AGENT,
    }
    assert transcript.task_text == "Hi."


def test_what_stands_beside_the_messages_is_withheld_but_for_the_model() -> None:
    value = {"id": "chat-1", "model": "m-1", "reward": 0.0, "messages": [USER]}
    (run,) = intake.take(json.dumps(value).encode()).runs
    assert run.transcript.external_id == "chat-1"
    assert run.transcript.system == {"models": {"assistant": "m-1"}}
    assert run.transcript.withheld == {"reward": 0.0}


def test_instructions_beside_the_messages_are_said_first_and_tools_are_named() -> None:
    tools = [{"type": "function", "function": {"name": "find"}}, {"name": "look"}, 7]
    value = {"system": "Be good.", "tools": tools, "messages": [USER]}
    (run,) = intake.take(json.dumps(value).encode()).runs
    assert texts(run.transcript) == [["Be good."], ["Where is A-7?"]]
    assert run.transcript.system == {"tools": ["find", "look"]}
    assert run.transcript.withheld == {}


def test_gemini_requests_are_read() -> None:
    contents = [{"role": "user", "parts": [{"text": "Hi"}]}]
    value = {"systemInstruction": {"parts": [{"text": "Be good."}]}, "contents": contents}
    (run,) = intake.take(json.dumps(value).encode()).runs
    assert texts(run.transcript) == [["Be good."], ["Hi"]]
    assert [step.pointer for step in run.transcript.steps] == [
        "/systemInstruction",
        "/contents/0",
    ]


def test_anthropic_results_say_how_it_went_and_several_come_in_one_message() -> None:
    uses = [{"type": "tool_use", "id": f"t{n}", "name": "f", "input": {}} for n in (1, 2)]
    results = [
        {"type": "tool_result", "tool_use_id": "t2", "content": "two", "is_error": True},
        {"type": "tool_result", "tool_use_id": "t1", "content": "one", "is_error": False},
    ]
    transcript = read({"role": "assistant", "content": uses}, {"role": "user", "content": results})
    assert [(step.status, step.parts[1].text) for step in transcript.steps[1:]] == [
        (StepStatus.OK, "one"),
        (StepStatus.ERROR, "two"),
    ]
    assert {actor.key for actor in transcript.actors} == {"assistant"}


def test_items_of_one_call_are_one_step_with_all_their_places() -> None:
    transcript = read(
        {"type": "reasoning", "id": "rs1", "summary": [{"type": "summary_text", "text": "Hm."}]},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "L"}]},
        {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "gone"},
    )
    said, called = transcript.steps
    assert ([part.text for part in said.parts], said.pointer) == (["Hm.", "L"], "/0")
    assert said.also_from == ("/1", "/2")
    assert [part.text for part in called.parts] == ["{}", "gone"]


def test_among_items_those_of_any_type_are_read() -> None:
    call = {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"}
    listed = {"type": "mcp_list_tools", "server_label": "s", "tools": [{"name": "f"}]}
    transcript = read(call, listed)
    assert json.loads(transcript.steps[-1].text) == listed
    assert ("unknown_part", 2) in gaps(transcript)


def test_events_of_other_tools_are_no_items() -> None:
    events = [{"type": "tool_call", "call_id": "c1", "subtype": "started"}]
    with pytest.raises(Unreadable):
        intake.take(json.dumps(events).encode())


def test_the_outcome_is_unknown_and_so_there_is_no_failure() -> None:
    transcript = read(USER)
    assert (transcript.outcome, transcript.failures) == ("unknown", ())


def test_one_message_a_line_is_one_run_and_a_cut_line_is_a_gap_of_it() -> None:
    lines = [json.dumps(USER), json.dumps(asks(call("c1"))), '{"role": "tool", "tool_ca']
    result = intake.take("\n".join(lines).encode())
    (run,) = result.runs
    assert [step.pointer for step in run.transcript.steps] == ["line 1", "line 2", "line 2"]
    assert [refusal.position for refusal in result.refusals] == ["line 3"]
    assert ("damaged", None) in gaps(run.transcript)


def test_one_conversation_a_line_is_a_run_each() -> None:
    lines = [json.dumps({"messages": [USER]}), json.dumps({"messages": [USER, asks(call("c"))]})]
    result = intake.take("\n".join(lines).encode())
    assert [run.pointer for run in result.runs] == ["line 1", "line 2"]


def test_a_list_of_conversations_is_a_run_each() -> None:
    value = [{"messages": [USER]}, [USER, USER], {"nothing": 1}]
    result = intake.take(json.dumps(value).encode(), wanted="messages")
    assert [run.pointer for run in result.runs] == ["/0", "/1"]
    assert [refusal.position for refusal in result.refusals] == ["/2"]


WORDS = st.text(max_size=5)
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=6,
)
MESSAGES = st.fixed_dictionaries(
    {
        "role": st.sampled_from(["system", "user", "assistant", "tool", "function", "?"]),
        "content": ANYTHING,
    },
    optional={
        "name": ANYTHING,
        "tool_calls": ANYTHING
        | st.lists(st.fixed_dictionaries({"id": ANYTHING, "function": ANYTHING})),
        "function_call": ANYTHING,
        "tool_call_id": ANYTHING,
        "refusal": ANYTHING,
        "reasoning_content": ANYTHING,
    },
)


@settings(deadline=None)
@given(st.lists(MESSAGES | ANYTHING, min_size=1, max_size=6))
def test_messages_of_any_shape_are_read_or_refused(messages: list[Any]) -> None:
    result, reason = tried(json.dumps(messages).encode(), "messages")
    assert result.runs or result.refusals or reason


@settings(deadline=None)
@given(st.integers(0, 400))
def test_lines_cut_anywhere_give_what_is_whole(length: int) -> None:
    lines = [USER, asks(call("c1"), content="Looking."), answers("c1")]
    content = "\n".join(map(json.dumps, lines)).encode()[:length]
    whole = content.count(b"\n") + (content.endswith(b"}") and length > 0)
    result, reason = tried(content)
    assert len(result.runs) == (1 if whole else 0)
    assert len(result.refusals) <= 1
    assert bool(reason) == (whole == 0)
