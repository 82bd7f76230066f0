"""The JSON Schema of each version of the native format, made from the structs that read it.

`python -m traces.formats.native.schema` writes the files anew.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec

from traces.formats.native import v1, v2

FOLDER = Path(__file__).parents[2] / "schema"
DOCUMENTS: dict[int, type[v1.Document]] = {1: v1.Document, 2: v2.Document}


def schema(version: int) -> dict[str, Any]:
    """JSON Schema 2020-12 of one run."""
    (root,), definitions = msgspec.json.schema_components(
        [DOCUMENTS[version]], ref_template="#/$defs/{name}"
    )
    if "Payload" in definitions:
        definitions["Payload"]["oneOf"] = v2.PAYLOAD_SHAPES
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:inquest:schema:native-v{version}",
        "title": f"A run in Inquest's native format, version {version}",
        **root,
        "$defs": definitions,
    }


def text(version: int) -> str:
    """The schema as it stands in its file."""
    return json.dumps(schema(version), indent=1) + "\n"


def path(version: int) -> Path:
    return FOLDER / f"native-v{version}.json"


if __name__ == "__main__":
    for number in DOCUMENTS:
        path(number).write_text(text(number))
