"""A label sheet of AgentRx beside the transcripts it names: runs get the names that labels use."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

from tests.real import DATA, content_of
from tests.traces.formats.agentrx.test_agentrx import sheet
from tests.traces.formats.test_magentic_one import TALK
from traces.formats import intake
from traces.formats.intake import Intake


def bundle(**files: Any) -> Intake:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, value in files.items():
            content = value if isinstance(value, bytes) else json.dumps(value)
            archive.writestr(f"set/{name}.json", content)
    return intake.take(packed.getvalue())


def test_a_sheet_that_names_no_transcript_is_read_by_itself() -> None:
    taken = bundle(labels=[sheet(trajectory_id="elsewhere")], **{"t-1": TALK})

    assert [run.format for run in taken.runs] == ["magentic_one@1"]
    assert len(taken.labels) == 2


def test_a_broken_transcript_costs_no_other() -> None:
    taken = bundle(labels=[sheet(), sheet(trajectory_id="t-2")], **{"t-1": TALK, "t-2": [*TALK, 7]})

    assert len(taken.runs) == 2
    assert [refusal.position for refusal in taken.refusals] == ["set/t-2.json: /6"]


def test_transcripts_are_called_as_their_labels_call_them() -> None:
    taken = bundle(labels=[sheet()], **{"t-1": TALK, "t-9": TALK[:5]})

    assert sorted(run.transcript.task_id for run in taken.runs) == ["t-1", "t-9"]
    (joined,) = [run for run in taken.runs if run.transcript.task_id == "t-1"]
    assert joined.pointer == "set/t-1.json: "
    assert joined.transcript.steps[0].pointer == "/0"
    assert {label.names for label in taken.labels} == {("t-1",)}
    assert [label.pointer for label in taken.labels] == [
        "set/labels.json: /0/failures/0",
        "set/labels.json: /0/failures/1",
    ]
    assert joined.transcript.opinions == ()


def test_the_real_excerpt_finds_its_three_transcripts() -> None:
    excerpt = content_of("formats/agentrx-magentic-one/ground-truth.excerpt.json")
    folder = DATA / "formats" / "agentrx-magentic-one"
    lists = {path.stem: path.read_bytes() for path in folder.glob("[0-9]*.json")}
    taken = bundle(labels=excerpt, **lists)

    assert {run.transcript.task_id for run in taken.runs} == set(lists)
    assert {label.names[0] for label in taken.labels} == set(lists)
