"""The made-up runs of the trace browser's bench are what it says: of all kinds, and comparable."""

from __future__ import annotations

import pytest

from traces.bench.stories import story
from traces.gaps import KINDS
from traces.transcript import LinkKind, Outcome, PartKind, StepStatus, Transcript


@pytest.fixture(scope="module")
def runs() -> tuple[Transcript, Transcript]:
    return story("one", steps=2_000, failed=True), story("one", steps=2_000, failed=False)


def test_the_same_task_gives_the_same_run_and_another_one_another(runs):
    assert story("one", steps=2_000, failed=True) == runs[0]
    assert story("two", steps=2_000, failed=True).steps != runs[0].steps


@pytest.mark.parametrize("steps", [1, 2, 99, 100])
def test_it_has_as_many_steps_as_were_asked_for_and_ends_with_a_check(steps):
    run = story("one", steps=steps, failed=True)
    assert [step.number for step in run.steps] == list(range(steps))
    assert [part.kind for part in run.steps[-1].parts] == [PartKind.VERIFICATION]
    assert (run.outcome, run.failures[0].exposed_by) == (Outcome.FAILED, steps - 1)


def test_everything_that_a_real_run_has_is_in_it(runs):
    run = runs[0]
    assert {part.kind for _, _, part in run.citable()} == set(PartKind)
    kinds = {link.kind for link in run.links}
    assert kinds == set(LinkKind) - {LinkKind.PARENT, LinkKind.FOLLOWS}
    assert {link.recorded for link in run.links} == {True, False}
    assert all(link.source < link.target < 2_000 for link in run.links)
    assert {step.status for step in run.steps} == {StepStatus.OK, StepStatus.ERROR}
    assert {gap.kind for gap in run.gaps} <= set(KINDS)
    assert run.gaps
    assert 1_000 < sum(len(step.text) for step in run.steps) / 2_000 < 2_000


def test_states_follow_each_other_version_by_version(runs):
    known = {}
    for _, part in runs[0].parts_of(PartKind.STATE):
        name = part.data["artifact"]
        assert part.data["before"] == known.get(name, "v0")
        known[name] = part.data["after"]
    assert len(known) == 4


def test_the_two_of_a_task_are_mostly_alike(runs):
    failed, passed = ({step.text for step in run.steps} for run in runs)
    assert 0.5 < len(failed & passed) / 2_000 < 0.95
