"""LangGraph's streams: several modes that say the same, and what there is without checkpoints."""

from __future__ import annotations

from typing import Any

import pytest

from tests.real import content_of
from tests.traces.formats.frameworks import gap_kinds, outline, read, taken
from tests.traces.formats.langgraph.test_langgraph import snapshot
from traces.formats import intake
from traces.formats.base import Unreadable
from traces.transcript import StepKind


def chunk(mode: str, body: Any) -> dict[str, Any]:
    return {"mode": mode, "chunk": body}


def checkpoint(id_: str, values: Any, *names: str, parent: str = "") -> dict[str, Any]:
    given = snapshot(id_, values, parent=parent)
    given.pop("created_at")
    listed = [{"id": f"{id_}-{name}", "name": name, "interrupts": []} for name in names]
    return given | {"tasks": listed, "next": list(names)}


FIRST = checkpoint("c1", {"n": 1}, "dig")
SECOND = checkpoint("c2", {"n": 2}, parent="c1")
WROTE = {"id": "c1-dig", "name": "dig", "error": None, "result": {"n": 2}, "interrupts": []}


def test_chunks_of_no_known_mode_are_refused() -> None:
    result = taken(chunk("checkpoints", FIRST), {"mode": "novel", "chunk": {}})

    assert [refusal.position for refusal in result.refusals] == ["line 2"]
    assert "undecodable_step" in gap_kinds(result.runs[0].transcript)


def test_a_stream_without_a_step_is_refused() -> None:
    with pytest.raises(Unreadable, match="no step"):
        taken(chunk("custom", {"progress": 1}), chunk("custom", {"progress": 2}))


def test_modes_that_say_the_same_are_folded() -> None:
    debug = {"type": "checkpoint", "timestamp": "2026-03-01T10:00:00Z", "step": 1, "payload": FIRST}
    transcript = read(
        chunk("checkpoints", FIRST),
        chunk("debug", debug),
        chunk("tasks", {"id": "c1-dig", "name": "dig", "input": {"n": 1}}),
        chunk("updates", {"dig": {"n": 2}}),
        chunk("tasks", WROTE),
        chunk("checkpoints", SECOND),
    )

    assert [step.source_id for step in transcript.steps] == ["c1", "c1-dig", "c2"]
    assert sum(transcript.folded.values()) == 4
    assert transcript.steps[0].started_at is not None
    assert set(transcript.steps[1].also_from) == {"line 3", "line 4", "line 5"}


def test_updates_alone_are_what_nodes_wrote_in_turn() -> None:
    transcript = read(
        chunk("updates", {"plan": {"n": 1}}),
        chunk("updates", {"dig": {"messages": [{"type": "ai", "id": "a", "content": "Done."}]}}),
    )

    assert outline(transcript) == [("message", "plan", '{"n":1}'), ("message", "dig", "Done.")]


def test_tasks_alone_are_steps_as_well() -> None:
    transcript = read(
        chunk("tasks", {"id": "k", "name": "dig"}), chunk("tasks", WROTE | {"id": "k"})
    )

    assert outline(transcript) == [("message", "dig", '{"n":2}')]


def test_what_is_no_step_is_kept_and_told_of() -> None:
    transcript = read(chunk("checkpoints", FIRST), chunk("custom", {"progress": 1}))

    assert "kept_in_raw_only" in gap_kinds(transcript)
    assert ("line 2", "custom") in [(each.pointer, each.label) for each in transcript.records]


def test_chunks_may_be_lists_with_their_namespace() -> None:
    transcript = read([[], "checkpoints", FIRST], [["dig:t2"], "updates", {"dig": {"n": 2}}])

    assert [step.kind for step in transcript.steps] == [StepKind.STATE, StepKind.MESSAGE]


def test_the_real_stream_tells_the_run_once() -> None:
    content = content_of("formats/langgraph/langgraph.stream-multi-mode.jsonl")
    transcript = intake.take(content).runs[0].transcript

    changes = [step for step in transcript.steps if step.kind is StepKind.STATE]
    told = {pointer for step in transcript.steps for pointer in (step.pointer, *step.also_from)}
    told |= {record.pointer for record in transcript.records}
    lines = len(content.strip().split(b"\n"))
    assert len(changes) == 5
    assert {f"line {number}" for number in range(1, lines + 1)} <= told
