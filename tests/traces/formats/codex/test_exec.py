"""`codex exec --json`: the records of an item are one step, and turns end without an outcome."""

from __future__ import annotations

from typing import Any

import pytest

from tests.traces.formats.logs import lines, real_run, run_of, step, tools
from traces.formats import intake
from traces.formats.base import Unreadable
from traces.transcript import Fate, Outcome, PartKind, StepKind, StepStatus

START = ({"type": "thread.started", "thread_id": "t-1"}, {"type": "turn.started"})


def item(state: str, name: str, kind: str, **more: Any) -> dict[str, Any]:
    return {"type": f"item.{state}", "item": {"id": name, "type": kind, **more}}


def test_a_stream_without_items_is_refused() -> None:
    with pytest.raises(Unreadable, match="no item here"):
        intake.take(lines(*START))


def test_the_records_of_an_item_are_one_step() -> None:
    transcript = run_of(
        *START,
        item("completed", "item_0", "reasoning", text="Look first."),
        item("started", "item_1", "command_execution", command="ls", status="in_progress"),
        item(
            "completed",
            "item_1",
            "command_execution",
            command="ls",
            aggregated_output="no such folder",
            exit_code=2,
            status="failed",
        ),
        item("completed", "item_2", "agent_message", text="There is none."),
        {"type": "turn.completed", "usage": {}},
    )

    assert [(s.source_id, s.kind.value, s.text) for s in transcript.steps] == [
        ("1/item_0.reply", "decision", "Look first."),
        ("1/item_1", "tool", '{"command":"ls"}\nno such folder'),
        ("1/item_2.reply", "message", "There is none."),
    ]
    tool = step(transcript, "1/item_1")
    assert (tool.status, tool.parts[1].data["exit_code"]) == (StepStatus.ERROR, 2)
    assert transcript.folded == {"items told again as they went on": 1}
    assert [(r.value, r.by) for r in transcript.reports] == [("turn.completed", "framework")]
    assert transcript.outcome is Outcome.UNKNOWN
    assert transcript.external_id == "t-1"


def test_a_turn_that_failed_says_why() -> None:
    failed = {"type": "turn.failed", "error": {"message": "usage limit"}}
    transcript = run_of(*START, item("completed", "i", "agent_message", text="Hm."), failed)

    assert [(r.value, r.detail) for r in transcript.reports] == [("turn.failed", "usage limit")]


def test_a_change_of_files_tells_each_of_them() -> None:
    changes = [{"path": "a.py", "kind": "update"}, {"path": "b.py", "kind": "add"}]
    change = item("completed", "i", "file_change", changes=changes, status="completed")
    transcript = run_of(*START, change)

    assert [p.data["artifact"] for _, p in transcript.parts_of(PartKind.STATE)] == ["a.py", "b.py"]


def test_items_are_told_apart_by_turn() -> None:
    hello = item("completed", "item_0", "agent_message", text="Hello.")
    transcript = run_of(*START, hello, {"type": "turn.completed"}, *START[1:], hello)

    assert [s.source_id for s in transcript.steps] == ["1/item_0.reply", "2/item_0.reply"]


def test_an_error_is_a_step_and_an_unknown_item_is_named() -> None:
    transcript = run_of(
        *START,
        item("completed", "i", "error", message="No network."),
        item("completed", "j", "hologram"),
    )

    assert [(s.kind, s.text) for s in transcript.steps] == [(StepKind.ERROR, "No network.")]
    assert [r.label for r in transcript.records if r.fate is Fate.UNMAPPED] == ["item hologram"]


def test_an_mcp_call_keeps_its_tool_and_its_error() -> None:
    given = {"server": "orders", "tool": "find_order", "arguments": {"id": "A-18"}}
    failed = item(
        "completed", "i", "mcp_tool_call", **given, error={"message": "None."}, status="failed"
    )
    (tool,) = tools(run_of(*START, failed))

    assert (tool.tool, tool.status, tool.parts[1].text) == ("find_order", StepStatus.ERROR, "None.")


@pytest.mark.parametrize("name", ["2", "4"])
def test_the_real_streams_have_one_command_each(name: str) -> None:
    transcript = real_run(f"codex-cli/exec-json-stream-{name}.jsonl")

    assert [s.tool for s in tools(transcript)] == ["command_execution"]
    assert tools(transcript)[0].status is StepStatus.OK
