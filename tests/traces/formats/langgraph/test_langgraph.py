"""LangGraph's state histories: checkpoints, what tasks wrote, forks, fan-outs, inner graphs."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.real import content_of
from tests.traces.formats.frameworks import gap_kinds, links, outline, read, recorded, taken
from traces import states
from traces.formats import intake
from traces.formats.base import Unreadable
from traces.transcript import ActorKind, LinkKind, PartKind, StepKind, StepStatus


def config(id_: str, namespace: str = "") -> dict[str, Any]:
    return {"configurable": {"thread_id": "th-1", "checkpoint_ns": namespace, "checkpoint_id": id_}}


def task(id_: str, name: str, result: Any = None, **more: Any) -> dict[str, Any]:
    given = {"id": id_, "name": name, "error": None, "interrupts": [], "result": result}
    return given | more


def snapshot(id_: str, values: Any, *tasks: Any, parent: str = "", **more: Any) -> dict[str, Any]:
    source = more.pop("source", "loop")
    namespace = more.pop("namespace", "")
    return {
        "values": values,
        "next": [each["name"] for each in tasks],
        "config": config(id_, namespace),
        "parent_config": config(parent, namespace) if parent else None,
        "metadata": {"source": source, "step": 0, "parents": {}},
        "created_at": f"2026-03-01T10:00:0{id_[-1]}+00:00",
        "tasks": list(tasks),
    } | more


def fan_out() -> list[dict[str, Any]]:
    """Newest first, as LangGraph gives them."""
    return [
        snapshot("c3", {"topic": "moon", "notes": ["a", "b"]}, parent="c2"),
        snapshot(
            "c2",
            {"topic": "moon", "notes": []},
            task("t2", "dig", {"notes": ["a"]}),
            task("t3", "dig", {"notes": ["b"]}),
            parent="c1",
        ),
        snapshot(
            "c1",
            {"notes": []},
            task("t1", "__start__", {"topic": "moon"}),
            source="input",
        ),
    ]


def test_what_is_no_checkpoint_is_refused() -> None:
    result = taken([*fan_out(), {"values": {}}])

    assert [refusal.position for refusal in result.refusals] == ["/3"]
    assert "undecodable_step" in gap_kinds(result.runs[0].transcript)


def test_a_checkpoint_database_is_refused() -> None:
    with pytest.raises(Unreadable):
        intake.take(b"SQLite format 3\x00" + bytes(100))


def test_checkpoints_and_tasks_are_steps_from_the_oldest_on() -> None:
    transcript = read(fan_out())

    assert [(step.kind, step.actor) for step in transcript.steps] == [
        (StepKind.STATE, "input"),
        (StepKind.INPUT, "input"),
        (StepKind.STATE, "langgraph"),
        (StepKind.MESSAGE, "dig:t2"),
        (StepKind.MESSAGE, "dig:t3"),
        (StepKind.STATE, "langgraph"),
    ]
    assert transcript.external_id == "th-1"
    assert transcript.initial_state == {"reference": "c1", "values": {"notes": []}}


def test_siblings_are_instances_of_one_role_and_join_in_the_next_checkpoint() -> None:
    transcript = read(fan_out())

    dig = [actor for actor in transcript.actors if actor.role == "dig"]
    assert [actor.instance for actor in dig] == ["dig:t2", "dig:t3"]
    assert links(transcript, LinkKind.JOIN) == [(3, 5), (4, 5)]
    assert len(recorded(transcript)) == len(transcript.links)


def test_a_checkpoint_tells_what_it_changed_and_which_version_it_made() -> None:
    transcript = read(fan_out())

    history = states.histories(transcript)["notes"]
    assert [(each.before, each.after) for each in history] == [(None, "c1"), ("c1", "c3")]
    assert transcript.steps[5].parts[0].text.startswith('["a","b"]')


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_the_file_means_nothing(seed: int) -> None:
    shuffled = random.Random(seed).sample(fan_out(), 3)

    assert taken(shuffled).runs[0].sha256 == taken(fan_out()).runs[0].sha256


def test_an_update_is_a_fork_from_the_checkpoint_it_names() -> None:
    edit = snapshot("c4", {"topic": "sun", "notes": []}, parent="c2", source="update")
    transcript = read([edit, *fan_out()])

    last = transcript.steps[-1]
    assert last.actor == "update_state"
    assert transcript.actor_of(last).kind is ActorKind.HARNESS
    assert [link.source for link in transcript.links if link.target == last.number] == [2]


def test_an_error_of_a_task_is_told_and_reported() -> None:
    history = fan_out()[1:]
    history[0]["tasks"] = [task("t2", "dig", error="ValueError('x')")]
    transcript = read(history)

    step = transcript.steps[-1]
    assert (step.kind, step.status) == (StepKind.ERROR, StepStatus.ERROR)
    assert step.parts[0].kind is PartKind.ERROR
    assert [(each.value, each.by) for each in transcript.reports] == [("error", "framework")]


def test_an_interrupt_waits_for_a_person() -> None:
    history = fan_out()[1:]
    history[0]["tasks"] = [task("t2", "ask", interrupts=[{"value": "Go on?"}])]
    transcript = read(history)

    assert transcript.steps[-1].parts[0].text == "Go on?"
    assert transcript.steps[-1].parts[0].data == {"interrupt": True}
    assert transcript.reports[0].value == "interrupted"


def test_a_task_that_never_ran_is_no_step() -> None:
    history = fan_out()[1:]
    history[0]["tasks"] = [task("t2", "dig")]
    transcript = read(history)

    assert [step.kind for step in transcript.steps] == [
        StepKind.STATE,
        StepKind.INPUT,
        StepKind.STATE,
    ]
    assert [record.label for record in transcript.records] == ["task without a result"]


def messages_run() -> list[dict[str, Any]]:
    asked = {"type": "human", "id": "h", "content": "Where is A-7?"}
    called = {
        "type": "ai",
        "id": "a1",
        "content": "Looking.",
        "tool_calls": [{"name": "find", "args": {"id": 7}, "id": "k1", "type": "tool_call"}],
    }
    answered = {
        "type": "tool",
        "id": "r1",
        "name": "find",
        "content": "gone",
        "tool_call_id": "k1",
        "status": "error",
    }
    return [
        snapshot("c4", {"messages": [asked, called, answered]}, parent="c3"),
        snapshot(
            "c3",
            {"messages": [asked, called]},
            task("t3", "tools", {"messages": [answered]}),
            parent="c2",
        ),
        snapshot(
            "c2", {"messages": [asked]}, task("t2", "clerk", {"messages": [called]}), parent="c1"
        ),
        snapshot("c1", {}, task("t1", "__start__", {"messages": [asked]}), source="input"),
    ]


def test_messages_in_what_tasks_wrote_are_what_agents_said() -> None:
    transcript = read(messages_run())
    acts = [each for each in outline(transcript) if each[1] in ("user", "clerk")]

    assert acts == [
        ("input", "user", "Where is A-7?"),
        ("decision", "clerk", "Looking."),
        ("tool", "clerk", '{"id":7}'),
    ]
    tool = next(step for step in transcript.steps if step.kind is StepKind.TOOL)
    assert (tool.status, tool.parts[1].text) == (StepStatus.ERROR, "gone")
    assert transcript.task_text == "Where is A-7?"


def test_messages_that_no_task_wrote_are_read_from_the_values() -> None:
    transcript = read(
        [snapshot("c1", {"messages": [{"type": "human", "id": "h", "content": "Hi."}]})]
    )

    assert outline(transcript)[0] == ("input", "user", "Hi.")


def test_an_inner_graph_is_spawned_by_its_task_and_joins_what_comes_after() -> None:
    inner = [
        snapshot("d1", {"x": 1}, namespace="dig:t2", created_at="2026-03-01T10:00:02.5+00:00"),
    ]
    transcript = read([*inner, *fan_out()])

    (start,) = [step.number for step in transcript.steps if step.source_id == "d1"]
    (owner,) = [step.number for step in transcript.steps if step.source_id == "t2"]
    (after,) = [step.number for step in transcript.steps if step.source_id == "c3"]
    assert (owner, start) in links(transcript, LinkKind.SPAWN)
    assert (start, after) in links(transcript, LinkKind.JOIN)


def test_a_checkpoint_whose_parent_is_not_there_is_told_of() -> None:
    assert "missing_parent" in gap_kinds(read(fan_out()[:1]))


def test_each_thread_is_a_run() -> None:
    other = fan_out()
    for each in other:
        each["config"]["configurable"]["thread_id"] = "th-2"

    assert [run.transcript.external_id for run in taken([*fan_out(), *other]).runs] == [
        "th-1",
        "th-2",
    ]


def test_the_real_history_has_eight_checkpoints_and_a_fork() -> None:
    content = content_of("formats/langgraph/langgraph.state-history-with-fork.json")
    transcript = intake.take(content).runs[0].transcript

    changes = [step for step in transcript.steps if step.kind is StepKind.STATE]
    assert len(changes) == 8
    (fork,) = [step for step in changes if step.actor == "update_state"]
    (source,) = [link.source for link in transcript.links if link.target == fork.number]
    assert len([link for link in transcript.links if link.source == source]) == 2
    assert [report.value for report in transcript.reports] == ["finished"]
    assert "broken_state_chain" not in gap_kinds(transcript)
