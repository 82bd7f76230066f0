"""A file of version 1 and its migration differ only where version 2 adds something."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from msgspec import inspect

from tests.traces.formats.native.test_schema import VALIDATORS
from tests.traces.formats.native_documents import documents, paths
from tests.traces.formats.native_runs import (
    SAMPLE_PATHS,
    in_version_2,
    native_run,
    native_step,
    taken,
    transcript_of,
)
from traces.formats.native import v1, v2
from traces.formats.native.migration import NEW_IN_2, migrated
from traces.transcript import Transcript

NOT_IN_SCHEMA = dict.fromkeys(NEW_IN_2, "not_in_schema")
OLD_SAMPLES = [path for path in SAMPLE_PATHS if json.loads(path.read_text())["schema"] == v1.SCHEMA]
NEWS: list[Callable[[dict[str, Any]], object]] = [
    lambda run: run["run"].update(closed_at="2026-11-04T08:00:00Z"),
    lambda run: run["run"].update(recorder={"name": "r"}),
    lambda run: run["actors"][0].update(replaces=None),
]
STEP_NEWS: list[tuple[dict[str, Any], str]] = [
    ({"recorded_at": None}, "/steps/0"),
    ({"retry": {"of": "s1", "attempt": 2, "decided_by": "x"}}, "/steps/0/retry"),
    ({"parts": [{"type": "message", "text": "", "claims": []}]}, "/steps/0/parts/0"),
    ({"parts": [{"type": "error", "text": "", "payload": None}]}, "/steps/0/parts/0"),
    ({"parts": [{"type": "input", "text": "", "cut": None}]}, "/steps/0/parts/0"),
]


@pytest.mark.parametrize("add", NEWS, ids=range(len(NEWS)))
def test_a_key_of_version_2_in_the_header_of_a_file_of_version_1_refuses_it(add: Any) -> None:
    run = native_run()
    add(run)
    result = taken(run)
    assert not result.runs
    assert "Object contains unknown field" in result.refusals[0].reason
    assert len(taken(in_version_2(run)).runs) == 1


@pytest.mark.parametrize(("fields", "place"), STEP_NEWS, ids=lambda value: str(value)[:40])
def test_a_key_of_version_2_in_a_step_of_a_file_of_version_1_refuses_the_step(
    fields: dict[str, Any], place: str
) -> None:
    run = native_run(native_step(1, **fields), native_step(2))
    (refusal,) = taken(run).refusals
    assert (refusal.position, refusal.reason[:29]) == (place, "Object contains unknown field")
    assert taken(in_version_2(run)).refusals == ()


def test_all_that_version_2_adds_and_nothing_else_was_not_in_the_schema() -> None:
    new, old = inspect.type_info(v2.Document), inspect.type_info(v1.Document)
    added = paths(new) - paths(old)
    # What is below a new field is not named again.
    outermost = {path for path in added if not any(path.startswith(f"{a}/") for a in added)}
    assert {path.removeprefix("run/") for path in outermost} == set(NEW_IN_2)


def test_what_the_file_says_about_a_field_stays() -> None:
    given = native_run(capture={"recorder": "withheld", "task": "not_captured"})
    kept = {"recorder": "withheld", "task": "not_captured"}
    assert transcript_of(given).capture == NOT_IN_SCHEMA | kept


def test_a_file_of_version_2_had_a_place_for_everything() -> None:
    assert transcript_of(in_version_2(native_run())).capture == {}


def test_the_document_given_is_not_changed() -> None:
    given = native_run(capture={"task": "absent"})
    before = copy.deepcopy(given)
    assert migrated(given) == migrated(given)
    assert given == before


def compared(value: dict[str, Any]) -> tuple[Transcript, Transcript]:
    """The run as read of a file of version 1, and of its migration written to a file."""
    moved = json.loads(json.dumps(migrated(value)))
    VALIDATORS[2].validate(moved)
    return transcript_of(value), transcript_of(moved)


def only_the_schema_differs(old: Transcript, new: Transcript) -> bool:
    assert (old.schema, new.schema) == (v1.SCHEMA, v2.SCHEMA)
    assert old.capture.items() >= {(n, s) for n, s in new.capture.items() if n in NEW_IN_2}
    return replace(old, schema="") == replace(new, schema="")


@pytest.mark.parametrize("path", OLD_SAMPLES, ids=lambda path: path.stem)
def test_a_sample_and_its_migration_differ_only_in_their_schema(path: Path) -> None:
    old, new = compared(json.loads(path.read_text()))
    assert only_the_schema_differs(old, new)
    assert old.capture.items() >= NOT_IN_SCHEMA.items()
    assert (new.closed_at, new.recorder) == (None, {})


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(documents(v1.Document))
def test_any_run_and_its_migration_differ_only_in_their_schema(value: dict[str, Any]) -> None:
    VALIDATORS[1].validate(value)
    assert only_the_schema_differs(*compared(value))
