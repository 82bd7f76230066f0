"""Names in labels: capitals make no other actor; the sets' real labels name who spoke."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.real import content_of, contents_of
from traces.formats import intake
from traces.formats.steps.labels import label_gaps
from traces.transcript import Opinion, Part, PartKind, Step, StepKind


def opinion(actor: str) -> Opinion:
    return Opinion("a labeller", native_step="1", base=1, step=0, actor=actor)


STEP = Step(0, "0", "WebSurfer", StepKind.MESSAGE, (Part(PartKind.MESSAGE, "Hi."),))


@pytest.mark.parametrize(("actor", "misfits"), [("Websurfer", 0), ("WebSurfer", 0), ("Surfer", 1)])
def test_capitals_make_no_other_actor(actor: str, misfits: int) -> None:
    assert len(list(label_gaps([opinion(actor)], [STEP]))) == misfits


def test_labels_of_agentrx_name_the_message_that_they_count() -> None:
    runs = {
        run.transcript.task_id: run.transcript
        for run in intake.take(content_of("agentrx/tau_retail/tau_dataset_failed.json")).runs
    }
    labels = intake.take(content_of("agentrx/ground_truth/tau_ground_truth.json")).labels

    for label in labels:
        number = int(label.opinion.native_step) - label.opinion.base
        step = runs[label.names[0]].steps[number]
        assert f"/traj/{number}" in (step.pointer, *step.also_from)
        assert label.opinion.actor.casefold() == step.actor.casefold()


@pytest.mark.parametrize(
    ("name", "length"),
    [
        ("algorithm-generated-108", 10),
        ("algorithm-generated-17", 10),
        ("algorithm-generated-70", 6),
        ("hand-crafted-16", 21),
        ("hand-crafted-25", 20),
        ("hand-crafted-6", 8),
    ],
)
def test_who_and_when_keeps_each_entry_of_its_history(name: str, length: int) -> None:
    (run,) = intake.take(content_of(f"formats/who-and-when/{name}.json")).runs

    assert len(run.transcript.steps) == length
    assert len(run.transcript.opinions) == 1


def test_the_six_known_misfits_of_who_and_when_are_told() -> None:
    found = Counter(
        gap.kind
        for content in contents_of("whowhen/*/*.json")
        for run in intake.take(content).runs
        for gap in run.transcript.gaps
        if gap.kind.startswith("label_")
    )

    # Five of the six are in the shared part of the set, and all labels are in range.
    assert found == {"label_mismatch": 5}
