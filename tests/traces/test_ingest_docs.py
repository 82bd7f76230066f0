"""What docs/ingest.md says is so."""

from __future__ import annotations

import json
import re
from pathlib import Path

from django.conf import settings

from tests.traces.formats.native_runs import taken, transcript_of
from traces.formats import registry
from traces.formats.base import Limits
from traces.formats.native.migration import NEW_IN_2
from traces.transcript import Capture

TEXT = (Path(__file__).parents[2] / "docs" / "ingest.md").read_text()


LEAST, WHOLE = (
    json.loads(example) for example in re.findall(r"```json\n(.*?)```", TEXT, re.DOTALL)
)


def test_the_example_is_a_run_that_lacks_only_times() -> None:
    transcript = transcript_of(LEAST)
    assert [step.source_id for step in transcript.steps] == ["s1", "s2", "s3"]
    assert [gap.kind for gap in transcript.gaps] == ["no_times"]
    assert transcript.failures[0].exposed_by == 2


def test_the_second_example_uses_all_that_version_2_adds() -> None:
    result = taken(WHOLE)
    assert result.refusals == ()
    for path in NEW_IN_2:
        name = path.split("/")[-1]
        assert f'"{name}": ' in json.dumps(WHOLE), name
        assert f"`{name}`" in TEXT, name
    transcript = result.runs[0].transcript
    assert transcript.capture == {"system": "withheld", "steps/started_at": "not_captured"}
    assert transcript.steps[2].parts[0].capture == {"text": "damaged"}
    assert transcript.steps[1].parts[0].text.endswith("claims: export.py git:b2")


def test_every_capture_state_is_explained() -> None:
    for state in Capture:
        assert f"| `{state}` |" in TEXT


def test_every_path_that_version_1_lacks_is_named() -> None:
    below = TEXT[TEXT.index("### Files of version 1") :]
    for path in NEW_IN_2:
        assert f"`{path.removeprefix('steps/parts/')}`" in below, path


def test_every_format_is_named() -> None:
    table = TEXT[TEXT.index("## Formats") : TEXT.index("## The native format")]
    named = re.findall(r"^\| `([\w-]+)` \|", table, re.MULTILINE)
    assert sorted(named) == sorted(format_.name for format_ in registry.built_in())


def test_the_limits_are_those_in_force() -> None:
    limits = Limits()
    assert "256 MiB" in TEXT
    assert limits.size == settings.MAX_DOCUMENT_BYTES == 256 * 2**20
    assert limits.steps == settings.MAX_STEPS == 100_000
    assert (limits.members, limits.ratio, limits.depth) == (10_000, 200, 200)


def test_the_files_it_points_to_exist() -> None:
    root = Path(__file__).parents[2]
    for path in re.findall(r"`(traces/[\w/.]+)`", TEXT):
        assert (root / path).exists(), path
    for path in re.findall(r"\]\(\.\./(traces/[\w/.-]+)\)", TEXT):
        assert (root / path).exists(), path
    assert "traces/schema/native-v2.json" in TEXT
