"""A native document of version 1 as one of version 2. It says what version 1 had no place for."""

from __future__ import annotations

from collections.abc import Mapping

from traces.formats.base import Json
from traces.formats.native import v2
from traces.transcript import Capture

# Said once for the run: a run has up to 100,000 steps. A test holds the list to the structs.
NEW_IN_2 = (
    "closed_at",
    "recorder",
    "actors/replaces",
    "steps/recorded_at",
    "steps/retry/decided_by",
    "steps/parts/claims",
    "steps/parts/resolution",
    "steps/parts/against",
    "steps/parts/subject",
    "steps/parts/method",
    "steps/parts/payload",
    "steps/parts/cut",
)


def migrated(value: Mapping[str, Json]) -> dict[str, Json]:
    """The same run in version 2. `value` fits version 1 and stays as it is; steps are shared.

    What the file itself says about a field is not touched.
    """
    run = value["run"]
    unsayable = dict.fromkeys(NEW_IN_2, Capture.NOT_IN_SCHEMA.value)
    capture = unsayable | run.get("capture", {})
    return {**value, "schema": v2.SCHEMA, "run": {**run, "capture": capture}}
