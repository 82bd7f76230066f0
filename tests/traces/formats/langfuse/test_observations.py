"""What Langfuse's observations say: in the words of many frameworks, exported by one platform."""

from __future__ import annotations

import json
from typing import Any

from traces.formats import intake
from traces.transcript import Fate, StepKind, Transcript

CALL = {"id": "c1", "type": "function", "function": {"name": "find", "arguments": '{"o":"A-17"}'}}
DONE = {"type": "tool", "content": "12.05", "tool_call_id": "c1", "status": "success"}


def observation(name: str, kind: str, **more: Any) -> dict[str, Any]:
    """One as the list of a download has it: values that are no text are text of JSON."""
    number = int(name[1:])
    given = {
        "id": name,
        "traceId": "t",
        "type": kind,
        "name": more.pop("called", "chat"),
        "parentObservationId": more.pop("parent", None),
        "startTime": f"2026-05-04T09:00:{number:02}.000Z",
        "endTime": f"2026-05-04T09:00:{number + 1:02}.000Z",
        "level": "DEFAULT",
        "latency": 1,
        "metadata": {},
    }
    attributes, scope = more.pop("attributes", None), more.pop("scope", "langfuse-sdk")
    metadata = {"scope": {"name": scope}, **more.pop("noted", {})}
    given["metadata"] = metadata | ({"attributes": attributes} if attributes else {})
    return {
        key: json.dumps(value) if isinstance(value, dict | list) else value
        for key, value in (given | more).items()
    }


def run_of(*observations: dict[str, Any], **trace: Any) -> Transcript:
    """The download of a trace, which has each observation twice, the first time without content."""
    bare = [{**each, "input": None, "output": None, "metadata": "{}"} for each in observations]
    about = {"id": "t", "timestamp": "2026-05-04T09:00:00.000Z", "observations": bare, **trace}
    document = {"trace": about, "observations": list(observations)}
    (run,) = intake.take(json.dumps(document).encode()).runs
    return run.transcript


def shape(transcript: Transcript) -> list[tuple[str, str, str]]:
    return [
        (transcript.actor_of(step).role, step.tool or step.kind.value, step.text)
        for step in transcript.steps
    ]


def test_attributes_are_read_where_the_trace_lists_observations_without_them() -> None:
    attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "find"}
    transcript = run_of(observation("o1", "SPAN", attributes=attributes, output="12.05"))

    assert [step.tool for step in transcript.steps] == ["find"]
    assert transcript.steps[0].also_from == ("/observations/0",)


def test_a_dialect_that_knows_a_wrapper_is_not_overruled_by_the_type() -> None:
    kind = {"openinference.span.kind": "AGENT"}
    scope = "openinference.instrumentation.openai_agents"
    named = {**kind, "graph.node.id": "Refunds"}
    transcript = run_of(
        observation("o1", "AGENT", called="Agent workflow", attributes=kind, scope=scope),
        observation("o2", "AGENT", parent="o1", attributes=named, scope=scope),
        observation("o3", "GENERATION", parent="o2", output="Refunded."),
    )

    assert [actor.role for actor in transcript.actors] == ["Refunds"]
    assert ("/trace/observations/0", Fate.CONTAINER) in {
        (record.pointer, record.fate) for record in transcript.records
    }


def test_calls_without_words_of_vercel_are_calls() -> None:
    attributes = {"ai.operationId": "ai.generateText.doGenerate"}
    gave = [{"toolCallId": "c1", "toolName": "find", "input": '{"o":"A-17"}'}]
    transcript = run_of(observation("o1", "GENERATION", attributes=attributes, output=gave))

    call, tool = transcript.steps
    assert (call.kind, call.text) == (StepKind.DECISION, "")
    assert (tool.tool, tool.text) == ("find", '{"o":"A-17"}')


def test_messages_one_below_the_other_are_taken_apart() -> None:
    said = "developer: Look after orders.\nThe shop is closed.\nuser: Refund A-17."
    transcript = run_of(observation("o1", "GENERATION", input=said, output="None"))

    assert shape(transcript) == [
        ("system", "input", "Look after orders.\nThe shop is closed."),
        ("user", "input", "Refund A-17."),
        ("agent", "message", ""),
    ]
    assert transcript.steps[2].parts[0].capture == {"text": "not_captured"}


def test_none_is_a_word_where_a_prompt_is_just_a_text() -> None:
    transcript = run_of(observation("o1", "GENERATION", input="How many?", output="None"))

    assert [step.text for step in transcript.steps] == ["How many?", "None"]


def test_answers_that_langchain_made_messages_of_are_answers() -> None:
    dumped = {"lc": 1, "type": "constructor", "id": ["langchain_core", "messages", "ToolMessage"]}
    for answer in (DONE, {"type": "tool", "data": DONE}, {**dumped, "kwargs": DONE}):
        transcript = run_of(
            observation("o1", "GENERATION", output={"role": "assistant", "tool_calls": [CALL]}),
            observation("o2", "SPAN", called="find", input={"o": "A-17"}, output=answer),
        )

        assert [(step.tool, step.parts[-1].text) for step in transcript.steps] == [
            (None, ""),
            ("find", "12.05"),
        ]


def test_an_answer_that_langchain_says_is_an_error_is_one() -> None:
    failed = {**DONE, "content": [{"type": "text", "text": "No such order."}], "status": "error"}
    transcript = run_of(observation("o1", "TOOL", called="find", output=failed))

    assert transcript.steps[0].status.value == "error"
    assert transcript.steps[0].parts[-1].text == "No such order."


def test_nodes_of_a_graph_are_agents_but_for_those_that_only_carry_out() -> None:
    def noted(node: str) -> dict[str, Any]:
        return {"langgraph_node": node, "langgraph_checkpoint_ns": f"{node}:1"}

    transcript = run_of(
        observation("o1", "SPAN", called="writer", noted=noted("writer")),
        observation("o2", "GENERATION", parent="o1", output="Done.", noted=noted("writer")),
        observation("o3", "SPAN", called="tools", noted=noted("tools")),
        observation("o4", "TOOL", called="find", parent="o3", output=DONE, noted=noted("tools")),
    )

    assert [(role, text.strip()) for role, _, text in shape(transcript)] == [
        ("writer", "Done."),
        ("agent", "12.05"),
    ]


def test_definitions_of_tools_among_the_messages_are_no_answers() -> None:
    defined = {"type": "function", "function": {"name": "find", "parameters": {}}}
    prompt = [{"role": "user", "content": "Find A-17."}, {"role": "tool", "content": defined}]
    transcript = run_of(observation("o1", "GENERATION", input=prompt, output="It costs 12.05."))

    assert [step.text for step in transcript.steps] == ["Find A-17.", "It costs 12.05."]


def test_the_pieces_of_a_server_s_answer_are_its_text() -> None:
    gave = {"content": [{"type": "text", "text": "12.05"}]}
    transcript = run_of(observation("o1", "TOOL", called="find", output=gave))

    assert transcript.steps[0].parts[-1].text == "12.05"


def test_what_a_person_says_the_answer_should_be_reaches_no_step() -> None:
    corrected = {
        "id": "k1",
        "name": "output",
        "value": 0,
        "source": "ANNOTATION",
        "dataType": "CORRECTION",
        "longStringValue": "Refund only A-17.",
        "observationId": "o1",
    }
    transcript = run_of(observation("o1", "GENERATION", output="Both."), corrections=[corrected])

    (opinion,) = transcript.opinions
    assert opinion.source == "Langfuse correction output (ANNOTATION)"
    assert opinion.data["longStringValue"] == "Refund only A-17."
    assert [step.text for step in transcript.steps] == ["Both."]


def test_words_that_the_trace_was_given_are_the_task() -> None:
    spoken = run_of(observation("o1", "GENERATION", output="Hi."), input='"\\"Refund A-17.\\""')
    an_object = run_of(observation("o1", "GENERATION", output="Hi."), input='"{\\"a\\": 1}"')

    assert (spoken.task_text, an_object.task_text) == ("Refund A-17.", "")


def test_what_langfuse_works_out_is_not_told_as_unread() -> None:
    more = {"totalCost": 0, "usageDetails": {}, "toolCallNames": [], "promptName": "greeting"}
    transcript = run_of(observation("o1", "GENERATION", output="Hi.", **more))

    assert dict(transcript.unread) == {"promptName": 1}
