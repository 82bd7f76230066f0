"""MAST's records: raw logs as steps, three annotators kept apart, nothing judged in a step."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.real import content_of
from tests.traces.formats.frameworks import outline, read, taken, texts
from traces.formats import intake
from traces.formats.base import Unreadable
from traces.transcript import ActorKind, Outcome


def record(trace: Any, **more: Any) -> dict[str, Any]:
    return {
        "round": "Round 1",
        "mas_name": "AG2",
        "benchmark_name": "Sums",
        "trace_id": 2,
        "trace": trace if isinstance(trace, str) else json.dumps(trace),
    } | more


MODE = {
    "failure mode": "1.3 Step repetition\n\nzebra is the definition.",
    "annotator_1": True,
    "annotator_2": False,
    "annotator_3": True,
}
CHAT = {
    "problem_statement": ["1 + 1?"],
    "trajectory": [
        {"content": ["Add", "them."], "role": "assistant", "name": "planner"},
        {"content": "Two.", "role": "user", "name": "solver"},
    ],
    "other_data": {"answer": "zebra"},
    "note": {"text": ["zebra"]},
}


def test_a_record_without_a_trace_is_refused() -> None:
    result = taken([record(CHAT), record("")])

    assert [refusal.position for refusal in result.refusals] == ["/1"]


def test_other_traces_fit_no_format() -> None:
    with pytest.raises(Unreadable, match="No known format"):
        taken({"trace": "x", "name": "y"})


def test_a_chat_is_read_by_names_with_its_lines_put_together() -> None:
    transcript = read(record(CHAT))

    assert outline(transcript) == [
        ("message", "planner", "Add\nthem."),
        ("message", "solver", "Two."),
    ]
    assert transcript.external_id == "AG2/Sums/Round 1 2"
    assert transcript.task_text == "1 + 1?"
    assert transcript.outcome is Outcome.UNKNOWN


def test_what_judges_the_trace_is_withheld() -> None:
    transcript = read(record(CHAT, annotations=[MODE]))

    assert set(transcript.withheld) == {"other_data", "note"}
    assert not any("zebra" in text for text in texts(transcript))


def test_each_annotator_has_an_opinion_of_each_mode() -> None:
    opinions = read(record(CHAT, annotations=[MODE])).opinions

    assert [(each.source, each.data["present"]) for each in opinions] == [
        ("MAST annotator 1", True),
        ("MAST annotator 2", False),
        ("MAST annotator 3", True),
    ]
    assert {(each.reason, each.data["number"], each.data["taxonomy"]) for each in opinions} == {
        ("Step repetition", "1.3", "Round 1")
    }
    assert {(each.native_step, each.step, each.actor) for each in opinions} == {("", None, "")}


def test_the_judge_of_the_full_set_is_a_source_of_its_own() -> None:
    given = record({"trajectory": "one\ntwo"}, mast_annotation={"1.1": 0, "1.2": None, "1.3": 1})

    assert [(each.source, each.data["present"]) for each in read(given).opinions] == [
        ("MAST judge", 0),
        ("MAST judge", None),
        ("MAST judge", 1),
    ]


def test_a_log_is_read_by_its_entries() -> None:
    log = (
        "=== started ===\n"
        "[2025-03-27 01:21:03] FROM: Human TO: {'<all>'}\nCONTENT:\n2 + 2?\n\n"
        "2025-03-27 01:21:04 | INFO | roles:_act:391 - Alice(Coder): to do\nFour.\n"
    )
    transcript = read(record(log))

    assert [(role, text.split("\n")[0][:16]) for _, role, text in outline(transcript)] == [
        ("log", "=== started ==="),
        ("Human", "[2025-03-27 01:2"),
        ("Alice (Coder)", "2025-03-27 01:21"),
    ]
    assert [step.parts[0].data["lines"] for step in transcript.steps] == [[1, 1], [2, 4], [6, 7]]
    assert [transcript.actor_of(step).kind for step in transcript.steps] == [
        ActorKind.HARNESS,
        ActorKind.HUMAN,
        ActorKind.AGENT,
    ]


def test_a_log_without_entries_is_read_by_lines() -> None:
    transcript = read(record("one\n\ntwo"))

    assert [step.source_id for step in transcript.steps] == ["line 1", "line 3"]


def test_a_trace_with_a_name_is_known_by_it() -> None:
    assert read(record(CHAT, trace_id="merge")).external_id == "AG2/Sums/merge"


def test_the_real_sample_has_its_labels() -> None:
    content = content_of("mast/mad_human_sample.json")
    runs = [run.transcript for run in intake.take(content).runs]

    assert [len(run.opinions) for run in runs] == [
        3 * len(each["annotations"]) for each in json.loads(content)
    ]
    assert [len(run.steps) for run in runs[:2]] == [10, 4]


def test_the_real_chats_keep_every_message() -> None:
    for name in ("", "_batch2", "_batch3", "_batch4"):
        content = content_of(f"mast/dogfood_ag2/raw_ag2_records{name}.json")
        lengths = [len(json.loads(each["trace"])["trajectory"]) for each in json.loads(content)]

        assert [len(run.transcript.steps) for run in intake.take(content).runs] == lengths
