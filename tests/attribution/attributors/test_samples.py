"""The attributors on the sample corpus, against answers written by the corpus' authors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from attribution.attributors.base import Proposal, Reading, checked
from attribution.attributors.first_divergence import FirstDivergence
from attribution.attributors.last_error import LastError
from tests.attribution.scenes import ROOT, SAMPLES, sample
from traces.transcript import Transcript

ANSWERS = ROOT / "tests" / "traces" / "samples"
NAMES = sorted(path.name.removesuffix("-failed.json") for path in SAMPLES.glob("*-failed.json"))


def answers() -> dict[str, dict[str, Any]]:
    """By run, those that hold an actor responsible for a step."""
    listed = [answer for path in sorted(ANSWERS.glob("answers_*.json")) for answer in read(path)]
    return {each["run"]: each for each in listed if each.get("responsible") == "actor"}


def read(path: Path) -> list[dict[str, Any]]:
    return json.loads(path.read_text())


def first_divergence(name: str) -> tuple[Transcript, list[Proposal]]:
    run, reference = sample(f"{name}-failed"), sample(f"{name}-passed")
    return run, checked(FirstDivergence().propose(Reading.of(run, reference)), run)


def test_the_corpus_and_its_answers_are_there():
    assert len(NAMES) >= 8
    assert len(answers()) >= 6


@pytest.mark.parametrize("name", NAMES)
def test_every_proposal_on_a_sample_is_anchored(name: str):
    run, found = first_divergence(name)
    found += checked(LastError().propose(Reading.of(run)), run)

    assert found
    assert all(proposal.quotes for proposal in found)
    assert all(proposal.rationale.endswith(".") for proposal in found)


def test_first_divergence_names_the_decisive_step_more_often_than_not():
    known = answers()
    ranks: dict[str, int] = {}
    for name in NAMES:
        run, found = first_divergence(name)
        if answer := known.get(run.external_id):
            ids = [run.steps[proposal.step].source_id for proposal in found]
            right = answer["decisive_step"]
            ranks[name] = ids.index(right) if right in ids else 99
    top = sum(rank == 0 for rank in ranks.values())
    top_three = sum(rank < 3 for rank in ranks.values())

    # Small, and the corpus was written beside the weights: a floor, not a measurement.
    assert len(ranks) == len(known)
    assert top >= 0.5 * len(ranks), ranks
    assert top_three >= 0.6 * len(ranks), ranks
