"""The sample corpus: every run is valid, complete in its references and has an honest neighbour."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

import traces
from traces.formats.native import v1 as native

SAMPLES = Path(traces.__file__).parent / "samples"
ANSWERS = Path(__file__).parent / "samples"
PATHS = sorted(path for path in SAMPLES.glob("*.json") if path.name != "project.json")
FAILED = [path for path in PATHS if path.stem.endswith("-failed")]
PROJECT = json.loads((SAMPLES / "project.json").read_text())


def name(path: Path) -> str:
    return path.stem


def read(path: Path) -> native.Document:
    return msgspec.convert(json.loads(path.read_text()), native.Document)


def answers() -> list[dict[str, Any]]:
    files = sorted(ANSWERS.glob("answers_*.json"))
    return [answer for file in files for answer in json.loads(file.read_text())]


def mentioned(step: native.Step) -> Iterator[str]:
    """Ids of all the steps that a step says it builds on."""
    yield from step.inputs
    yield from step.joins
    yield from filter(None, [step.handoff_from, step.spawned_by])
    if step.retry:
        yield step.retry.of


@pytest.mark.parametrize("path", PATHS, ids=name)
def test_an_unknown_key_in_a_step_is_refused(path: Path) -> None:
    raw = json.loads(path.read_text())
    raw["steps"][3]["mood"] = "sunny"
    with pytest.raises(msgspec.ValidationError, match=r"mood.*\$\.steps\[3\]"):
        msgspec.convert(raw, native.Document)


@pytest.mark.parametrize("path", PATHS, ids=name)
def test_a_run_has_20_to_120_steps(path: Path) -> None:
    assert 20 <= len(read(path).steps) <= 120


@pytest.mark.parametrize("path", PATHS, ids=name)
def test_steps_refer_to_earlier_steps_only(path: Path) -> None:
    seen: set[str] = set()
    for step in read(path).steps:
        assert set(mentioned(step)) <= seen, step.id
        assert step.id not in seen
        seen.add(step.id)


@pytest.mark.parametrize("path", PATHS, ids=name)
def test_sequences_rise(path: Path) -> None:
    sequences = [step.sequence for step in read(path).steps]
    assert sequences == sorted(set(sequences))


@pytest.mark.parametrize("path", PATHS, ids=name)
def test_a_step_ends_after_it_starts(path: Path) -> None:
    for step in read(path).steps:
        if step.started_at and step.ended_at:
            assert step.started_at <= step.ended_at, step.id


@pytest.mark.parametrize("path", PATHS, ids=name)
def test_actors_resolve(path: Path) -> None:
    document = read(path)
    actors = {actor.id for actor in document.actors}
    assert len(actors) == len(document.actors)
    assert {step.actor for step in document.steps} <= actors
    assert {actor.parent for actor in document.actors if actor.parent} <= actors


@pytest.mark.parametrize("path", PATHS, ids=name)
def test_messages_go_to_actors_of_the_run(path: Path) -> None:
    document = read(path)
    parts = [part for step in document.steps for part in step.parts]
    to = {part.to for part in parts if isinstance(part, native.MessagePart) and part.to}
    assert to <= {actor.id for actor in document.actors}


@pytest.mark.parametrize("path", PATHS, ids=name)
def test_reports_and_failures_point_to_steps(path: Path) -> None:
    document = read(path)
    steps = {step.id for step in document.steps}
    pointed = [report.step for report in document.run.reports]
    pointed += [failure.exposed_by for failure in document.run.failures]
    assert {step for step in pointed if step} <= steps


@pytest.mark.parametrize("path", PATHS, ids=name)
def test_the_outcome_agrees_with_name_and_failures(path: Path) -> None:
    run = read(path).run
    assert run.outcome == ("failed" if path.stem.endswith("-failed") else "succeeded")
    assert bool(run.failures) == (run.outcome == "failed")


def test_run_ids_are_unique() -> None:
    ids = [read(path).run.id for path in PATHS]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("path", FAILED, ids=name)
def test_a_failed_run_has_a_passed_neighbour_of_the_same_task(path: Path) -> None:
    task = read(path).run.task.id
    neighbours = [read(other).run for other in PATHS if other != path]
    assert any(run.task.id == task and run.outcome == "succeeded" for run in neighbours)


@pytest.mark.parametrize("path", FAILED, ids=name)
def test_a_failed_run_has_one_answer(path: Path) -> None:
    run = read(path).run.id
    assert [answer["run"] for answer in answers()].count(run) == 1


@pytest.mark.parametrize("answer", answers(), ids=lambda answer: answer["scenario"])
def test_answers_point_to_steps_and_actors(answer: dict[str, Any]) -> None:
    document = next(doc for doc in map(read, FAILED) if doc.run.id == answer["run"])
    actor_of = {step.id: step.actor for step in document.steps}
    named = [answer["decisive_step"], answer["exposing_step"], *answer["carriers"]]
    assert {step for step in named if step} <= set(actor_of)
    assert answer["decisive_actor"] in {None, *(actor.id for actor in document.actors)}
    for missed in answer["missed_by"]:
        assert actor_of[missed["step"]] == missed["actor"]


@pytest.mark.parametrize("answer", answers(), ids=lambda answer: answer["scenario"])
def test_whoever_missed_it_had_a_contract_in_force(answer: dict[str, Any]) -> None:
    document = next(doc for doc in map(read, FAILED) if doc.run.id == answer["run"])
    roles = {actor.id: actor.role for actor in document.actors}
    contracts = {contract["key"]: contract for contract in PROJECT["contracts"]}
    for missed in answer["missed_by"]:
        contract = contracts[missed["contract"]]
        assert contract["component"] == roles[missed["actor"]]
        assert document.run.system.version in contract["configurations"]
