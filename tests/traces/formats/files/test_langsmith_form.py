"""LangSmith's forms: what is none, what is cut, and that a form says what a batch of JSON says."""

from __future__ import annotations

import json
from typing import Any

import pytest
import zstandard

from traces.formats import intake
from traces.formats.base import Unreadable
from traces.formats.files import langsmith_form

ROOT = "0194d300-0000-7000-8000-000000000001"
ABOUT = {
    "id": ROOT,
    "trace_id": ROOT,
    "name": "ChatOpenAI",
    "run_type": "llm",
    "dotted_order": f"20260504T090000000000Z{ROOT}",
    "start_time": "2026-05-04T09:00:00+00:00",
}
SENT = {"messages": [{"role": "user", "content": "Refund A-17."}]}
GAVE = {"choices": [{"message": {"role": "assistant", "content": "Refunded."}}]}
ENDED = {"id": ROOT, "trace_id": ROOT, "end_time": "2026-05-04T09:00:02+00:00"}


def form(*parts: tuple[str, Any], ending: str = "--\r\n") -> bytes:
    lines = [
        f'--b0\r\nContent-Disposition: form-data; name="{name}"\r\n'
        f"Content-Type: application/json\r\n\r\n{json.dumps(value)}\r\n"
        for name, value in parts
    ]
    return ("".join(lines) + "--b0" + ending).encode()


WHOLE = form(
    (f"post.{ROOT}", ABOUT),
    (f"post.{ROOT}.inputs", SENT),
    (f"patch.{ROOT}", ENDED),
    (f"patch.{ROOT}.outputs", GAVE),
)


@pytest.mark.parametrize("other", [b"", b"--", b"--b0\r\nSubject: no form\r\n\r\n", b"-- a line\n"])
def test_what_is_no_form_of_langsmith_is_left_alone(other: bytes) -> None:
    assert langsmith_form.as_json(other) is None


def test_a_form_of_somebody_else_is_refused() -> None:
    with pytest.raises(Unreadable):
        intake.take(form(("file", {"id": 1})))


def test_a_form_says_what_a_batch_says() -> None:
    batch = {"post": [{**ABOUT, "inputs": SENT}], "patch": [{**ENDED, "outputs": GAVE}]}
    (sent,), (given,) = intake.take(WHOLE).runs, intake.take(json.dumps(batch).encode()).runs

    assert [step.text for step in given.transcript.steps] == ["Refund A-17.", "Refunded."]
    assert sent.transcript == given.transcript


def test_a_form_may_be_compressed() -> None:
    (run,) = intake.take(zstandard.ZstdCompressor().compress(WHOLE)).runs

    assert [step.text for step in run.transcript.steps] == ["Refund A-17.", "Refunded."]


def test_feedback_and_attachments_are_no_steps() -> None:
    judged = {"id": "f1", "run_id": ROOT, "key": "good", "score": 0, "comment": "Wrong."}
    content = form(
        (f"post.{ROOT}", ABOUT), ("feedback.f1", judged), (f"attachment.{ROOT}.picture", "…")
    )
    (run,) = intake.take(content).runs

    assert [opinion.reason for opinion in run.transcript.opinions] == ["Wrong."]
    assert run.transcript.unread["attachments"] == 1
    assert "Wrong." not in str(run.transcript.steps)


@pytest.mark.parametrize("end", range(1, len(WHOLE) - len("--b0--\r\n"), 7))
def test_a_form_that_was_cut_gives_what_came(end: int) -> None:
    try:
        taken = intake.take(WHOLE[:end])
    except Unreadable:
        return
    assert all("damaged" in {gap.kind for gap in run.transcript.gaps} for run in taken.runs)
