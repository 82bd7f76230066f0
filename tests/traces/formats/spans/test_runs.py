"""What spans mean together: agents, calls, prompts, errors, and how they hang together."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.traces.formats import otlp_documents as docs
from tests.traces.formats.otlp_documents import agent, answer, chat, failed, model, tool, user
from traces.transcript import ActorKind, Fate, PartKind, StepKind, StepStatus


def find(call: str, wanted: str) -> tuple[str, str, Any]:
    return (call, "find", {"id": wanted})


def parts(step: Any) -> list[tuple[str, str]]:
    return [(part.kind.value, part.text) for part in step.parts]


# Model calls and tools


def test_thoughts_that_only_a_later_prompt_has_are_of_the_call_that_thought() -> None:
    thought = {"type": "reasoning", "content": "Look it up."}
    asked = model("", find("c1", "A-7"))
    heard = [user("A-7?"), {**asked, "parts": [thought, *asked["parts"]]}, answer("c1", "found")]
    run = docs.run(
        chat(1, at=1, to=2, heard=[user("A-7?")], said=[asked]),
        chat(2, at=5, heard=heard, said=[model("It is there.")]),
    )

    assert [step.kind for step in run.steps] == [
        StepKind.INPUT,
        StepKind.DECISION,
        StepKind.TOOL,
        StepKind.MESSAGE,
    ]
    assert parts(run.steps[1])[0] == ("interpretation", "Look it up.")


def test_a_model_call_and_its_tool_are_two_steps_and_the_wrapper_is_none() -> None:
    run = docs.run(
        agent(1, "clerk", at=0, to=9),
        chat(2, parent=1, at=1, to=2, heard=[user("A-7?")], said=[model("Hm.", find("c1", "A-7"))]),
        tool(3, "find", parent=1, at=3, say={"gen_ai.tool.call.id": "c1"} | RESULT),
        chat(4, parent=1, at=5, heard=HISTORY, said=[model("It is there.")]),
    )
    assert [(step.kind, step.actor) for step in run.steps] == [
        (StepKind.INPUT, "user"),
        (StepKind.DECISION, "clerk@00000001"),
        (StepKind.TOOL, "clerk@00000001"),
        (StepKind.MESSAGE, "clerk@00000001"),
    ]
    assert parts(run.steps[2]) == [
        ("tool_request", '{"id":"A-7"}'),
        ("tool_response", "found"),
    ]
    (_, wrapper) = (run.actors[0], run.records[0])
    assert (wrapper.fate, wrapper.label) == (Fate.CONTAINER, "invoke_agent clerk")
    assert run.actors[0].instance == docs.span_id(1)
    assert run.task_text == "A-7?"
    assert run.folded == {
        "message repeated in a later prompt": 1,
        "reply repeated in a later prompt": 1,
        "tool result repeated in a prompt": 1,
    }
    assert docs.links(run) == {
        (run.steps[0].source_id, "2", "consumes"),
        ("2", "3", "consumes"),
        ("3", "4", "consumes"),
    }


RESULT = {"gen_ai.tool.call.arguments": '{"id": "A-7"}', "gen_ai.tool.call.result": "found"}
HISTORY = [user("A-7?"), model("Hm.", find("c1", "A-7")), answer("c1", "found")]


def test_a_call_without_a_span_is_a_step_and_its_answer_is_in_the_next_prompt() -> None:
    run = docs.run(
        chat(2, at=1, to=2, heard=[user("A-7?")], said=[model("Hm.", find("c1", "A-7"))]),
        chat(4, at=5, heard=HISTORY, said=[model("It is there.")]),
    )
    call = run.steps[2]
    assert (call.source_id, call.tool) == (f"{docs.span_id(2)}.1", "find")
    assert parts(call) == [("tool_request", '{"id":"A-7"}'), ("tool_response", "found")]
    # The response was read from the later span.
    assert call.also_from == ("/resourceSpans/0/scopeSpans/0/spans/1",)


def test_a_tool_without_a_request_is_a_step_of_its_agent() -> None:
    run = docs.run(
        agent(1, "clerk", at=0, to=9),
        chat(2, parent=1, at=1, to=2),
        tool(3, "find", parent=1, at=3, say=RESULT),
    )
    assert [step.kind for step in run.steps] == [StepKind.MESSAGE, StepKind.TOOL]
    assert run.steps[1].actor == run.steps[0].actor
    assert docs.guesses(run) == {("2", "3", "follows")}


def test_calls_without_ids_are_joined_by_their_arguments() -> None:
    asked = model("", ("", "find", {"id": "A-8"}), ("", "find", {"id": "A-7"}))
    run = docs.run(
        chat(1, at=1, to=2, said=[asked]),
        tool(2, "find", at=3, say=RESULT),
        tool(3, "find", at=4, say={"gen_ai.tool.call.arguments": '{"id":"A-8"}'}),
    )
    requests = {step.source_id: step.parts[0].text for step in run.steps[1:]}
    assert requests == {docs.span_id(2): '{"id":"A-7"}', docs.span_id(3): '{"id":"A-8"}'}
    assert {link.rule for link in run.links} == {"equal name and arguments, in their order"}


def test_an_id_that_is_used_again_means_the_nearest_call_before() -> None:
    first, second = model("", find("c", "A-7")), model("", find("c", "A-8"))
    run = docs.run(
        chat(1, at=1, to=2, said=[first]),
        tool(2, "find", at=3, say={"gen_ai.tool.call.id": "c", "gen_ai.tool.call.result": "7"}),
        chat(3, at=5, heard=[first, answer("c", "7")], said=[second]),
        tool(4, "find", at=7, say={"gen_ai.tool.call.id": "c", "gen_ai.tool.call.result": "8"}),
        chat(5, at=9, heard=[first, answer("c", "7"), second, answer("c", "8")]),
    )
    assert parts(docs.step(run, 2)) == [("tool_request", '{"id":"A-7"}'), ("tool_response", "7")]
    assert parts(docs.step(run, 4)) == [("tool_request", '{"id":"A-8"}'), ("tool_response", "8")]
    assert ("4", "5", "consumes") in docs.links(run)


def test_what_the_model_was_told_instead_of_the_result_stands_in_its_step() -> None:
    run = docs.run(
        chat(1, at=1, to=2, said=[model("", find("c1", "A-7"))]),
        tool(2, "find", at=3, say={"gen_ai.tool.call.id": "c1"} | RESULT),
        chat(3, at=5, heard=[answer("c1", "nothing")], said=[model("It is gone.")]),
    )
    assert parts(docs.step(run, 2))[1:] == [("tool_response", "found")]
    assert parts(docs.step(run, 3)) == [("input", "nothing"), ("message", "It is gone.")]


def test_arguments_that_were_executed_otherwise_are_noted() -> None:
    run = docs.run(
        chat(1, at=1, to=2, said=[model("", find("c1", "A-7"))]),
        tool(2, "find", at=3, say={
            "gen_ai.tool.call.id": "c1", "gen_ai.tool.call.arguments": '{"id": "A-9"}'
        }),
    )  # fmt: skip
    assert docs.step(run, 2).parts[0].data["executed"] == '{"id": "A-9"}'


# Prompts


def test_what_was_said_twice_is_two_steps_and_keeps_its_ids() -> None:
    again = [user("More."), model("One."), user("More.")]
    run = docs.run(
        chat(1, at=1, to=2, heard=again[:1], said=[model("One.")]),
        chat(2, at=3, to=4, heard=again, said=[model("Two.")]),
    )
    assert [step.text for step in run.steps] == ["More.", "One.", "More.", "Two."]
    first, second = (step.source_id for step in run.steps if step.text == "More.")
    assert (first.rpartition(":")[0], first[-2:], second[-2:]) == (
        second.rpartition(":")[0],
        ":1",
        ":2",
    )


def test_a_prompt_that_was_shortened_is_not_heard_again() -> None:
    run = docs.run(
        chat(1, at=1, to=2, heard=[user("One?")], said=[model("1.")]),
        chat(2, at=3, to=4, heard=[user("One?"), model("1."), user("Two?")], said=[model("2.")]),
        chat(3, at=5, to=6, heard=[user("Two?"), model("2."), user("Three?")]),
    )
    assert [step.text for step in run.steps[:-1]] == ["One?", "1.", "Two?", "2.", "Three?"]


def test_a_reply_whose_call_is_not_in_the_record_is_a_step_after_all() -> None:
    before = [user("A-7?"), model("Hm.", find("c0", "A-7")), answer("c0", "found")]
    run = docs.run(chat(1, at=1, heard=before, said=[model("It is there.")]))
    assert [step.kind for step in run.steps] == [
        StepKind.INPUT,
        StepKind.DECISION,
        StepKind.TOOL,
        StepKind.MESSAGE,
    ]
    assert parts(run.steps[2]) == [("tool_request", '{"id":"A-7"}'), ("tool_response", "found")]


def test_a_prompt_that_was_cut_is_shown_as_it_is() -> None:
    cut = '[{"role": "user", "parts": [{"type": "text", "content": "A long'
    run = docs.run(chat(1, say={"gen_ai.input.messages": cut}))
    assert run.steps[0].text == cut
    assert run.steps[0].parts[0].capture == {"text": "damaged"}
    assert "cut_text" in docs.gaps(run)


def test_an_agents_own_input_is_heard_if_its_model_calls_have_none() -> None:
    run = docs.run(
        agent(1, "a", at=0, to=9, say={"gen_ai.input.messages": "Refund A-7."}),
        chat(2, parent=1, at=1, said=[model("No.")]),
    )
    assert [step.text for step in run.steps] == ["Refund A-7.", "No."]
    assert docs.links(run) == {(run.steps[0].source_id, "2", "consumes")}


# Agents


def test_two_executions_of_one_role_are_two_actors() -> None:
    run = docs.run(
        agent(1, "worker", at=0, to=5),
        chat(2, parent=1, at=1),
        agent(3, "worker", at=6, to=9),
        chat(4, parent=3, at=7),
    )
    assert [(actor.key, actor.instance) for actor in run.actors] == [
        ("worker@00000001", docs.span_id(1)),
        ("worker@00000003", docs.span_id(3)),
    ]
    assert ("2", "4", "follows") in docs.guesses(run)


def test_an_agent_without_a_span_has_no_instance() -> None:
    run = docs.run(chat(1, say={"gen_ai.agent.name": "clerk"}), service="")
    (clerk,) = run.actors
    assert (clerk.key, clerk.instance, clerk.capture) == (
        "clerk",
        None,
        {"instance": "not_captured"},
    )


def test_an_agent_inside_a_tool_was_called_by_it() -> None:
    run = docs.run(
        agent(1, "boss", at=0, to=30),
        chat(2, parent=1, at=1, to=2, said=[model("", ("c1", "ask", {"q": "A-7?"}))]),
        tool(3, "ask", parent=1, at=3, to=20, say={"gen_ai.tool.call.id": "c1"}),
        agent(4, "helper", parent=3, at=4, to=19),
        chat(5, parent=4, at=5, to=6, heard=[user("A-7?")], said=[model("Found.")]),
        chat(6, parent=1, at=21, heard=[answer("c1", "Found.")], said=[model("Good.")]),
    )
    helper = next(actor for actor in run.actors if actor.role == "helper")
    assert helper.parent == "boss@00000001"
    assert {("3", "5", "spawn"), ("5", "6", "join"), ("3", "6", "consumes")} <= docs.links(run)
    # Whoever speaks to an agent inside another is no person.
    asked = next(step for step in run.steps if step.text == "A-7?")
    assert run.actor_of(asked).kind is ActorKind.HARNESS


def test_agents_under_one_wrapper_follow_each_other_by_their_times() -> None:
    run = docs.run(
        agent(1, "first", at=0, to=5),
        chat(2, parent=1, at=1),
        agent(3, "left", at=6, to=9),
        chat(4, parent=3, at=7),
        agent(5, "right", at=6, to=10),
        chat(6, parent=5, at=7),
        agent(7, "last", at=11, to=15),
        chat(8, parent=7, at=12),
    )
    assert docs.guesses(run) == {
        ("2", "4", "follows"),
        ("2", "6", "follows"),
        ("4", "8", "join"),
        ("6", "8", "join"),
    }


def test_a_span_of_another_agent_than_the_one_around_it_is_told() -> None:
    run = docs.run(
        agent(1, "boss", at=0, to=20),
        agent(2, "helper", at=3, to=10),
        chat(3, parent=1, at=5, to=6, say={"gen_ai.agent.name": "helper"}),
    )
    assert docs.step(run, 3).actor == "helper@00000002"
    assert "actor_conflict" in docs.gaps(run)


def test_a_handoff_goes_to_the_next_execution_of_the_agent_it_names() -> None:
    passes = {"gen_ai.transfer.mode": "pass_control", "gen_ai.transfer.target.name": "refunds"}
    run = docs.run(
        agent(1, "triage", at=0, to=5),
        chat(2, parent=1, at=1, to=2, said=[model("", ("c1", "transfer", {}))]),
        tool(3, "transfer", parent=1, at=3, say=passes | {"gen_ai.tool.call.id": "c1"}),
        agent(4, "refunds", at=6, to=9),
        chat(5, parent=4, at=7),
    )
    assert docs.step(run, 3).kind is StepKind.HANDOFF
    assert docs.step(run, 3).parts[0].data["to"] == "refunds"
    assert ("3", "5", "handoff") in docs.links(run)


def test_an_agent_of_which_only_its_own_span_is_known_speaks_by_that() -> None:
    said = {"gen_ai.input.messages": "Go.", "gen_ai.output.messages": "Done."}
    run = docs.run(agent(1, "solo", say=said))
    assert [(step.text, run.actor_of(step).role) for step in run.steps] == [
        ("Go.", "user"),
        ("Done.", "solo"),
    ]


# Trees that are none


def test_a_parent_that_never_came_is_a_gap_and_the_agent_is_found_by_time() -> None:
    run = docs.run(
        agent(1, "clerk", at=0, to=9), chat(2, parent=77, at=1, to=2), chat(3, parent=78, at=40)
    )
    (gap,) = [gap for gap in run.gaps if gap.kind == "missing_parent"]
    assert docs.span_id(77) in gap.detail
    assert docs.step(run, 2).actor == "clerk@00000001"
    assert docs.step(run, 3).actor == "desk"


def test_a_ring_is_broken_at_its_earliest_span() -> None:
    run = docs.run(
        agent(1, "a", parent=3, at=0, to=9),
        agent(2, "b", parent=1, at=1, to=8),
        chat(3, parent=2, at=2, to=3),
    )
    (gap,) = [gap for gap in run.gaps if gap.kind == "cycle"]
    assert gap.detail == f"Spans inside themselves, read as roots: {docs.span_id(1)}."
    assert docs.step(run, 3).actor == "b@00000002"


# Sent more than once


def test_a_span_that_came_again_with_more_is_completed() -> None:
    late = chat(1, at=1, to=2, said=[model("Hi.")])
    early = chat(1, at=1, to=2) | {"endTimeUnixNano": "0"}
    for order in ([early, late], [late, early]):
        run = docs.run(*order)
        assert [step.text for step in run.steps] == ["Hi."]
        assert run.steps[0].ended_at is not None
        assert run.folded["sent again with more content"] == 1


def test_two_spans_with_one_id_are_both_kept() -> None:
    one, other = chat(1, said=[model("Hi.")]), chat(1, said=[model("Ho.")])
    for order in ([one, other], [other, one]):
        run = docs.run(*order)
        assert [step.text for step in run.steps] == ["Hi.", "Ho."]
        assert "duplicate_step" in docs.gaps(run)


def test_one_call_that_two_instrumentations_recorded_is_one_step() -> None:
    same = {"gen_ai.response.id": "r1"}
    run = docs.run(
        chat(1, at=1, to=5, say=same),
        chat(2, parent=1, at=2, to=4, say=same, heard=[user("Hello?")], said=[model("Hi.")]),
    )
    assert [step.text for step in run.steps] == ["Hello?", "Hi."]
    assert run.folded["call recorded by two instrumentations"] == 1
    assert run.records[0].fate is Fate.FOLDED


def test_different_calls_inside_each_other_are_two_steps() -> None:
    run = docs.run(
        chat(1, at=1, to=5, said=[model("Hi.")]), chat(2, parent=1, at=2, to=4, said=[model("Ho.")])
    )
    assert len(run.steps) == 2


# Errors and retries


def test_an_error_is_told_once_where_it_happened() -> None:
    run = docs.run(
        agent(1, "clerk", at=0, to=9, **failed("Tool failed: No A-8.")),
        tool(2, "find", parent=1, at=1, **failed("No A-8.")),
    )
    (step,) = run.steps
    assert step.status is StepStatus.ERROR
    assert parts(step)[1:] == [("error", "No A-8.")]
    assert run.folded["exception repeated on a span around it"] == 1
    assert [(report.value, report.by) for report in run.reports] == [("error", "framework")]


def test_an_error_of_its_own_is_a_step_of_the_agent() -> None:
    run = docs.run(
        agent(1, "clerk", at=0, to=9, **failed("Too many turns.", "MaxTurns")),
        tool(2, "find", parent=1, at=1, **failed("No A-8.")),
    )
    assert [(step.kind, step.actor) for step in run.steps] == [
        (StepKind.TOOL, "clerk@00000001"),
        (StepKind.ERROR, "clerk@00000001"),
    ]
    assert run.steps[1].parts[0].data["type"] == "MaxTurns"


@pytest.mark.parametrize(
    ("kind", "status"),
    [("TimeoutError", "timeout"), ("CancelledError", "cancelled"), ("KeyError", "error")],
)
def test_time_outs_and_cancellations_are_told_apart(kind: str, status: str) -> None:
    assert docs.run(tool(1, "find", **failed("x", kind))).steps[0].status == status


def test_the_same_call_after_a_failure_is_a_retry_by_inference() -> None:
    run = docs.run(
        agent(1, "clerk", at=0, to=20),
        tool(2, "find", parent=1, at=1, say=RESULT, **failed("Busy.")),
        tool(3, "find", parent=1, at=3, say=RESULT),
        tool(4, "find", parent=1, at=5, say=RESULT),
    )
    retries = [link for link in run.links if link.kind == "retry_of"]
    assert [docs.told(run, link) for link in retries] == [("2", "3", "retry_of")]
    assert not retries[0].recorded


def test_other_arguments_or_another_agent_between_make_no_retry() -> None:
    other = {"gen_ai.tool.call.arguments": '{"id": "A-9"}'}
    run = docs.run(
        tool(2, "find", at=1, say=RESULT, **failed("Busy.")),
        tool(3, "find", at=3, say=other),
        agent(5, "other", at=4, to=5),
        chat(6, parent=5, at=4, to=5),
        tool(4, "find", at=6, say=RESULT),
    )
    assert not [link for link in run.links if link.kind == "retry_of"]


def test_a_retry_that_the_source_tells_has_its_reason() -> None:
    asks = {"pydantic_ai.tool.retry.cause": "model_retry", "pydantic_ai.tool.retry.attempt": 1}
    run = docs.run(
        tool(1, "find", at=1, say=RESULT | asks, **failed("Try another.")),
        tool(2, "find", at=3, say={"gen_ai.tool.call.arguments": '{"id": "A-9"}'}),
        scope="pydantic-ai",
    )
    again = docs.step(run, 2)
    assert (again.attempt, again.attempt_reason) == (2, "model_retry")
    assert ("1", "2", "retry_of") in docs.links(run)


# Judgements


def test_what_lies_inside_a_judgement_reaches_no_step() -> None:
    judge = {"openinference.span.kind": "EVALUATOR", "output.value": "zebra"}
    run = docs.run(
        chat(1, at=1, said=[model("Hi.")]),
        docs.span(2, at=3, to=9, say=judge),
        chat(3, parent=2, at=4, heard=[user("Was it a zebra?")], said=[model("zebra!")]),
        agent(4, "judge", parent=2, at=5, **failed("A zebra broke it.")),
    )
    assert [step.text for step in run.steps] == ["Hi."]
    assert [opinion.reason for opinion in run.opinions] == ["zebra"]
    assert [record.fate for record in run.records] == [Fate.CONTEXT] * 3
    assert "zebra" not in str((run.steps, run.gaps, run.system, run.task_text, run.actors))


def test_a_guardrail_is_a_check_by_an_evaluator() -> None:
    guard = {"openinference.span.kind": "GUARDRAIL", "tool.name": "pii", "output.value": "blocked"}
    (step,) = docs.run(docs.span(1, say=guard)).steps
    assert step.kind is StepKind.VERIFICATION
    assert step.parts[0].kind is PartKind.VERIFICATION


# Order


@given(chance=st.randoms(use_true_random=False))
def test_spans_in_any_order_are_the_same_run(chance: random.Random) -> None:
    spans = [
        agent(1, "boss", at=0, to=30),
        chat(2, parent=1, at=1, to=2, heard=[user("A-7?")], said=[model("", find("c1", "A-7"))]),
        tool(3, "find", parent=1, at=3, say={"gen_ai.tool.call.id": "c1"}, **failed("Busy.")),
        chat(4, parent=1, at=5, said=[model("", find("c2", "A-7"), find("c3", "A-8"))]),
        tool(5, "find", parent=1, at=7, say={"gen_ai.tool.call.id": "c3"}),
        tool(6, "find", parent=1, at=7, say={"gen_ai.tool.call.id": "c2"}),
        chat(7, parent=99, at=9, heard=[answer("c2", "yes"), answer("c3", "no")]),
        chat(7, parent=99, at=9, said=[model("Other.")]),
    ]
    plain = docs.run(*spans)
    chance.shuffle(spans)
    other = docs.run(*spans)
    for run in (plain, other):
        assert [step.source_id for step in run.steps] == [s.source_id for s in plain.steps]
        assert [step.parts for step in run.steps] == [s.parts for s in plain.steps]
        assert (run.links, run.gaps, run.folded) == (plain.links, plain.gaps, plain.folded)
        assert run.actors == plain.actors
