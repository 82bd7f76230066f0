"""OpenHands: causes are proof, times without a zone place nothing, and a judge's word is hidden."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.traces.formats.logs import gaps, lines, links, real, real_run, run_of, step, tools
from traces.formats import intake
from traces.formats.base import Unreadable
from traces.transcript import ActorKind, Fate, LinkKind, Outcome, PartKind, StepKind, StepStatus


def action(name: int, kind: str, source: str = "agent", **args: Any) -> dict[str, Any]:
    when = f"2025-01-27T22:44:{name:02d}.900854"
    return {"id": name, "timestamp": when, "source": source, "action": kind, "args": args}


def seen(name: int, kind: str, cause: int | None, content: str, **extras: Any) -> dict[str, Any]:
    found = {"id": name, "source": "environment", "observation": kind, "content": content}
    return {**found, "extras": extras, **({} if cause is None else {"cause": cause})}


EVENTS = [
    action(0, "message", "user", content="List the files."),
    action(3, "run", command="ls", thought="I look."),
    seen(4, "run", 3, "x.py", metadata={"exit_code": 0}),
    action(5, "finish", final_thought="There is x.py.", task_completed="true"),
]


def test_a_line_of_an_evaluation_without_events_is_refused() -> None:
    good = {"instance_id": "a", "history": EVENTS}
    taken = intake.take(lines(good, {"instance_id": "b", "history": []}))

    assert [refusal.position for refusal in taken.refusals] == ["line 2"]
    with pytest.raises(Unreadable, match="no action and no observation"):
        intake.take(lines(action(1, "change_agent_state"), action(2, "null")))


def test_events_are_told_step_by_step() -> None:
    transcript = run_of(*EVENTS)

    assert [(s.source_id, s.actor, s.kind.value, s.text) for s in transcript.steps] == [
        ("0", "user", "input", "List the files."),
        ("3.reply", "agent", "decision", "I look."),
        ("3", "agent", "tool", '{"command":"ls"}\nx.py'),
        ("5", "agent", "message", "There is x.py."),
    ]
    assert step(transcript, "3").status is StepStatus.OK
    assert [(r.value, r.by) for r in transcript.reports] == [("true", "agent")]
    assert transcript.outcome is Outcome.UNKNOWN


def test_times_without_a_zone_are_kept_and_place_nothing() -> None:
    transcript = run_of(*EVENTS)

    assert transcript.steps[0].started_at is None
    assert transcript.steps[0].parts[0].data["local_time"] == "2025-01-27T22:44:00.900854"
    assert gaps(transcript, "implausible_values") == [None]


@pytest.mark.parametrize("seed", range(4))
def test_the_ids_are_the_order(seed: int) -> None:
    shuffled = list(EVENTS)
    random.Random(seed).shuffle(shuffled)

    assert [s.source_id for s in run_of(*shuffled).steps] == ["0", "3.reply", "3", "5"]


def test_an_observation_without_its_action_stands_alone() -> None:
    transcript = run_of(EVENTS[0], seen(9, "run", 8, "lost"))

    assert gaps(transcript, "missing_parent") == [1]
    assert gaps(transcript, "response_without_request") != []


def test_an_error_belongs_to_its_cause_and_a_rejection_to_the_person() -> None:
    transcript = run_of(
        action(1, "run", command="a"),
        seen(2, "error", 1, "It broke."),
        action(3, "run", command="b"),
        seen(4, "user_rejected", 3, "Action has been rejected by the user!"),
    )

    assert step(transcript, "1").status is StepStatus.ERROR
    assert step(transcript, "3").status is StepStatus.CANCELLED
    assert transcript.actor_of(transcript.steps[-1]).kind is ActorKind.HUMAN
    assert transcript.steps[-1].kind is StepKind.DECISION


def test_actions_of_one_response_are_one_decision() -> None:
    def asked(name: int, call: str) -> dict[str, Any]:
        calls = [
            {"id": each, "function": {"name": "bash", "arguments": f'{{"n": "{each}"}}'}}
            for each in ("c-1", "c-2")
        ]
        response = {"id": "resp-1", "model": "m-1", "choices": [{"message": {"tool_calls": calls}}]}
        metadata = {"function_name": "bash", "tool_call_id": call, "model_response": response}
        return action(name, "run", command=call) | {"tool_call_metadata": metadata}

    transcript = run_of(asked(1, "c-1"), asked(2, "c-2"))

    assert links(transcript, LinkKind.CONSUMES) == [("resp-1", "1"), ("resp-1", "2")]
    assert [s.parts[0].text for s in tools(transcript)] == ['{"n": "c-1"}', '{"n": "c-2"}']
    assert transcript.actor_by_key["agent"].model == "m-1"


def test_a_delegate_acts_between_the_call_and_its_answer() -> None:
    transcript = run_of(
        action(1, "delegate", agent="BrowsingAgent", inputs={"task": "Look."}, thought="Help."),
        action(2, "browse", url="http://example.com"),
        seen(3, "browse", 2, "A page."),
        seen(4, "delegate", 1, "It is a page.", outputs={}),
        action(5, "message", content="A page."),
    )

    assert step(transcript, "2").actor == "BrowsingAgent 1"
    assert transcript.actor_by_key["BrowsingAgent 1"].parent == "agent"
    assert links(transcript, LinkKind.SPAWN) == [("1", "2.reply")]
    assert links(transcript, LinkKind.JOIN) == [("2", "5")]
    assert step(transcript, "5").actor == "agent"


def test_tests_decide_and_a_judge_is_hidden() -> None:
    line = {
        "instance_id": "repo-1",
        "instruction": "Fix it.",
        "history": EVENTS,
        "metadata": {"agent_class": "CodeActAgent", "llm_config": {"model": "m-1"}},
        "base_commit": "abc",
        "git_patch": "diff --git a/x b/x",
        "test_result": {"report": {"resolved": False}},
        "success": True,
        "result_explanation": "Fine, says the zebra.",
    }
    transcript = run_of(line)
    said = [part.text for each in transcript.steps for part in each.parts]

    assert transcript.outcome is Outcome.FAILED
    assert [failure.check for failure in transcript.failures] == ["resolved"]
    assert [opinion.reason for opinion in transcript.opinions] == ["Fine, says the zebra."]
    assert not any("zebra" in each for each in (*said, *map(str, transcript.gaps)))
    assert (transcript.task_id, transcript.task_text) == ("repo-1", "Fix it.")
    assert transcript.initial_state["digest"] == "abc"
    assert "diff --git a/x b/x" in said
    assert "test_result" in transcript.withheld


def test_pairs_of_actions_and_observations_are_read() -> None:
    pairs = [[EVENTS[0], {}], [EVENTS[1], EVENTS[2]]]
    transcript = run_of({"instance_id": "a", "history": pairs})

    assert step(transcript, "3").also_from == ("/history/1/1",)


def v1(name: str, kind: str, source: str = "agent", **more: Any) -> dict[str, Any]:
    return {
        "id": name,
        "kind": kind,
        "source": source,
        "timestamp": "2026-06-16T05:39:18.8",
        **more,
    }


def test_events_of_the_sdk_are_told_step_by_step() -> None:
    asked = {"tool_name": "terminal", "tool_call_id": "c-1", "llm_response_id": "r-1"}
    call = {"id": "c-1", "name": "terminal", "arguments": '{"command": "ls"}'}
    content = [{"type": "text", "text": "no such folder"}]
    hello = {"role": "user", "content": [{"type": "text", "text": "List."}]}
    thought = [{"type": "text", "text": "Look."}]
    transcript = run_of(
        v1("a", "MessageEvent", "user", llm_message=hello),
        v1("b", "ActionEvent", thought=thought, tool_call=call, **asked),
        v1(
            "c",
            "ObservationEvent",
            "environment",
            action_id="b",
            observation={"content": content, "is_error": False, "exit_code": 2},
            tool_call_id="c-1",
        ),
        v1("d", "ConversationStateUpdateEvent", key="execution_status", value="finished"),
        v1("e", "Hologram"),
    )

    assert [(s.source_id, s.kind.value, s.text) for s in transcript.steps] == [
        ("a", "input", "List."),
        ("r-1", "decision", "Look."),
        ("b", "tool", '{"command": "ls"}\nno such folder'),
    ]
    assert step(transcript, "b").status is StepStatus.ERROR
    assert [(r.value, r.by) for r in transcript.reports] == [("finished", "framework")]
    assert [r.label for r in transcript.records if r.fate is Fate.UNMAPPED] == ["Hologram"]


def test_the_real_events_have_the_counts_of_the_survey() -> None:
    older = real_run("openhands/v0-events.basic.json")
    newer = real_run("openhands/v1-sdk.events.jsonl")
    orphan = [s for s in tools(newer) if newer.actor_of(s).kind is ActorKind.TOOL]

    # Of four events, one is an action and one what came of it.
    assert [s.source_id for s in older.steps if s.kind is not StepKind.DECISION] == ["0", "3", "5"]
    assert step(older, "3").also_from == ("/2",)
    assert (len(tools(newer)), len(orphan)) == (3, 1)
    assert sum(r.label.startswith("state") for r in newer.records) == 5
    assert gaps(newer, "missing_parent") == [orphan[0].number]


def test_the_real_resolver_writes_a_run_a_line() -> None:
    taken = real("openhands/v0-resolver.output.jsonl")
    judged = [opinion.data["success"] for run in taken.runs for opinion in run.transcript.opinions]

    assert taken.refusals == ()
    assert len(taken.runs) == len(judged) > 1
    assert all(run.transcript.outcome is Outcome.UNKNOWN for run in taken.runs)
    assert all(
        part.kind is not PartKind.VERIFICATION
        for run in taken.runs
        for each in run.transcript.steps
        for part in each.parts
    )


def test_arguments_that_are_no_json_are_kept_as_written() -> None:
    response = {
        "id": "r",
        "choices": [{"message": {"tool_calls": [{"id": "c", "function": {"arguments": "{oops"}}]}}],
    }
    metadata = {"function_name": "bash", "tool_call_id": "c", "model_response": response}
    event = action(1, "run", command="x") | {"tool_call_metadata": metadata}
    transcript = run_of(event)

    assert tools(transcript)[0].parts[0].text == "{oops"
    assert gaps(transcript, "malformed_arguments") == [1]


@pytest.mark.parametrize("images", [3, True, "a", {"a": 1}, None, ["a", "b"]])
def test_images_of_a_prompt_are_counted_and_odd_ones_survived(images: Any) -> None:
    told = run_of(action(1, "message", "user", content="Look.", image_urls=images), *EVENTS[1:])
    found = told.steps[0].parts[0].data.get("images")
    assert found == (2 if isinstance(images, list) else None)
