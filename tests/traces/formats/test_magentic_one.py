"""Magentic-One: roles with routing, read as Who&When reads them, with other people's ids."""

from __future__ import annotations

import io
import json
import zipfile

import pytest

from tests.real import content_of, contents_of
from tests.traces.formats.frameworks import gap_kinds, links, outline, read, taken
from traces.formats import intake
from traces.formats.base import Unreadable
from traces.transcript import LinkKind, Outcome, StepKind

TALK = [
    {"role": "human", "content": "How many?"},
    {"role": "Orchestrator (thought)", "content": "Plan first."},
    {"role": "Orchestrator (-> WebSurfer)", "content": "Look it up."},
    {"role": "Orchestrator (thought)", "content": "Next."},
    {"role": "WebSurfer", "content": "Eleven."},
    {"role": "Orchestrator (termination condition)", "content": "Max rounds reached.\nnoise"},
]


def test_an_entry_that_is_no_message_is_refused() -> None:
    result = taken([*TALK, {"role": "WebSurfer"}])

    assert [refusal.position for refusal in result.refusals] == ["/6"]
    assert "undecodable_step" in gap_kinds(result.runs[0].transcript)


def test_plain_messages_are_left_to_others() -> None:
    assert read([{"role": "user", "content": "Hi"}]).schema == "messages"


def test_labels_make_it_another_format() -> None:
    labelled = {"history": TALK, "question_ID": "q", "mistake_step": "1", "mistake_agent": "x"}

    assert read(labelled).schema == "whowhen"


def test_roles_tell_who_speaks_to_whom() -> None:
    transcript = read(TALK)

    assert outline(transcript) == [
        ("input", "human", "How many?"),
        ("message", "Orchestrator", "Plan first."),
        ("handoff", "Orchestrator", "Look it up."),
        ("message", "Orchestrator", "Next."),
        ("message", "WebSurfer", "Eleven."),
        ("message", "Orchestrator", "Max rounds reached.\nnoise"),
    ]
    assert links(transcript, LinkKind.HANDOFF) == [(2, 4)]
    assert [step.pointer for step in transcript.steps][:2] == ["/0", "/1"]


def test_why_it_stopped_is_a_report_and_no_outcome() -> None:
    transcript = read(TALK)

    (report,) = transcript.reports
    assert (report.value, report.by, report.detail, report.step) == (
        "stopped",
        "framework",
        "Max rounds reached.",
        5,
    )
    assert transcript.outcome is Outcome.UNKNOWN


def test_what_stands_beside_a_history_is_withheld() -> None:
    transcript = read({"history": TALK, "question": "How many?", "ground_truth": "12"})

    assert transcript.withheld == {"ground_truth": "12"}
    assert transcript.steps[0].pointer == "/history/0"


def test_a_list_in_a_bundle_may_be_called_by_its_file() -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as bundle:
        bundle.writestr("set/t-1.json", json.dumps(TALK))
        bundle.writestr("set/t-2.json", json.dumps(TALK[:5]))

    runs = intake.take(packed.getvalue()).runs

    assert [run.transcript.task_id for run in runs] == ["t-1", "t-2"]


def test_messages_a_line_are_one_run() -> None:
    assert len(read(*TALK).steps) == len(TALK)


def test_nothing_but_broken_entries_is_refused() -> None:
    with pytest.raises(Unreadable):
        taken({"history": [], "question": "?"})


@pytest.mark.parametrize(
    ("stem", "count"),
    [
        ("0ec4371851b96837b0a81b3dd3df401415061bb532fbafeb4609f3337c358508", 32),
        ("14569e28-c88c-43e4-8c32-097d35b9a67d", 16),
        ("52f7224e9c79431e7926afe317782711a0028750693e7456cde22ef6f4bd8bd5", 21),
    ],
)
def test_the_real_transcripts_keep_every_message(stem: str, count: int) -> None:
    content = content_of(f"formats/agentrx-magentic-one/{stem}.json")
    transcript = intake.take(content).runs[0].transcript

    assert len(transcript.steps) == count == len(json.loads(content))


def test_all_of_the_set_are_recognised() -> None:
    runs = [intake.take(each).runs for each in contents_of("agentrx/magentic_dataset/*.json")]

    assert len(runs) == 41
    assert {run.format for (run,) in runs} == {"magentic_one@1"}
    assert all(StepKind.HANDOFF in {s.kind for s in run.transcript.steps} for (run,) in runs)
