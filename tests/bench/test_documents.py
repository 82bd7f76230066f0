"""The made-up runs are what they claim to be: read without a refusal, of the promised size."""

from __future__ import annotations

import pytest

from traces.bench import documents
from traces.formats import intake
from traces.transcript import LinkKind, Outcome, PartKind


@pytest.mark.parametrize("failed", [False, True])
def test_a_made_up_run_is_read_whole(failed: bool) -> None:
    taken = intake.take(documents.content("one", steps=60, failed=failed))
    (run,) = taken.runs
    transcript = run.transcript
    assert taken.refusals == ()
    assert len(transcript.steps) == 60
    assert transcript.outcome is (Outcome.FAILED if failed else Outcome.SUCCEEDED)
    assert len(transcript.failures) == failed
    kinds = {part.kind for _, _, part in transcript.citable()}
    assert kinds == set(PartKind) - {PartKind.INPUT, PartKind.ERROR}


def test_a_step_has_about_a_kilobyte_of_text_and_recorded_links() -> None:
    (run,) = intake.take(documents.content("one", steps=500)).runs
    texts = [len(step.text) for step in run.transcript.steps]
    assert 950 < sum(texts) / len(texts) < 1_100
    linked = {link.target for link in run.transcript.links if link.kind is LinkKind.CONSUMES}
    assert linked == set(range(1, 500))


def test_the_same_name_gives_the_same_run_and_another_name_another_one() -> None:
    assert documents.content("one", steps=9) == documents.content("one", steps=9)
    assert documents.content("one", steps=9) != documents.content("two", steps=9)
