"""Claude Code: a tree of lines becomes steps, and subagents join in the run of their session."""

from __future__ import annotations

import time
import zipfile
from io import BytesIO
from typing import Any

import pytest

from tests.real import path_of
from tests.traces.formats.logs import (
    gaps,
    lines,
    links,
    real,
    real_run,
    run_of,
    step,
    tools,
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

SESSION = "s-1"


def line(uuid: str, parent: str | None, kind: str, **more: Any) -> dict[str, Any]:
    return {
        "uuid": uuid,
        "parentUuid": parent,
        "isSidechain": False,
        "sessionId": SESSION,
        "type": kind,
        "version": "2.1.0",
        "cwd": "/repo",
        "gitBranch": "main",
        "timestamp": "2026-03-01T10:00:00.000Z",
        **more,
    }


def says(uuid: str, parent: str | None, content: Any, **more: Any) -> dict[str, Any]:
    return line(uuid, parent, "user", message={"role": "user", "content": content}, **more)


def replies(uuid: str, parent: str | None, name: str, *blocks: Any, **more: Any) -> dict[str, Any]:
    message = {"id": name, "role": "assistant", "model": "m-1", "content": list(blocks)}
    return line(uuid, parent, "assistant", message=message, **more)


def text(said: str) -> dict[str, Any]:
    return {"type": "text", "text": said}


def use(name: str, tool: str = "Bash", **given: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": name, "name": tool, "input": given}


def result(name: str, content: Any, **more: Any) -> list[dict[str, Any]]:
    return [{"type": "tool_result", "tool_use_id": name, "content": content, **more}]


def test_notes_alone_are_no_run() -> None:
    notes = lines({"type": "summary", "summary": "Other work", "leafUuid": "elsewhere"})

    with pytest.raises(Unreadable, match="only notes"):
        intake.take(notes)


def test_lines_that_are_no_objects_are_refused_with_their_place() -> None:
    taken = intake.take(lines(says("a", None, "Hi"), "massive", 42, [1]))

    assert [refusal.position for refusal in taken.refusals] == ["line 2", "line 3", "line 4"]
    assert len(taken.runs[0].transcript.steps) == 1


def test_a_block_of_nul_bytes_costs_only_its_line() -> None:
    content = lines(says("a", None, "Hi")) + b"\x00" * 40 + b"\n" + lines(says("b", "a", "Still?"))
    taken = intake.take(content)

    assert [refusal.position for refusal in taken.refusals] == ["line 2"]
    assert [each.text for each in taken.runs[0].transcript.steps] == ["Hi", "Still?"]
    assert gaps(taken.runs[0].transcript, "damaged") == [None]


def test_a_conversation_is_told_step_by_step() -> None:
    transcript = run_of(
        says("a", None, "List the files."),
        replies("b", "a", "msg_1", text("I will look.")),
        replies("c", "b", "msg_1", use("tu_1", command="ls")),
        says("d", "c", result("tu_1", "x.py", is_error=False), toolUseResult={"stdout": "x.py"}),
        replies("e", "d", "msg_2", text("There is x.py.")),
    )

    assert [(s.source_id, s.actor, s.kind.value, s.text) for s in transcript.steps] == [
        ("a", "user", "input", "List the files."),
        ("msg_1", "main", "decision", "I will look."),
        ("tu_1", "main", "tool", '{"command":"ls"}\nx.py'),
        ("msg_2", "main", "message", "There is x.py."),
    ]
    assert links(transcript, LinkKind.CONSUMES) == [
        ("a", "msg_1"),
        ("msg_1", "tu_1"),
        ("tu_1", "msg_2"),
    ]
    assert all(link.recorded for link in transcript.links)
    assert (transcript.external_id, transcript.task_text) == (SESSION, "List the files.")
    assert step(transcript, "tu_1").status is StepStatus.OK
    assert transcript.outcome is Outcome.UNKNOWN
    assert transcript.actor_by_key["main"].model == "m-1"
    assert transcript.folded == {
        "replies split over several records": 1,
        "tool results said again in structured form": 1,
    }


def test_a_reply_that_only_asks_says_nothing_unless_lines_are_lost() -> None:
    asks = (says("a", None, "Go."), replies("b", "a", "msg_1", use("tu_1")))
    damaged = intake.take(lines(*asks) + b'{"uuid": "c", "par').runs[0].transcript

    assert step(run_of(*asks), "msg_1").parts[0].capture == {"text": "absent"}
    assert step(damaged, "msg_1").parts[0].capture == {"text": "not_captured"}


def test_withheld_thinking_is_marked() -> None:
    sealed = {"type": "thinking", "thinking": "", "signature": "abc"}
    said = {"type": "thinking", "thinking": "Hm.", "signature": "abc"}
    transcript = run_of(replies("a", None, "msg_1", sealed, said, text("Yes.")))
    first, second, third = transcript.steps[0].parts

    assert (first.kind, first.text, first.capture) == (
        PartKind.INTERPRETATION,
        "",
        {"text": "withheld"},
    )
    assert (second.kind, second.text) == (PartKind.INTERPRETATION, "Hm.")
    assert third.kind is PartKind.MESSAGE


def test_results_of_parallel_calls_all_reach_the_next_reply() -> None:
    transcript = run_of(
        says("a", None, "Go."),
        replies("b", "a", "msg_1", use("tu_1")),
        replies("c", "b", "msg_1", use("tu_2")),
        says("d", "b", result("tu_1", "one")),
        says("e", "d", result("tu_2", "two")),
        replies("f", "e", "msg_2", text("Both.")),
    )

    assert ("tu_1", "msg_2") in links(transcript, LinkKind.CONSUMES)
    assert ("tu_2", "msg_2") in links(transcript, LinkKind.CONSUMES)
    assert gaps(transcript, "rewound") == []


def test_a_conversation_that_was_set_back_keeps_both_branches() -> None:
    transcript = run_of(
        says("a", None, "Start."),
        replies("b", "a", "msg_1", text("Ready.")),
        says("c", "b", "First way."),
        replies("d", "c", "msg_2", text("Went first.")),
        says("e", "b", "Second way."),
        replies("f", "e", "msg_3", text("Went second.")),
    )

    assert gaps(transcript, "rewound") == [step(transcript, "c").number]
    assert [pair for pair in links(transcript, LinkKind.CONSUMES) if pair[0] == "msg_1"] == [
        ("msg_1", "c"),
        ("msg_1", "e"),
    ]


def test_a_parent_that_never_came_is_a_gap() -> None:
    transcript = run_of(says("a", "phantom", "Hello."), replies("b", "a", "msg_1", text("Hi.")))

    assert gaps(transcript, "missing_parent") == [0]


def test_copied_lines_are_folded_and_a_changed_one_is_kept() -> None:
    hello = says("a", None, "Hello.")
    transcript = run_of(hello, hello, says("a", None, "Hello again."))

    assert transcript.folded == {"sent again with equal content": 1}
    assert transcript.steps[0].also_from == ("line 2",)
    assert [each.source_id for each in transcript.steps] == ["a", "a#2"]
    assert gaps(transcript, "duplicate_step") == [1]


def test_a_persons_no_is_a_decision_and_no_fault_of_the_tool() -> None:
    no = "The user doesn't want to proceed with this tool use. The tool use was rejected."
    transcript = run_of(
        says("a", None, "Clean up."),
        replies("b", "a", "msg_1", use("tu_1", command="rm -rf /")),
        says("c", "b", result("tu_1", no, is_error=True), toolUseResult="User rejected tool use"),
    )
    tool, decision = step(transcript, "tu_1"), transcript.steps[-1]

    assert tool.status is StepStatus.CANCELLED
    assert tool.parts[-1].capture == {"text": "absent"}
    assert transcript.actor_of(decision).kind is ActorKind.HUMAN
    assert (decision.kind, decision.text) == (StepKind.DECISION, no)


def test_an_interruption_is_a_decision_of_the_person() -> None:
    transcript = run_of(
        says("a", None, "Go."),
        replies("b", "a", "msg_1", text("Going")),
        says("c", "b", [text("[Request interrupted by user]")]),
    )

    assert transcript.steps[-1].parts[0].kind is PartKind.DECISION
    assert transcript.actor_of(transcript.steps[-1]).kind is ActorKind.HUMAN


def test_retries_of_the_interface_are_told_with_their_reason() -> None:
    def error(uuid: str, parent: str, attempt: int) -> dict[str, Any]:
        body = {"error": {"type": "overloaded_error", "message": "Overloaded"}}
        more = {"subtype": "api_error", "error": {"status": 529, "error": body}}
        return line(uuid, parent, "system", retryAttempt=attempt, maxRetries=10, **more)

    transcript = run_of(
        says("a", None, "Go."),
        error("b", "a", 1),
        error("c", "b", 2),
        replies("d", "c", "msg_1", text("Here.")),
    )
    reply = step(transcript, "msg_1")

    assert links(transcript, LinkKind.RETRY_OF) == [("b", "c"), ("c", "msg_1")]
    assert (reply.attempt, reply.attempt_reason) == (3, "Overloaded")
    assert step(transcript, "b").status is StepStatus.ERROR
    assert gaps(transcript, "retry_without_reason") == []


def test_a_summary_is_an_interpretation_by_the_program() -> None:
    transcript = run_of(
        {"type": "summary", "summary": "What came of it", "leafUuid": "b"},
        says("a", None, "Go."),
        replies("b", "a", "msg_1", text("Done.")),
        line("c", "b", "system", subtype="compact_boundary", content="Conversation compacted"),
        says("d", "c", "So far: done.", isCompactSummary=True),
    )
    told = [
        (transcript.actor_of(s).kind, s.parts[0].kind, s.text)
        for s in transcript.steps
        if transcript.actor_of(s).kind is ActorKind.HARNESS
    ]

    assert told == [
        (ActorKind.HARNESS, PartKind.INTERPRETATION, "What came of it"),
        (ActorKind.HARNESS, PartKind.STATE, "Conversation compacted"),
        (ActorKind.HARNESS, PartKind.INTERPRETATION, "So far: done."),
    ]


def test_notes_are_context_and_unknown_kinds_are_named() -> None:
    empty = {"messageId": "a", "trackedFileBackups": {}}
    files = {"messageId": "a", "trackedFileBackups": {"x.py": {"version": 1}}}
    transcript = run_of(
        says("a", None, "Go."),
        {"type": "file-history-snapshot", "messageId": "a", "snapshot": empty},
        {"type": "file-history-snapshot", "messageId": "a", "snapshot": files},
        {"type": "queue-operation", "operation": "enqueue", "sessionId": SESSION},
        {"type": "hologram", "sessionId": SESSION},
    )

    assert [(r.pointer, r.fate) for r in transcript.records] == [
        ("line 2", Fate.CONTEXT),
        ("line 4", Fate.CONTEXT),
        ("line 5", Fate.UNMAPPED),
    ]
    assert [s.text for s in transcript.steps if s.kind is StepKind.STATE] == ["x.py"]
    assert any("hologram (1)" in gap.detail for gap in transcript.gaps)


def subagent_lines(**more: Any) -> list[dict[str, Any]]:
    side = {"isSidechain": True, **more}
    return [
        says("h1", None, "Look around.", **side),
        replies("h2", "h1", "msg_h1", use("tu_h", command="ls"), **side),
        says("h3", "h2", result("tu_h", "x.py"), **side),
        replies("h4", "h3", "msg_h2", text("There is x.py."), **side),
    ]


def main_lines() -> list[dict[str, Any]]:
    task = use("tu_1", "Task", subagent_type="Explore", prompt="Look around.")
    return [
        says("a", None, "What is there?"),
        replies("b", "a", "msg_1", task),
        says("c", "b", result("tu_1", "There is x.py."), toolUseResult={"agentId": "a17"}),
        replies("d", "c", "msg_2", text("x.py.")),
    ]


def bundle(**files: bytes) -> bytes:
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def test_a_subagents_file_alone_is_a_run_below_its_session() -> None:
    transcript = run_of(*subagent_lines(agentId="a17"))

    assert (transcript.external_id, transcript.parent_run) == ("s-1/a17", "s-1")
    assert transcript.parent_relation == "subagent"
    assert transcript.task_text == "Look around."


def test_a_session_and_its_subagent_in_one_bundle_are_one_run() -> None:
    content = bundle(
        **{"p/s-1.jsonl": lines(*main_lines()), "p/agent-a17.jsonl": lines(*subagent_lines())}
    )
    (run,) = intake.take(content).runs
    transcript = run.transcript
    subagent = transcript.actor_by_key["Explore a17"]

    assert [s.source_id for s in transcript.steps] == [
        *("a", "msg_1", "tu_1", "h1", "msg_h1", "tu_h", "msg_h2", "msg_2"),
    ]
    assert (subagent.role, subagent.instance, subagent.parent) == ("Explore", "s-1/a17", "main")
    assert links(transcript, LinkKind.SPAWN) == [("tu_1", "h1")]
    assert links(transcript, LinkKind.JOIN) == [("msg_h2", "msg_2")]
    assert step(transcript, "tu_h").pointer == "p/agent-a17.jsonl: line 2"
    assert step(transcript, "h1").actor == "main"


def test_a_note_beside_a_subagents_file_tells_its_call() -> None:
    first, asks, answer, last = main_lines()
    answer.pop("toolUseResult")
    asks["message"]["content"][0]["input"]["prompt"] = "Said otherwise."
    note = b'{"agentType": "Explore", "toolUseId": "tu_1"}'
    content = bundle(
        **{
            "p/s-1.jsonl": lines(first, asks, answer, last),
            "p/s-1/subagents/agent-a17.jsonl": lines(*subagent_lines()),
            "p/s-1/subagents/agent-a17.meta.json": note,
        }
    )
    taken = intake.take(content)
    (run,) = taken.runs

    assert links(run.transcript, LinkKind.SPAWN) == [("tu_1", "h1")]
    assert taken.refusals == ()
    assert [r.label for r in run.transcript.records] == ["note on a subagent"]


def test_an_inline_subagent_is_known_by_its_prompt() -> None:
    first, asks, *rest = main_lines()
    rest[0].pop("toolUseResult")
    transcript = run_of(first, asks, *subagent_lines(), *rest)

    assert links(transcript, LinkKind.SPAWN) == [("tu_1", "h1")]
    assert [k.rule for k in transcript.links if k.kind is LinkKind.SPAWN] == ["prompt of the call"]
    assert step(transcript, "msg_h1").actor == "Explore h1"


def test_many_lines_take_linear_time() -> None:
    def seconds(count: int) -> float:
        given = [says("0", None, "Go.")]
        given += [replies(f"{n}", f"{n - 1}", f"m{n}", text("On.")) for n in range(1, count)]
        content = lines(*given)
        begin = time.perf_counter()
        intake.take(content)
        return time.perf_counter() - begin

    small = min(seconds(1_000) for _ in range(3))
    assert min(seconds(8_000) for _ in range(2)) < 8 * 3 * small


def test_the_session_without_some_results_has_the_counts_of_the_survey() -> None:
    transcript = real_run("claude-code/session-2.0.14.missing-tool-results.jsonl")
    answered = [s for s in tools(transcript) if len(s.parts) == 2]
    split = [s for s in transcript.steps if s.kind is not StepKind.TOOL and s.also_from]

    assert (len(tools(transcript)), len(answered), len(split)) == (23, 20, 8)
    assert len(gaps(transcript, "request_without_response")) == 3


def test_the_edge_cases_have_the_counts_of_the_survey() -> None:
    taken = real("claude-code/edge_cases.jsonl")
    transcript = taken.runs[0].transcript

    assert len(taken.refusals) == 3
    assert len(tools(transcript)) == 3
    assert sum(len(s.parts) == 2 for s in tools(transcript)) == 1
    assert gaps(transcript, "missing_parent") == [step(transcript, "msg_004").number]


def test_the_real_session_and_subagent_are_joined() -> None:
    folder = path_of("formats/claude-code")
    names = ("agent_session.jsonl", "agent-atest01.jsonl")
    content = bundle(**{name: (folder / name).read_bytes() for name in names})
    (run,) = intake.take(content).runs

    assert len(links(run.transcript, LinkKind.SPAWN)) == 1
    assert len(links(run.transcript, LinkKind.JOIN)) == 1
    assert "Explore atest01" in run.transcript.actor_by_key


def test_an_image_in_a_result_is_kept() -> None:
    (tool,) = tools(real_run("claude-code/tool-result-image.jsonl"))

    assert tool.parts[1].data["type"] == "image"


def queue(operation: str, said: Any = None) -> dict[str, Any]:
    content = {} if said is None else {"content": said}
    when = "2026-03-01T10:00:00.000Z"
    kind = {"type": "queue-operation", "operation": operation, "timestamp": when}
    return {**kind, "sessionId": SESSION, **content}


@pytest.mark.parametrize(
    "note", [queue("enqueue", "Stop."), {"type": "file-history-snapshot", "messageId": "m"}]
)
def test_a_fragment_of_notes_alone_is_refused_as_one(note: Any) -> None:
    with pytest.raises(Unreadable, match="only notes"):
        intake.take(lines(note))


STEERED = [{"type": "text", "text": "Parser first."}]


@pytest.mark.parametrize(
    ("notes", "heard"),
    [
        ([queue("remove", "Parser first.")], ["Parser first."]),
        ([queue("enqueue", STEERED), queue("remove")], ["Parser first."]),
        (
            [queue("enqueue", "Later."), queue("dequeue"), queue("remove", "Parser first.")],
            ["Parser first."],
        ),
        ([queue("enqueue", "Parser first."), queue("popAll"), queue("remove")], []),
        ([queue("enqueue", "Thanks."), queue("remove")], []),
        ([queue("remove", []), queue("oops"), {**queue("x"), "operation": {}}], []),
    ],
)
def test_words_that_steer_an_agent_at_work_are_told_once(
    notes: list[Any], heard: list[str]
) -> None:
    transcript = run_of(
        says("u1", None, "Go."),
        replies("a1", "u1", "m1", {"type": "text", "text": "Going."}),
        *notes,
        says("u2", "a1", "Thanks."),
    )
    inputs = [step.parts[0].text for step in transcript.steps if step.kind is StepKind.INPUT]
    assert inputs == ["Go.", *heard, "Thanks."]
    people = {actor.key for actor in transcript.actors if actor.kind is ActorKind.HUMAN}
    assert {step.actor for step in transcript.steps if step.kind is StepKind.INPUT} == people


def test_an_agent_id_beside_a_result_names_the_subagent_that_it_is_of() -> None:
    task = {"type": "tool_use", "id": "c1", "name": "Task", "input": {"subagent_type": "Explore"}}
    result = {"type": "tool_result", "tool_use_id": "c1", "content": "Found."}
    words = {"type": "text", "text": "Looking."}
    transcript = run_of(
        replies("a1", None, "m1", task),
        says("u1", "a1", [result], agentId="h1", toolUseResult={"status": None}),
        replies("h1", None, "m2", words, isSidechain=True, agentId="h1"),
    )
    (spawn,) = [link for link in transcript.links if link.kind is LinkKind.SPAWN]
    assert (transcript.steps[spawn.source].tool, spawn.recorded) == ("Task", True)
    assert transcript.steps[spawn.target].actor == "Explore h1"
