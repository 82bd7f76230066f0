"""The published JSON Schemas say what the reader does."""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.traces.formats.native_documents import documents
from tests.traces.formats.native_runs import SAMPLE_PATHS, in_version_2, native_run, native_step
from traces.formats.native import schema, v1, v2

VERSIONS = {1: v1.Document, 2: v2.Document}
FOLDER = Path(v2.__file__).parents[2] / "schema"
FILES = {version: FOLDER / f"native-v{version}.json" for version in VERSIONS}
VALIDATORS = {
    version: jsonschema.Draft202012Validator(json.loads(path.read_text()))
    for version, path in FILES.items()
}


@pytest.mark.parametrize("version", VERSIONS)
def test_the_file_is_made_from_the_structs(version: int) -> None:
    assert FILES[version].read_text() == schema.text(version)
    assert FILES[version] == schema.path(version)


@pytest.mark.parametrize("version", VERSIONS)
def test_it_is_a_schema(version: int) -> None:
    jsonschema.Draft202012Validator.check_schema(json.loads(FILES[version].read_text()))


def test_version_1_is_finished() -> None:
    digest = hashlib.sha256(FILES[1].read_bytes()).hexdigest()
    assert digest == "9400a668225bbb580ec50a5b08f35219ae24a72f0f17bfd529d7955a9e2bcced"


@pytest.mark.parametrize("path", SAMPLE_PATHS, ids=lambda path: path.stem)
def test_samples_are_valid(path: Path) -> None:
    run = json.loads(path.read_text())
    VALIDATORS[int(run["schema"][-1])].validate(run)


SPOILERS: list[Callable[[dict[str, Any]], object]] = [
    lambda run: run.pop("schema"),
    lambda run: run.update(schema="inquest-run/3"),
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


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("spoil", SPOILERS, ids=range(len(SPOILERS)))
def test_the_schema_refuses_what_the_reader_refuses(spoil: Any, version: int) -> None:
    run = native_run() | {"schema": f"inquest-run/{version}"}
    assert fits(run, version)
    spoil(run)
    assert not fits(run, version)


def fits(run: dict[str, Any], version: int) -> bool:
    """Whether a document is one of the version; the schema and the structs have to agree."""
    try:
        msgspec.convert(copy.deepcopy(run), VERSIONS[version])
    except msgspec.ValidationError:
        assert not VALIDATORS[version].is_valid(run)
        return False
    VALIDATORS[version].validate(run)
    return True


def with_part(**fields: Any) -> dict[str, Any]:
    part = {"type": "message", "text": ""} | fields
    return in_version_2(native_run(native_step(1, part)))


def with_payload(**fields: Any) -> dict[str, Any]:
    return with_part(payload={"media_type": "image/png"} | fields)


SHA = "0a" * 32
NEW_SPOILERS = [
    in_version_2(native_run(closed_at=1793779200)),
    in_version_2(native_run(recorder="otter 3")),
    in_version_2(native_run(recorder={"version": "3"})),
    in_version_2(native_run(native_step(1, recorded_at=7))),
    in_version_2(native_run(native_step(1, retry={"of": "s1", "attempt": 2, "decided_by": 7}))),
    with_part(claims={"artifact": "plan"}),
    with_part(claims=[{"version": "2"}]),
    with_part(claims=[{"artifact": "plan"}] * 1001),
    with_part(type="error", claims=[]),
    with_part(cut={"characters": 10}),
    with_part(cut={"characters": -1, "sha256": SHA}),
    with_part(cut={"characters": 2**63, "sha256": SHA}),
    with_part(cut={"characters": 1, "sha256": SHA.upper()}),
    with_part(cut=True),
    with_part(type="state", artifact="plan", resolution="won"),
    with_part(type="verification", check="ci", verdict="passed", subject=None),
    with_payload(),
    with_payload(content=None),
    with_payload(content="AAA"),
    with_payload(content="AA A="),
    with_payload(content="AAA=\n"),
    with_payload(content="-_=="),
    with_payload(sha256=SHA),
    with_payload(size=3),
    with_payload(sha256=SHA, size=-1),
    with_payload(sha256=SHA, size=2**70),
    with_payload(sha256=SHA + "\n", size=1),
    with_payload(sha256="sha256:" + SHA, size=1),
    with_payload(content="AAA=", size=2),
    with_payload(content="AAA=", sha256=SHA),
    with_payload(content="AAA=", media_type="png"),
    with_payload(content="AAA=", media_type="image/png\r\nX: y"),
    with_payload(content="AAA=", media_type="image/png\n"),
    with_payload(content="AAA=", media_type="image/" + "x" * 100),
]


@pytest.mark.parametrize("run", NEW_SPOILERS, ids=range(len(NEW_SPOILERS)))
def test_both_refuse_what_version_2_does_not_mean(run: dict[str, Any]) -> None:
    assert not fits(run, 2)


@pytest.mark.parametrize(
    "run",
    [
        with_part(payload=None, cut=None, claims=[]),
        with_part(claims=[{"artifact": "plan"}]),
        with_part(cut={"characters": 0, "sha256": SHA}),
        with_payload(content=""),
        with_payload(content="AAA="),
        with_payload(sha256=SHA, size=0, capture={"content": "withheld"}),
        with_payload(content="AA==", media_type="text/plain; charset=utf-8"),
    ],
)
def test_both_accept_what_version_2_means(run: dict[str, Any]) -> None:
    assert fits(run, 2)


@pytest.mark.parametrize("version", VERSIONS)
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_what_is_made_of_the_structs_fits_the_schema(version: int, data: st.DataObject) -> None:
    assert fits(data.draw(documents(VERSIONS[version])), version)


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
    assert fits(native_run(step), 1)
    assert fits(in_version_2(native_run(step)), 2)
