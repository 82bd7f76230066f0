"""What docs/ingest.md says is so."""

from __future__ import annotations

import json
import re
from pathlib import Path

from django.conf import settings

from tests.traces.formats.native_runs import transcript_of
from traces.formats import registry
from traces.formats.base import Limits

TEXT = (Path(__file__).parents[2] / "docs" / "ingest.md").read_text()


def test_the_example_is_a_run_that_lacks_only_times() -> None:
    (example,) = re.findall(r"```json\n(.*?)```", TEXT, re.DOTALL)
    transcript = transcript_of(json.loads(example))
    assert [step.source_id for step in transcript.steps] == ["s1", "s2", "s3"]
    assert [gap.kind for gap in transcript.gaps] == ["no_times"]
    assert transcript.failures[0].exposed_by == 2


def test_every_format_is_named() -> None:
    named = re.findall(r"^\| `(\w+)` \|", TEXT, re.MULTILINE)
    assert named[: len(registry.BUILT_IN)] == [format_.name for format_ in registry.BUILT_IN]


def test_the_limits_are_those_in_force() -> None:
    limits = Limits()
    assert "64 MiB" in TEXT
    assert limits.size == settings.MAX_DOCUMENT_BYTES == 64 * 2**20
    assert limits.steps == settings.MAX_STEPS == 100_000
    assert (limits.members, limits.ratio, limits.depth) == (1_000, 200, 200)


def test_the_files_it_points_to_exist() -> None:
    root = Path(__file__).parents[2]
    for path in re.findall(r"`(traces/[\w/.]+)`", TEXT):
        assert (root / path).exists(), path
    assert (root / "traces" / "schema" / "native-v1.json").exists()
