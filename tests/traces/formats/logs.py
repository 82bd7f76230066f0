"""What tests of formats that are logs have in common: lines, the run in them, the real files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from traces.formats import intake
from traces.formats.intake import Intake
from traces.transcript import LinkKind, Step, StepKind, Transcript

REAL = Path(__file__).parents[4] / "shared" / "data" / "formats"


def lines(*records: Any) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def run_of(*records: Any) -> Transcript:
    (run,) = intake.take(lines(*records)).runs
    return run.transcript


def real(name: str) -> Intake:
    """A real file, read; or a skipped test where it is not on this machine."""
    path = REAL / name
    if not path.exists():
        pytest.skip("The real files are not here.")
    return intake.take(path.read_bytes())


def real_run(name: str) -> Transcript:
    (run,) = real(name).runs
    return run.transcript


def tools(transcript: Transcript) -> list[Step]:
    return [step for step in transcript.steps if step.kind is StepKind.TOOL]


def links(transcript: Transcript, kind: LinkKind) -> list[tuple[str, str]]:
    """Links of a kind, by the ids of their steps."""
    names = [step.source_id for step in transcript.steps]
    return [(names[k.source], names[k.target]) for k in transcript.links if k.kind is kind]


def gaps(transcript: Transcript, kind: str) -> list[int | None]:
    return [gap.step for gap in transcript.gaps if gap.kind == kind]


def step(transcript: Transcript, name: str) -> Step:
    return next(each for each in transcript.steps if each.source_id == name)
