"""Foreign JSON as it comes: what is not of the shape that is asked for counts as empty."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from traces.compact import compact
from traces.completeness import listed
from traces.facts import fact_lines, with_facts
from traces.formats.base import Document, Json, replacement_gaps
from traces.transcript import Gap, Part, PartKind

Object = Mapping[str, Json]
NOTHING: Object = {}


def text(value: Json) -> str:
    return value if isinstance(value, str) else ""


def name(value: Json) -> str:
    """An id or a name: numbers are as good as texts."""
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""


def mapping(value: Json) -> Object:
    return value if isinstance(value, Mapping) else NOTHING


def items(value: Json) -> Sequence[Json]:
    return value if isinstance(value, list) else ()


def objects(value: Json) -> list[Object]:
    return [item for item in items(value) if isinstance(item, Mapping)]


def number(value: Json) -> int | None:
    """A whole number, also where it is written as text."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    small = isinstance(value, str) and len(value) <= 18 and value.isascii() and value.isdigit()
    return int(value) if small else None


def shown(value: Json) -> str:
    """A text as it is, nothing for null, anything else as JSON."""
    if value is None:
        return ""
    return value if isinstance(value, str) else compact(value)


def spaced(value: Json) -> str:
    """A text as it is, anything else as JSON with spaces, as tools print it."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def at(value: Json, *path: str) -> Json:
    """What stands behind these keys, or None."""
    for key in path:
        value = mapping(value).get(key)
    return value


def placed(document: Document) -> list[tuple[str, Json]]:
    """Every record with its pointer: a line, or an item of a document that is one list."""
    return [(pointer, value) for pointer, value, _ in document.values()]


def reading_gaps(document: Document) -> tuple[Gap, ...]:
    """What befell a document that is one run: bad bytes, replaced characters, lost lines."""
    return (*document.gaps, *lost(document), *replacement_gaps(*document.records))


def lost(document: Document) -> Iterable[Gap]:
    if document.refusals:
        places = listed([refusal.position for refusal in document.refusals])
        yield Gap("damaged", f"Records may be missing, for these could not be read: {places}.")


def digest(value: Any) -> str:
    """A name made of content, for what has none."""
    written = json.dumps(value, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(written.encode()).hexdigest()[:16]


def state(artifact: str, before: str = "", after: str = "", **more: Any) -> Part:
    """A change of one thing, as states are told: what it was, what it is, and what made it so."""
    change = more.pop("change", "")
    data = {"artifact": artifact, "before": before, "after": after, **more}
    data = {key: value for key, value in data.items() if value not in ("", None)}
    return Part(PartKind.STATE, with_facts(change, fact_lines(data)), data)
