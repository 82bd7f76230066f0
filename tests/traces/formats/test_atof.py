"""ATOF: scopes paired by id, agents as instances, checks, whatever order the events come in."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.real import content_of
from tests.traces.formats.frameworks import as_lines, gap_kinds, links, outline, read, taken
from traces.formats import intake
from traces.formats.base import Unreadable
from traces.transcript import ActorKind, LinkKind, StepKind, StepStatus


class Log:
    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []

    def event(
        self, edge: str, category: str, uuid: str, parent: str, data: Any, **more: Any
    ) -> None:
        self.events.append(
            {
                "kind": "scope",
                "scope_category": edge,
                "atof_version": "0.1",
                "category": category,
                "uuid": uuid,
                "parent_uuid": parent or None,
                "name": more.pop("name", uuid),
                "timestamp": f"2026-03-01T10:00:{len(self.events):02}Z",
                "data": data,
                "category_profile": more or None,
            }
        )

    def whole(
        self, category: str, uuid: str, parent: str, given: Any, made: Any, **more: Any
    ) -> None:
        self.event("start", category, uuid, parent, given, **more)
        self.event("end", category, uuid, parent, made, **more)


def log() -> Log:
    told = Log()
    told.event("start", "agent", "g1", "", {"input": "Where is A-7?"}, name="desk")
    asked = {"content": "", "tool_calls": [{"id": "c1", "name": "find", "arguments": {"id": 7}}]}
    told.whole("llm", "l1", "g1", {"messages": []}, asked, model_name="m-1")
    told.whole("tool", "t1", "g1", {"id": 7}, {"error": "gone"}, tool_call_id="c1", name="find")
    told.whole("llm", "l2", "g1", {"messages": []}, {"content": "Lost."}, model_name="m-1")
    told.event("end", "agent", "g1", "", {"response": "Lost."}, name="desk")
    return told


def test_what_is_no_event_is_refused() -> None:
    result = taken(*log().events, {"atof_version": "0.1"})

    assert [refusal.position for refusal in result.refusals] == ["line 9"]
    assert "undecodable_step" in gap_kinds(result.runs[0].transcript)


def test_a_file_of_other_things_is_refused() -> None:
    with pytest.raises(Unreadable, match="no ATOF events"):
        taken({"atof_version": "0.1"}, {"atof_version": "0.1"})


def test_scopes_are_steps_of_the_agent_around_them() -> None:
    transcript = read(*log().events)

    assert outline(transcript) == [
        ("input", "user", "Where is A-7?"),
        ("decision", "desk", ""),
        ("tool", "desk", '{"id":7}'),
        ("message", "desk", "Lost."),
    ]
    assert transcript.steps[1].parts[0].capture == {"text": "absent"}
    assert transcript.steps[2].status is StepStatus.ERROR
    assert links(transcript, LinkKind.CONSUMES) == [(1, 2)]
    actor = transcript.actor_of(transcript.steps[1])
    assert (actor.instance, actor.model) == ("g1", "m-1")
    assert transcript.external_id == "g1"


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_the_events_means_nothing(seed: int) -> None:
    events = log().events
    shuffled = random.Random(seed).sample(events, len(events))

    one, other = (intake.take(as_lines(each)).runs[0].sha256 for each in (events, shuffled))

    assert one == other


def test_every_event_is_somewhere() -> None:
    transcript = read(*log().events)

    told = {pointer for step in transcript.steps for pointer in (step.pointer, *step.also_from)}
    assert told == {f"line {number}" for number in range(1, 9)}


def test_an_agent_inside_an_agent_is_started_by_it() -> None:
    told = Log()
    told.event("start", "agent", "g1", "", {"input": "Go."}, name="boss")
    told.whole("llm", "l1", "g1", {}, {"content": "You do it."})
    told.event("start", "agent", "g2", "g1", None, name="helper")
    told.whole("llm", "l2", "g2", {}, {"content": "Done."})
    told.event("end", "agent", "g2", "g1", None, name="helper")
    told.whole("llm", "l3", "g1", {}, {"content": "Thanks."})
    told.event("end", "agent", "g1", "", None, name="boss")
    transcript = read(*told.events)

    assert [role for _, role, _ in outline(transcript)] == ["user", "boss", "helper", "boss"]
    assert links(transcript, LinkKind.SPAWN) == [(1, 2)]
    assert links(transcript, LinkKind.JOIN) == [(2, 3)]
    helper = transcript.actor_of(transcript.steps[2])
    assert helper.parent == transcript.steps[1].actor


def test_a_guardrail_is_a_check() -> None:
    told = log()
    mark = told.events[0] | {"kind": "mark", "uuid": "k1", "parent_uuid": "g1"}
    mark |= {"category": "guardrail", "name": "safe", "data": {"check": "pii", "passed": False}}
    del mark["scope_category"]
    transcript = read(*told.events, mark)

    (check,) = [step for step in transcript.steps if step.kind is StepKind.VERIFICATION]
    assert transcript.actor_of(check).kind is ActorKind.EVALUATOR
    assert check.parts[0].data == {"check": "pii", "verdict": "failed"}


def test_a_parent_that_never_came_is_told_of() -> None:
    told = Log()
    told.whole("llm", "l1", "lost", {}, {"content": "Hello."})

    assert "missing_parent" in gap_kinds(read(*told.events))


def test_parents_in_a_ring_are_read_all_the_same() -> None:
    told = Log()
    told.whole("llm", "a", "b", {}, {"content": "One."})
    told.whole("llm", "b", "a", {}, {"content": "Two."})

    assert len(read(*told.events).steps) == 2


def test_two_roots_are_two_runs() -> None:
    told = log()
    told.whole("agent", "g9", "", {"input": "Again."}, {"response": "No."}, name="desk")

    assert [run.transcript.external_id for run in taken(*told.events).runs] == ["g1", "g9"]


def test_the_real_files_have_the_counts_of_the_survey() -> None:
    runs = [
        intake.take(content_of(f"formats/atof/exmp0{number}_atof.jsonl")).runs[0].transcript
        for number in (1, 2, 3)
    ]

    told = {p for step in runs[1].steps for p in (step.pointer, *step.also_from)}
    # 8 lines that are 4 scopes.
    assert len(told) == 8
    assert len(runs[1].steps) == 4
    assert [len(run.steps) for run in runs] == [5, 4, 3]
    assert runs[2].steps[1].parts[0].data["verdict"] == "passed"
