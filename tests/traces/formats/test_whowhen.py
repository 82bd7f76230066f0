"""Who&When: labels are kept apart and as they came, and never leak into the record."""

from __future__ import annotations

import json
import time
from dataclasses import asdict, replace
from typing import Any

import pytest

from tests.real import DATA
from traces import fingerprint
from traces.formats import intake, whowhen
from traces.transcript import (
    ActorKind,
    LinkKind,
    Opinion,
    PartKind,
    StepKind,
    StepStatus,
    Transcript,
)

SECRET = "seventeen-and-a-half"


def algorithm_generated(**changes: Any) -> dict[str, Any]:
    return {
        "is_correct": False,
        "question": "How many?",
        "question_ID": "q-1",
        "level": "2",
        "ground_truth": SECRET,
        "history": [
            {"content": "You are given a task.", "role": "assistant", "name": "Counting_Expert"},
            {"content": "```python\n1\n```", "role": "user", "name": "Counting_Expert"},
            {
                "content": "exitcode: 1 (execution failed)\nBoom",
                "role": "user",
                "name": "Computer_terminal",
            },
            {"content": "Eleven.", "role": "user", "name": "Checking_Expert"},
        ],
        "mistake_agent": "Counting_Expert",
        "mistake_step": "1",
        "mistake_reason": f"It is {SECRET}.",
        "system_prompt": {"Counting_Expert": "Count."},
    } | changes


def hand_crafted(**changes: Any) -> dict[str, Any]:
    return {
        "is_corrected": False,
        "question": "How many?",
        "question_ID": "q-1",
        "ground_truth": SECRET,
        "history": [
            {"content": "How many?", "role": "human"},
            {"content": "Plan first.", "role": "Orchestrator (thought)"},
            {"content": "Look it up.", "role": "Orchestrator (-> WebSurfer)"},
            {"content": "Next speaker WebSurfer", "role": "Orchestrator (thought)"},
            {"content": "I looked.", "role": "WebSurfer"},
            {
                "content": "The script ran, then exited with Unix exit code: 0",
                "role": "ComputerTerminal",
            },
            {"content": "Done.", "role": "Orchestrator (termination condition)"},
        ],
        "mistake_agent": "Orchestrator",
        "mistake_step": "2",
        "mistake_reason": "Wrong.",
    } | changes


def read(value: object) -> Transcript:
    (run,) = intake.take(json.dumps(value).encode()).runs
    return run.transcript


def gaps(value: object) -> list[str]:
    return [gap.kind for gap in read(value).gaps]


def test_without_a_history_it_is_refused() -> None:
    result = intake.take(b'{"mistake_step": "1", "history": "none"}')
    assert result.runs == ()
    assert "no list history" in result.refusals[0].reason


@pytest.mark.parametrize("value", [algorithm_generated(), hand_crafted()])
def test_neither_label_nor_answer_is_anywhere_but_in_opinion_and_withheld(value: object) -> None:
    transcript = read(value)
    shown = replace(transcript, opinions=(), withheld={})
    text = json.dumps(asdict(shown), default=str)
    assert SECRET not in text
    assert "mistake" not in text
    assert "ground_truth" not in text
    assert transcript.withheld["ground_truth"] == SECRET


def test_a_gap_about_a_label_does_not_say_what_the_label_is() -> None:
    transcript = read(algorithm_generated(mistake_step="3"))
    (gap,) = [gap for gap in transcript.gaps if gap.kind == "label_mismatch"]
    assert gap.step is None
    assert "Counting" not in gap.detail
    assert "3" not in gap.detail


@pytest.mark.parametrize("step", ["4", "-1", "1.5", "", "two", "99999999999", "²"])
def test_a_label_outside_the_run_is_kept_as_it_came_and_a_gap(step: str) -> None:
    transcript = read(algorithm_generated(mistake_step=step))
    (opinion,) = transcript.opinions
    assert (opinion.native_step, opinion.step) == (step, None)
    assert "label_out_of_range" in [gap.kind for gap in transcript.gaps]


def test_the_label_is_one_opinion_of_its_authors() -> None:
    (opinion,) = read(algorithm_generated(mistake_type="calculation")).opinions
    assert opinion == Opinion(
        source="Who&When (consensus of 3)",
        native_step="1",
        base=0,
        step=1,
        actor="Counting_Expert",
        reason=f"It is {SECRET}.",
        data={"mistake_type": "calculation"},
    )


def test_agents_are_compared_without_their_routing() -> None:
    assert "label_mismatch" not in gaps(hand_crafted())
    assert "label_mismatch" in gaps(hand_crafted(mistake_step="4"))


def test_an_entry_that_is_no_message_keeps_its_number_and_is_a_gap() -> None:
    history = [{"content": "a", "role": "human"}, 7, {"content": "b", "role": "WebSurfer"}]
    transcript = read(hand_crafted(history=history))
    assert [step.text for step in transcript.steps] == ["a", "7", "b"]
    assert "undecodable_step" in [gap.kind for gap in transcript.gaps]


@pytest.mark.parametrize("content", ["", None])
def test_empty_content_is_a_gap_at_its_step(content: str | None) -> None:
    history = [*hand_crafted()["history"], {"content": content, "role": "WebSurfer"}]
    (gap,) = [g for g in read(hand_crafted(history=history)).gaps if g.kind == "empty_content"]
    assert gap.step == 7


def test_the_index_in_the_history_is_the_number_of_the_step() -> None:
    steps = read(algorithm_generated()).steps
    assert [step.number for step in steps] == [0, 1, 2, 3]
    assert [step.pointer for step in steps] == [f"/history/{n}" for n in range(4)]


def test_the_halves_are_told_by_shape_and_share_no_id() -> None:
    assert read(algorithm_generated()).external_id == "q-1/algorithm-generated"
    assert read(hand_crafted()).external_id == "q-1/hand-crafted"


def test_speakers_come_from_the_name_else_from_the_role() -> None:
    assert [step.actor for step in read(algorithm_generated()).steps] == [
        "Counting_Expert",
        "Counting_Expert",
        "Computer_terminal",
        "Checking_Expert",
    ]
    assert list(dict.fromkeys(step.actor for step in read(hand_crafted()).steps)) == [
        "human",
        "Orchestrator",
        "WebSurfer",
        "ComputerTerminal",
    ]


def test_the_human_and_the_terminal_are_no_agents() -> None:
    kinds = {actor.key: actor.kind for actor in read(hand_crafted()).actors}
    assert kinds == {
        "human": ActorKind.HUMAN,
        "Orchestrator": ActorKind.AGENT,
        "WebSurfer": ActorKind.AGENT,
        "ComputerTerminal": ActorKind.TOOL,
    }


def test_thoughts_and_orders_of_the_orchestrator_are_told_apart() -> None:
    steps = read(hand_crafted()).steps
    assert [(step.kind, step.parts[0].kind) for step in steps] == [
        (StepKind.INPUT, PartKind.INPUT),
        (StepKind.MESSAGE, PartKind.INTERPRETATION),
        (StepKind.HANDOFF, PartKind.MESSAGE),
        (StepKind.MESSAGE, PartKind.INTERPRETATION),
        (StepKind.MESSAGE, PartKind.MESSAGE),
        (StepKind.TOOL, PartKind.TOOL_RESPONSE),
        (StepKind.MESSAGE, PartKind.MESSAGE),
    ]
    assert steps[2].parts[0].data == {"role": "Orchestrator (-> WebSurfer)", "to": "WebSurfer"}


def test_links_are_inferred_and_say_so() -> None:
    links = read(hand_crafted()).links
    assert not any(link.recorded for link in links)
    assert [(k.source, k.target) for k in links if k.kind is LinkKind.HANDOFF] == [(2, 4)]
    assert len([k for k in links if k.kind is LinkKind.FOLLOWS]) == 6


@pytest.mark.parametrize(
    ("output", "status"),
    [
        ("exitcode: 0 (execution succeeded)\nCode output: 17", StepStatus.OK),
        ("exitcode: 1 (execution failed)", StepStatus.ERROR),
        ("exitcode: 124 (execution failed)\nTimeout", StepStatus.TIMEOUT),
        ("There is no code from the last 1 message", StepStatus.NOT_CAPTURED),
        ("It printed exitcode: 0", StepStatus.NOT_CAPTURED),
    ],
)
def test_the_terminal_s_status_is_its_exit_code(output: str, status: StepStatus) -> None:
    history = [{"content": output, "role": "user", "name": "Computer_terminal"}]
    (step,) = read(algorithm_generated(history=history, mistake_step="0")).steps
    assert step.status is status


def test_it_failed_and_the_failure_does_not_tell_the_answer() -> None:
    (failure,) = read(algorithm_generated()).failures
    assert failure.statement == "The run's answer does not match the expected answer."
    assert (failure.expected, failure.exposed_by) == ("", None)


def test_a_run_that_was_right_has_no_failure() -> None:
    transcript = read(algorithm_generated(is_correct=True))
    assert (transcript.outcome, transcript.failures) == ("succeeded", ())


def test_the_same_run_gives_the_same_digest() -> None:
    assert fingerprint.digest(read(hand_crafted())) == fingerprint.digest(read(hand_crafted()))


FILES = sorted((DATA / "whowhen").glob("*/*.json"))
needs_files = pytest.mark.skipif(not FILES, reason="the Who&When files are not on this machine")


@needs_files
def test_all_files_that_are_here_are_read_with_their_labels() -> None:
    mismatches, labels = [], []
    for path in FILES:
        raw = json.loads(path.read_text())
        speakers = [turn.get("name") or turn["role"].split(" (")[0] for turn in raw["history"]]
        if speakers[int(raw["mistake_step"])] != raw["mistake_agent"]:
            mismatches.append(path)
        labels.append((raw["mistake_step"], raw["mistake_agent"], len(raw["history"])))
    read_mismatches, read_labels = [], []
    for path in FILES:
        result = intake.take(path.read_bytes())
        (run,) = result.runs
        assert result.refusals == ()
        (opinion,) = run.transcript.opinions
        assert opinion.step == int(opinion.native_step)
        read_labels.append((opinion.native_step, opinion.actor, len(run.transcript.steps)))
        if any(gap.kind == "label_mismatch" for gap in run.transcript.gaps):
            read_mismatches.append(path)
    assert read_labels == labels
    assert read_mismatches == mismatches
    assert len(FILES) == 129


@pytest.mark.parametrize(
    ("role", "speaker", "routing"),
    [
        ("Orchestrator (-> WebSurfer)", "Orchestrator", "-> WebSurfer"),
        ("Orchestrator (-> A (b)) ", "Orchestrator", "-> A (b)"),
        ("Orchestrator (thought", "Orchestrator (thought", ""),
        ("Orchestrator thought)", "Orchestrator thought)", ""),
        (" " * 400_000 + "x", " " * 400_000 + "x", ""),
        (" " * 400_000 + "x)", " " * 400_000 + "x)", ""),
    ],
)
def test_a_role_of_any_length_is_split_at_once(role: str, speaker: str, routing: str) -> None:
    began = time.monotonic()
    assert whowhen.speaker_of({"role": role}) == (speaker, routing)
    assert time.monotonic() - began < 1
