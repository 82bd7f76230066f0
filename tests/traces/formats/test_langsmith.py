"""LangSmith: runs that come twice, order that names all ancestors, retries of a graph's node."""

from __future__ import annotations

import json
from typing import Any

from tests.real import FORMATS, needs_files
from traces.formats import intake
from traces.transcript import LinkKind, PartKind, StepStatus, Transcript

REAL = FORMATS / "langsmith"
ROOT = "0194d300-0000-7000-8000-000000000001"
CALL = "0194d300-0000-7000-8000-000000000002"
DOTTED = f"20260504T090000000000Z{ROOT}.20260504T090001000000Z{CALL}"


def row(id_: str = CALL, **more: Any) -> dict[str, Any]:
    return {"id": id_, "trace_id": ROOT, "name": "look", "run_type": "tool", **more}


def run_of(value: Any) -> Transcript:
    (run,) = intake.take(json.dumps(value).encode()).runs
    return run.transcript


def test_a_run_without_an_id_is_refused_with_its_place() -> None:
    taken = intake.take(json.dumps({"post": [row(), {"name": "lost"}], "patch": []}).encode())

    assert [refusal.position for refusal in taken.refusals] == ["/post/1"]


def test_the_end_of_a_run_completes_its_beginning() -> None:
    begun = row(start_time=1_777_885_200_000, inputs={"q": 1}, outputs=None)
    ended = {"id": CALL, "trace_id": ROOT, "end_time": 1_777_885_201_000, "outputs": {"a": 2}}
    (step,) = run_of({"post": [begun], "patch": [ended]}).steps

    assert [(part.kind, part.text) for part in step.parts] == [
        (PartKind.TOOL_REQUEST, '{"q":1}'),
        (PartKind.TOOL_RESPONSE, '{"a":2}'),
    ]
    assert step.ended_at is not None
    assert step.started_at is not None
    assert (step.ended_at - step.started_at).total_seconds() == 1


def test_a_patch_without_an_id_is_known_by_its_dotted_order() -> None:
    patch = {"dotted_order": DOTTED, "trace_id": ROOT, "outputs": {"a": 2}}
    (step,) = run_of({"post": [row(dotted_order=DOTTED)], "patch": [patch]}).steps

    assert step.parts[1].text == '{"a":2}'


def test_a_parent_that_never_came_is_a_gap() -> None:
    transcript = run_of([row(dotted_order=DOTTED)])

    (gap,) = [gap for gap in transcript.gaps if gap.kind == "missing_parent"]
    assert ROOT in gap.detail


def test_feedback_is_no_part_of_a_step() -> None:
    given = row(outputs={"a": 2}, feedback=[{"key": "good", "score": 0, "comment": "Wrong."}])
    transcript = run_of([given])

    assert [(each.reason, each.step) for each in transcript.opinions] == [("Wrong.", 0)]
    assert "Wrong." not in str(transcript.steps)


def model(**more: Any) -> dict[str, Any]:
    sent = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Refund A-17."}]}
    return row(ROOT, run_type="llm", name="ChatOpenAI", inputs=sent, **more)


def test_batches_that_only_begin_runs_are_known_alone_and_in_a_list() -> None:
    for value in ({"post": [model()]}, [{"post": [model()]}]):
        transcript = run_of(value)

        assert [step.text for step in transcript.steps] == ["Refund A-17.", ""]
        assert transcript.steps[1].parts[0].capture == {"text": "not_captured"}


def test_the_end_of_a_model_call_whose_beginning_never_came_is_one() -> None:
    ended = {"id": ROOT, "trace_id": ROOT, "dotted_order": DOTTED.partition(".")[0]}
    gave = {"choices": [{"message": {"role": "assistant", "content": "Refunded."}}]}

    assert [step.text for step in run_of({"patch": [{**ended, "outputs": gave}]}).steps] == [
        "Refunded."
    ]


def test_the_name_of_a_model_is_no_task() -> None:
    assert run_of([model()]).task_text == "Refund A-17."


def test_what_a_model_had_said_when_its_stream_broke_off_is_kept() -> None:
    chunks = ["Re", "fund", {"choices": [{"delta": {"content": "ed."}}]}, {"choices": []}]
    events = [{"name": "new_token", "kwargs": {"token": chunk}} for chunk in chunks]
    (_, step) = run_of([model(outputs=None, error="Cancelled()", events=events)]).steps

    assert [part.text for part in step.parts] == ["Refunded.", "Cancelled()"]


def test_instructions_beside_the_messages_are_said_by_the_system() -> None:
    for key, word in (("messages", "system"), ("input", "instructions")):
        sent = {word: "Look after orders.", key: [{"role": "user", "content": "Refund A-17."}]}
        transcript = run_of([{**model(), "inputs": sent}])

        assert [(step.actor, step.text) for step in transcript.steps[:2]] == [
            ("system", "Look after orders."),
            ("user", "Refund A-17."),
        ]


def test_a_request_of_one_text_is_that_text() -> None:
    transcript = run_of([{**model(), "inputs": {"input": "Refund A-17.", "model": "gpt"}}])

    assert transcript.steps[0].text == "Refund A-17."


def test_an_answer_that_langchain_made_a_message_of_is_the_answer() -> None:
    message = {"type": "tool", "content": "12.05", "tool_call_id": "c1", "status": "error"}
    (step,) = run_of([row(outputs={"output": message})]).steps

    assert (step.parts[-1].text, step.status) == ("12.05", StepStatus.ERROR)


def test_a_chain_is_whoever_acts_in_it_but_for_what_langchain_strings_together() -> None:
    inner = "0194d300-0000-7000-8000-000000000003"
    transcript = run_of(
        [
            row(ROOT, name="order_agent", run_type="chain"),
            row(inner, name="RunnableSequence", run_type="chain", parent_run_id=ROOT),
            row(parent_run_id=inner, outputs={"a": 2}),
        ]
    )

    assert [actor.role for actor in transcript.actors] == ["order_agent"]


@needs_files
def test_the_real_runs_show_a_fan_of_two_one_of_them_tried_again() -> None:
    content = (REAL / "langsmith.runs-reassembled.json").read_bytes()
    (run,) = intake.take(content).runs
    transcript = run.transcript
    research = [s for s in transcript.steps if transcript.actor_of(s).role == "research"]
    records = {place for step in transcript.steps for place in (step.pointer, *step.also_from)}
    records |= {record.pointer for record in transcript.records}
    failed = [step for step in transcript.steps if step.status is StepStatus.ERROR]
    again = [step for step in research if step.attempt == 2]
    retries = [link for link in transcript.links if link.kind is LinkKind.RETRY_OF]

    assert len({place for place in records if place.count("/") == 1}) == 11
    assert len(research) == 3
    assert len(failed) == 2
    assert [link.target for link in retries] == [step.number for step in again]
    assert [link.source for link in retries] == [research[1].number]
