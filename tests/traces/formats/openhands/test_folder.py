"""A folder with a file for each event is one run, in the order of the files' numbers."""

from __future__ import annotations

import json
import random
from typing import Any

from tests.traces.formats.files.test_containers import zipped
from tests.traces.formats.openhands.test_openhands import EVENTS
from traces.formats import intake
from traces.transcript import Fate, LinkKind, StepKind

STATE = {"id": "c-1", "agent": {"kind": "Agent", "llm": {"model": "small/1"}}}


def v1(number: int, kind: str, source: str, **more: Any) -> dict[str, Any]:
    when = f"2026-09-23T09:42:{number:02d}.1"
    return {"id": f"e{number}", "timestamp": when, "source": source, "kind": kind, **more}


NEWER = [
    v1(1, "MessageEvent", "user", llm_message={"role": "user", "content": "Look."}),
    v1(
        2,
        "ActionEvent",
        "agent",
        thought=[],
        action={"kind": "ViewAction", "path": "a"},
        tool_name="view",
        tool_call_id="c1",
        llm_response_id="r1",
    ),
    v1(
        10,
        "ObservationEvent",
        "environment",
        tool_name="view",
        tool_call_id="c1",
        action_id="e2",
        observation={"kind": "ViewObservation", "content": "seven", "is_error": False},
    ),
]


def files(events: list[Any], pattern: str) -> dict[str, bytes]:
    return {
        pattern.format(number=number): json.dumps(event).encode()
        for number, event in enumerate(events)
    }


def one_run(content: dict[str, bytes]) -> Any:
    (run,) = intake.take(zipped(content)).runs
    return run.transcript


def test_one_event_in_a_folder_and_lists_of_events_are_not_joined() -> None:
    alone = {"a/events/0.json": json.dumps(EVENTS[0]).encode()}
    pages = {f"a/pages/{n}.json": json.dumps(EVENTS).encode() for n in (0, 4)}
    assert len(intake.take(zipped({**alone, **pages})).runs) == 3


def test_a_damaged_event_is_refused_by_its_name_and_the_others_are_a_run() -> None:
    content = files(NEWER, "c/events/event-{number:05d}-ab.json")
    content["c/events/event-00001-ab.json"] = b'{"id": "e2", "kind'
    taken = intake.take(zipped(content))
    assert [refusal.position for refusal in taken.refusals] == ["c/events/event-00001-ab.json"]
    (run,) = taken.runs
    assert [step.kind for step in run.transcript.steps] == [StepKind.INPUT, StepKind.TOOL]


def test_files_of_the_newer_kind_are_one_run_in_the_order_of_their_numbers() -> None:
    content = files(NEWER, "c/events/event-{number:05d}-ab.json")
    told = one_run(content)
    assert [(step.kind, step.tool) for step in told.steps] == [
        (StepKind.INPUT, None),
        (StepKind.DECISION, None),
        (StepKind.TOOL, "view"),
    ]
    assert [part.text for part in told.steps[2].parts] == ['{"path":"a"}', "seven"]
    names = list(content)
    random.Random(1).shuffle(names)
    assert one_run({name: content[name] for name in names}) == told


def test_files_of_the_older_kind_say_what_a_list_of_the_events_says() -> None:
    # By number, not by name: 10 comes behind 9.
    events = [*EVENTS, *({**EVENTS[1], "id": n} for n in range(6, 14))]
    told = one_run(files(events, "s-1/events/{number}.json"))
    (run,) = intake.take(json.dumps(events).encode()).runs
    listed = run.transcript
    assert [step.source_id for step in told.steps] == [step.source_id for step in listed.steps]
    assert told.external_id == listed.external_id
    assert LinkKind.CONSUMES in {link.kind for link in told.links}


def test_the_state_beside_the_events_names_the_model_and_is_no_refusal() -> None:
    content = files(NEWER, "c/events/event-{number:05d}-ab.json")
    content["c/base_state.json"] = json.dumps(STATE).encode()
    taken = intake.take(zipped(content))
    (run,) = taken.runs
    told = run.transcript
    assert taken.refusals == ()
    assert {actor.key: actor.model for actor in told.actors}["agent"] == "small/1"
    fates = {record.pointer: record.fate for record in told.records}
    assert fates["c/base_state.json: /"] is Fate.CONTEXT


def test_two_conversations_are_two_runs() -> None:
    other = [{**event, "id": f"o{n}"} for n, event in enumerate(NEWER)]
    first = files(NEWER, "a/events/event-{number:05d}-ab.json")
    second = files(other, "b/events/event-{number:05d}-ab.json")
    runs = intake.take(zipped({**first, **second})).runs
    assert len({run.transcript.external_id for run in runs}) == 2
