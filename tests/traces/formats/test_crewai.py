"""CrewAI's event bus: sequence over file order, nesting, delegation, guardrails, endings."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.real import content_of
from tests.traces.formats.frameworks import (
    as_lines,
    gap_kinds,
    links,
    outline,
    read,
    recorded,
    taken,
)
from traces.formats import intake
from traces.formats.base import Unreadable
from traces.transcript import (
    ActorKind,
    Fate,
    LinkKind,
    Outcome,
    PartKind,
    StepKind,
    StepStatus,
)


class Bus:
    """Writes events as a listener on the bus would."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []

    def add(self, kind: str, parent: str = "", started: str = "", **more: Any) -> str:
        number = len(self.events) + 1
        given = {
            "type": kind,
            "event_id": f"e{number}",
            "parent_event_id": parent or None,
            "previous_event_id": f"e{number - 1}" if number > 1 else None,
            "started_event_id": started or None,
            "emission_sequence": number,
            "timestamp": f"2026-03-01T10:00:{number:02}Z",
        }
        self.events.append(given | more)
        return f"e{number}"

    def agent(self, parent: str, role: str, prompt: str) -> str:
        agent = {"id": f"id-{role}", "role": role}
        return self.add("agent_execution_started", parent, agent=agent, task_prompt=prompt)

    def model(self, inside: str, response: Any) -> str:
        start = self.add("llm_call_started", inside, model="m-1")
        return self.add("llm_call_completed", inside, start, model="m-1", response=response)

    def tool(self, inside: str, name: str, args: Any, output: str, **more: Any) -> str:
        start = self.add("tool_usage_started", inside, tool_name=name, tool_args=args, **more)
        kind = "tool_usage_error" if "error" in output else "tool_usage_finished"
        said = {"error" if kind.endswith("error") else "output": output}
        self.add(kind, inside, start, tool_name=name, tool_args=args, **said, **more)
        return start


def asks(name: str, arguments: str) -> list[dict[str, Any]]:
    # The texts stand in quotes, as the listener's JSON has them.
    return [{"id": "c1", "function": {"name": f"'{name}'", "arguments": f"'{arguments}'"}}]


def crew() -> Bus:
    bus = Bus()
    kickoff = bus.add("crew_kickoff_started", crew_name="desk", inputs={"order": "A-7"})
    task = bus.add("task_started", kickoff, task_id="t1", task_name="Find A-7")
    inside = bus.agent(task, "clerk", "Find A-7 now.")
    bus.model(inside, asks("find", '{"id": "A-7"}'))
    bus.tool(inside, "find", {"id": "A-7"}, "error: gone")
    bus.model(inside, "It is lost.")
    bus.add("agent_execution_completed", task, inside, output="It is lost.")
    bus.add("task_completed", kickoff, task, task_id="t1", output={"raw": "It is lost."})
    bus.add("crew_kickoff_completed", "", kickoff, output={"raw": "It is lost."})
    return bus


def test_what_is_no_event_is_refused_and_leaves_a_gap() -> None:
    result = taken(*crew().events, {"type": "task_started"})

    assert [refusal.position for refusal in result.refusals] == ["line 13"]
    assert "undecodable_step" in gap_kinds(result.runs[0].transcript)


def test_no_events_at_all_fit_no_format() -> None:
    with pytest.raises(Unreadable, match="No known format"):
        taken({"type": "task_started", "timestamp": 1})


def test_a_crew_is_told_in_its_steps() -> None:
    transcript = read(*crew().events)

    assert outline(transcript) == [
        ("input", "crew", "Find A-7 now."),
        ("decision", "clerk", ""),
        ("tool", "clerk", '{"id":"A-7"}'),
        ("message", "clerk", "It is lost."),
    ]
    tool = transcript.steps[2]
    assert (tool.status, tool.parts[1].text) == (StepStatus.ERROR, "error: gone")
    actor = transcript.actor_of(tool)
    assert (actor.instance, actor.model) == ("e3", "m-1")
    assert transcript.external_id == "e1"
    assert transcript.initial_state == {"inputs": {"order": "A-7"}}
    assert (transcript.task_id, transcript.task_text) == ("t1", "Find A-7")


def test_a_tool_use_is_guessed_to_be_of_the_call_with_its_arguments() -> None:
    transcript = read(*crew().events)

    (guess,) = [link for link in transcript.links if (link.source, link.target) == (1, 2)]
    assert (guess.kind, guess.recorded) == (LinkKind.CONSUMES, False)
    assert [(link.source, link.target) for link in recorded(transcript)] == [(0, 1)]


@pytest.mark.parametrize("seed", range(3))
def test_the_sequence_is_the_order_and_not_the_file(seed: int) -> None:
    events = crew().events
    shuffled = random.Random(seed).sample(events, len(events))

    run, other = (intake.take(as_lines(each)).runs[0] for each in (events, shuffled))

    assert run.sha256 == other.sha256


def test_every_event_is_somewhere() -> None:
    transcript = read(*crew().events)

    told = {pointer for step in transcript.steps for pointer in (step.pointer, *step.also_from)}
    told |= {record.pointer for record in transcript.records}
    assert told == {f"line {number}" for number in range(1, 13)}


def test_a_completed_kickoff_is_a_report_and_no_outcome() -> None:
    transcript = read(*crew().events)

    (report,) = transcript.reports
    assert (report.value, report.by, report.detail) == ("completed", "framework", "It is lost.")
    assert transcript.outcome is Outcome.UNKNOWN


def test_a_failed_kickoff_has_failed() -> None:
    bus = crew()
    bus.events.pop()
    bus.add("crew_kickoff_failed", "", "e1", error="Out of money.")
    transcript = read(*bus.events)

    assert transcript.outcome is Outcome.FAILED
    assert transcript.failures[0].observed == "Out of money."


def test_a_sequence_that_comes_twice_is_told_of() -> None:
    bus = crew()
    bus.events[1]["emission_sequence"] = 1

    assert "repeated_sequence" in gap_kinds(read(*bus.events))


def test_an_event_sent_again_is_folded_and_another_with_its_id_is_not() -> None:
    events = crew().events
    same = read(*events, events[3])
    other = read(*events, events[3] | {"model": "m-2"})

    assert same.folded["sent again with equal content"] == 1
    assert "duplicate_step" in gap_kinds(other)


def test_a_later_task_builds_on_the_output_in_its_prompt() -> None:
    bus = crew()
    end = bus.events.pop()
    task = bus.add("task_started", "e1", task_id="t2", context="It is lost.")
    inside = bus.agent(task, "chief", "Judge.\n\nIt is lost.")
    bus.model(inside, "Bad.")
    bus.events.append(end | {"emission_sequence": 99})
    transcript = read(*bus.events)

    (link,) = [link for link in transcript.links if link.target == 4]
    assert (link.source, link.kind, link.rule) == (
        3,
        LinkKind.CONSUMES,
        "its output stands in the prompt",
    )


def test_work_for_a_coworker_is_spawned_and_joined() -> None:
    bus = Bus()
    kickoff = bus.add("crew_kickoff_started")
    inside = bus.agent(kickoff, "chief", "Refund.")
    tool = bus.add(
        "tool_usage_started", inside, tool_name="Delegate work to coworker", tool_args={"task": "x"}
    )
    below = bus.agent(tool, "clerk", "x")
    bus.model(below, "Done by clerk.")
    bus.add("agent_execution_completed", tool, below, output="Done by clerk.")
    bus.add(
        "tool_usage_finished",
        inside,
        tool,
        tool_name="Delegate work to coworker",
        tool_args={"task": "x"},
        output="Done by clerk.",
    )
    bus.model(inside, "All done.")
    transcript = read(*bus.events)

    roles = [role for _, role, _ in outline(transcript)]
    assert roles == ["crew", "chief", "crew", "clerk", "chief"]
    assert links(transcript, LinkKind.SPAWN) == [(1, 3)]
    assert links(transcript, LinkKind.JOIN) == [(3, 4)]
    clerk = transcript.actor_of(transcript.steps[3])
    assert clerk.parent == transcript.steps[1].actor


def test_a_guardrail_that_refuses_is_a_check_and_makes_a_retry() -> None:
    bus = Bus()
    kickoff = bus.add("crew_kickoff_started")
    inside = bus.agent(kickoff, "clerk", "Say a number.")
    bus.model(inside, "Many.")
    start = bus.add("llm_guardrail_started", kickoff, task_id="t1", guardrail="is a number")
    verdict = {"task_id": "t1", "success": False, "error": "No number.", "retry_count": 0}
    bus.add("llm_guardrail_completed", kickoff, start, **verdict)
    again = bus.agent(kickoff, "clerk", "Say a number.")
    start = bus.add("llm_call_started", again, task_id="t1")
    bus.add("llm_call_completed", again, start, task_id="t1", response="7")
    transcript = read(*bus.events)

    check = transcript.steps[2]
    assert check.kind is StepKind.VERIFICATION
    assert transcript.actor_of(check).kind is ActorKind.EVALUATOR
    assert check.parts[0].data["verdict"] == "failed"
    assert check.parts[0].data["observed"] == "No number."
    assert check.parts[0].data["method"] == "is a number"
    assert links(transcript, LinkKind.RETRY_OF) == [(1, 4)]
    assert (transcript.steps[4].attempt, transcript.steps[4].attempt_by) == (2, "guardrail")
    assert transcript.outcome is Outcome.UNKNOWN


def test_a_tool_used_again_after_an_error_is_a_retry_if_the_event_counts_it() -> None:
    bus = Bus()
    kickoff = bus.add("crew_kickoff_started")
    inside = bus.agent(kickoff, "clerk", "Find.")
    bus.tool(inside, "find", {"id": 7}, "error: busy", run_attempts=0)
    bus.tool(inside, "find", {"id": 7}, "here", run_attempts=1)
    transcript = read(*bus.events)

    assert links(transcript, LinkKind.RETRY_OF) == [(1, 2)]
    assert (transcript.steps[2].attempt, transcript.steps[2].attempt_reason) == (2, "error: busy")


def test_a_failed_model_call_is_an_error() -> None:
    bus = Bus()
    inside = bus.agent(bus.add("crew_kickoff_started"), "clerk", "Find.")
    start = bus.add("llm_call_started", inside, model="m-1")
    bus.add("llm_call_failed", inside, start, error="429")
    step = read(*bus.events).steps[1]

    assert (step.kind, step.status, step.parts[0].text) == (StepKind.ERROR, StepStatus.ERROR, "429")


def test_a_call_that_no_event_tells_of_being_made_has_no_answer() -> None:
    bus = Bus()
    inside = bus.agent(bus.add("crew_kickoff_started"), "clerk", "Find.")
    bus.model(inside, asks("find", "{}"))
    transcript = read(*bus.events)

    assert [part.kind for part in transcript.steps[2].parts] == [PartKind.TOOL_REQUEST]
    assert "request_without_response" in gap_kinds(transcript)


def test_events_of_unknown_kinds_are_kept_and_told_of() -> None:
    bus = crew()
    bus.add("novel_thing", "e1")
    transcript = read(*bus.events)

    assert "kept_in_raw_only" in gap_kinds(transcript)
    (record,) = [each for each in transcript.records if each.fate is Fate.UNMAPPED]
    assert (record.pointer, record.label) == ("line 13", "novel_thing")


def test_two_kickoffs_are_two_runs() -> None:
    bus = crew()
    kickoff = bus.add("crew_kickoff_started")
    bus.model(bus.agent(kickoff, "other", "Again."), "Yes.")
    runs = taken(*bus.events).runs

    assert [run.transcript.external_id for run in runs] == ["e1", kickoff]
    assert [len(run.transcript.steps) for run in runs] == [4, 2]


def test_parents_in_a_ring_are_read_all_the_same() -> None:
    bus = crew()
    bus.events[1]["parent_event_id"] = "e3"

    assert len(read(*bus.events).steps) == 4


def test_the_real_bus_has_the_counts_of_the_survey() -> None:
    content = content_of("formats/crewai/crewai.event-bus.jsonl")
    transcript = intake.take(content).runs[0].transcript

    told = {pointer for step in transcript.steps for pointer in (step.pointer, *step.also_from)}
    told |= {record.pointer for record in transcript.records}
    assert len(told) == 30
    tools = [step.status for step in transcript.steps if step.kind is StepKind.TOOL]
    assert tools == [StepStatus.OK, StepStatus.ERROR]
    # Of 30 events, one value of the sequence comes twice.
    assert "repeated_sequence" in gap_kinds(transcript)
    assert {actor.role for actor in transcript.actors} == {"crew", "Order clerk", "Reviewer"}
