"""The JSON Schema of the native format, made from the structs that read it."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from traces.formats import native

ADDRESS = "urn:inquest:schema:native-v1"


def schema() -> dict[str, Any]:
    """JSON Schema 2020-12 of one run."""
    (root,), definitions = msgspec.json.schema_components(
        [native.Document], ref_template="#/$defs/{name}"
    )
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": ADDRESS,
        "title": "A run in Inquest's native format, version 1",
        **root,
        "$defs": definitions,
    }


def text() -> str:
    """The schema as it stands in `traces/schema/native-v1.json`."""
    return json.dumps(schema(), indent=1) + "\n"
