"""The published JSON Schema says what the reader does."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest

from tests.traces.formats.native_runs import SAMPLE_PATHS, native_run, native_step
from traces.formats import native, native_schema

FILE = Path(native.__file__).parents[1] / "schema" / "native-v1.json"
VALIDATOR = jsonschema.Draft202012Validator(json.loads(FILE.read_text()))


def test_the_file_is_made_from_the_structs() -> None:
    assert FILE.read_text() == native_schema.text()


def test_it_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(json.loads(FILE.read_text()))


@pytest.mark.parametrize("path", SAMPLE_PATHS, ids=lambda path: path.stem)
def test_samples_are_valid(path: Path) -> None:
    VALIDATOR.validate(json.loads(path.read_text()))


SPOILERS: list[Callable[[dict[str, Any]], object]] = [
    lambda run: run.pop("schema"),
    lambda run: run.update(schema="inquest-run/2"),
    lambda run: run.update(mood="sunny"),
    lambda run: run.pop("actors"),
    lambda run: run["run"].pop("id"),
    lambda run: run["run"].update(id=""),
    lambda run: run["run"].update(id="x" * 201),
    lambda run: run["run"].update(outcome="lost"),
    lambda run: run["run"].update(attempt={"number": "2"}),
    lambda run: run["run"].update(capture={"task": "forgotten"}),
    lambda run: run["run"].update(parent={"run": "r", "relation": "cousin"}),
    lambda run: run["actors"][0].update(kind="wizard"),
    lambda run: run["actors"][0].update(authority="all"),
    lambda run: run["steps"][0].update(sequence="1"),
    lambda run: run["steps"][0].update(actor=""),
    lambda run: run["steps"][0].update(kind="dance"),
    lambda run: run["steps"][0].update(parts=[{"type": "song", "text": "la"}]),
    lambda run: run["steps"][0].update(parts=[{"text": "la"}]),
    lambda run: run["steps"][0].update(parts=[{"type": "message"}]),
    lambda run: run["steps"][0].update(parts=[{"type": "tool_response", "status": "maybe"}]),
    lambda run: run["steps"][0].update(retry={"of": "s1"}),
    lambda run: run["steps"][0].update(inputs="s1"),
]


@pytest.mark.parametrize("spoil", SPOILERS, ids=range(len(SPOILERS)))
def test_the_schema_refuses_what_the_reader_refuses(spoil: Any) -> None:
    run = native_run()
    VALIDATOR.validate(run)
    msgspec.convert(run, native.Document)
    spoil(run)
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(copy.deepcopy(run), native.Document)
    assert not VALIDATOR.is_valid(run)


@pytest.mark.parametrize(
    "step",
    [
        native_step(1, extra={"anything": [1, {"goes": None}]}),
        native_step(1, {"type": "tool_request", "tool": "x", "arguments": "not json"}),
        native_step(1, kind=None, status=None, started_at=None, handoff_from=None, retry=None),
        native_step(-1, capture={"inputs": "withheld"}),
    ],
)
def test_both_accept_what_is_unusual_and_allowed(step: dict[str, Any]) -> None:
    run = native_run(step)
    VALIDATOR.validate(run)
    msgspec.convert(run, native.Document)
