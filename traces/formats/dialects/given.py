"""What dialects read attributes with: foreign values may be of any type."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from traces.compact import compact
from traces.formats.base import Json
from traces.formats.spans.json_text import opened

Attributes = Mapping[str, Json]
# Attributes that only say of a span what its other fields say, or how its SDK runs.
PLUMBING = ("server.", "telemetry.", "code.", "thread.", "otel.", "process.", "network.", "http.")


def text(given: Json) -> str:
    """A text, or nothing."""
    return given if isinstance(given, str) else ""


def first_text(attributes: Attributes, *names: str) -> str:
    """The first of these that is a text and not empty."""
    for name in names:
        value = attributes.get(name)
        if value and isinstance(value, str):
            return value
    return ""


def first(attributes: Attributes, *names: str) -> Json:
    """The first of these that is there."""
    for name in names:
        value = attributes.get(name)
        if value is not None:
            return value
    return None


def shown(given: Json) -> str | None:
    """A result as people read it: text as it is, anything else as JSON; None if there is none."""
    return given if given is None or isinstance(given, str) else compact(given)


def number(given: Json) -> int | None:
    if isinstance(given, bool):
        return None
    if isinstance(given, str) and given.isascii() and given.isdigit() and len(given) < 10:
        return int(given)
    return given if isinstance(given, int) and 0 <= given < 2**31 else None


def finish_of(given: Json) -> str:
    """The first of several reasons, or the only one."""
    value = opened(given)
    if isinstance(value, list) and value:
        value = value[0]
    return value if isinstance(value, str) else ""


def below(attributes: Attributes, prefix: str, *but: str) -> dict[str, Json]:
    """What stands below a name, under the rest of its names."""
    return {
        name[len(prefix) :]: value
        for name, value in attributes.items()
        if name.startswith(prefix) and name not in but
    }


def unwrapped(given: Json) -> Json:
    """The arguments of a Python function as decorators note them, as one object."""
    value = opened(given)
    if not isinstance(value, Mapping) or not isinstance(value.get("kwargs"), Mapping):
        return value
    named, placed = value["kwargs"], value.get("args")
    if not placed:
        return dict(named)
    if not named and isinstance(placed, list) and len(placed) == 1:
        return placed[0]
    return {"args": placed, **named}


def unread(
    attributes: Attributes, known: frozenset[str], prefixes: tuple[str, ...] = ()
) -> Sequence[str]:
    """The names of attributes that nothing is made of, those of lists without their index."""
    rest = attributes.keys() - known
    if not rest:
        return ()
    skipped = prefixes + PLUMBING
    return [without_index(name) for name in rest if not name.startswith(skipped)]


def without_index(name: str) -> str:
    if not any(map(str.isdigit, name)):
        return name
    return ".".join("N" if piece.isdigit() else piece for piece in name.split("."))


def indexed(attributes: Attributes, prefix: str) -> list[dict[str, Any]]:
    """A list that stands in indexed attributes, as nested objects. Indexes count as numbers."""
    tree: dict[str, Any] = {}
    length = len(prefix)
    for name, value in attributes.items():
        if name.startswith(prefix):
            node = tree
            *path, last = name[length:].split(".")
            for piece in path:
                inner = node.get(piece)
                if type(inner) is not dict:
                    inner = node[piece] = {}
                node = inner
            node[last] = value
    return [each for each in in_order(tree) if isinstance(each, dict)]


def in_order(tree: Json) -> list[Any]:
    """The values of an object whose keys are indexes, by their numbers."""
    if not isinstance(tree, Mapping):
        return []
    return [tree[key] for key in sorted(digits(tree), key=int)]


def digits(keys: Iterable[str]) -> list[str]:
    return [key for key in keys if key.isascii() and key.isdigit() and len(key) < 10]
