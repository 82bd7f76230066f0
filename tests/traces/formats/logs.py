"""What tests of formats that are logs have in common: lines, the run in them, the real files."""

from __future__ import annotations

import json
from typing import Any

from tests.real import content_of
from traces.formats import intake
from traces.formats.intake import Intake
from traces.transcript import LinkKind, Step, StepKind, Transcript


def lines(*records: Any) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def run_of(*records: Any) -> Transcript:
    (run,) = intake.take(lines(*records)).runs
    return run.transcript


def real(name: str) -> Intake:
    """A real file, read; or a skipped test where it is not on this machine."""
    return intake.take(content_of(f"formats/{name}"))


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
