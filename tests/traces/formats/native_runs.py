"""Small native runs for tests, as the JSON that somebody would send."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from traces.formats import intake
from traces.formats.base import Unreadable
from traces.formats.native import v2
from traces.transcript import Transcript

SAMPLES = Path(v2.__file__).parents[2] / "samples"
SAMPLE_PATHS = sorted(path for path in SAMPLES.glob("*.json") if path.name != "project.json")


def native_step(number: int, *parts: dict[str, Any], **fields: Any) -> dict[str, Any]:
    given = list(parts) or [{"type": "message", "text": f"Step {number}."}]
    return {"id": f"s{number}", "sequence": number, "actor": "planner", "parts": given} | fields


def native_run(*steps: dict[str, Any], **run: Any) -> dict[str, Any]:
    actors = [{"id": "planner", "role": "planner", "kind": "agent", "instance": "planner/1"}]
    return {
        "schema": "inquest-run/1",
        "run": {"id": "run-1", "initial_state": {"digest": "sha256:1"}} | run,
        "actors": actors,
        "steps": list(steps) or [native_step(1), native_step(2, inputs=["s1"])],
    }


def in_version_2(value: dict[str, Any]) -> dict[str, Any]:
    return value | {"schema": "inquest-run/2"}


def taken(value: object) -> intake.Intake:
    return intake.take(json.dumps(value).encode())


def tried(content: bytes, wanted: str = "") -> tuple[intake.Intake, str]:
    """What a file gave, or nothing and the sentence with which it was refused."""
    try:
        return intake.take(content, wanted=wanted), ""
    except Unreadable as error:
        return intake.Intake((), ()), str(error)


def transcript_of(value: object) -> Transcript:
    (run,) = taken(value).runs
    return run.transcript


def kinds(transcript: Transcript) -> dict[str, int | None]:
    """The run's gaps: kind and step."""
    return {gap.kind: gap.step for gap in transcript.gaps}
