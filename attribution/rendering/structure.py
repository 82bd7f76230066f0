"""JSON as it was written: no number loses a digit, no key that stands twice is lost.

A parsed value is a `Members` (an object's pairs in order), a list, a str, a `Literal` (a number, or
NaN and the like, as written), True, False or None. What a part's data holds is read the same way.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

# Characters. Longer texts are shown as text alone.
LARGEST = 4_000_000
# Marks that begin a value or go on to another one: each costs time and memory when it is read.
MOST_VALUES = 250_000
REPEATED = "~~"


class NotJson(ValueError):
    """The text is no JSON, or too deep or too large to be shown as such."""


class NoSuchPlace(KeyError):
    """The value holds nothing at this path."""


class Literal(str):
    """A number or constant, as it was written."""

    __slots__ = ()


class Members(tuple[tuple[str, Any], ...]):
    """The pairs of an object, in order; keys may repeat."""

    __slots__ = ()


def parsed(text: str) -> Any:
    """The value that the text is. Raises NotJson."""
    if len(text) > LARGEST or sum(map(text.count, ",[{")) > MOST_VALUES:
        raise NotJson("too large")
    try:
        return json.loads(
            text,
            object_pairs_hook=Members,
            parse_int=Literal,
            parse_float=Literal,
            parse_constant=Literal,
        )
    except (ValueError, RecursionError) as error:
        raise NotJson(str(error)[:200]) from error


def container(text: str) -> Any:
    """The object or list that the text is. Raises NotJson."""
    if text.lstrip()[:1] not in ("{", "["):
        raise NotJson("neither an object nor a list")
    return parsed(text)


def children(value: Any) -> Sequence[tuple[str, Any]] | None:
    """Names and values in an object or list; None if the value is neither."""
    if isinstance(value, str):
        return None
    if isinstance(value, Members):
        return value
    if isinstance(value, Mapping):
        return [(str(key), item) for key, item in value.items()]
    if isinstance(value, list) or (isinstance(value, tuple) and not isinstance(value, Members)):
        return _Numbered(value)
    return None


class _Numbered(Sequence[tuple[str, Any]]):
    """The items of a list with their indexes, made when they are asked for."""

    def __init__(self, items: Sequence[Any]) -> None:
        self.items = items

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            within = range(*index.indices(len(self.items)))
            return [(str(place), self.items[place]) for place in within]
        return str(index), self.items[index]


def is_object(value: Any) -> bool:
    return isinstance(value, Members | Mapping)


def segments(names: Sequence[str]) -> list[str]:
    """The path segment of each name among its siblings: a JSON pointer's, with the number of the
    occurrence behind a key that was there before.
    """
    seen: dict[str, int] = {}
    found = []
    for name in names:
        times = seen[name] = seen.get(name, 0) + 1
        escaped = name.replace("~", "~0").replace("/", "~1")
        found.append(escaped if times == 1 else f"{escaped}{REPEATED}{times}")
    return found


def at(value: Any, path: str) -> Any:
    """What stands at a path such as "/a/0/b". Raises NoSuchPlace."""
    if path and not path.startswith("/"):
        raise NoSuchPlace(path)
    for segment in path.split("/")[1:]:
        value = _child(value, segment)
    return value


def _child(value: Any, segment: str) -> Any:
    inside = children(value)
    if inside is None:
        raise NoSuchPlace(segment)
    if not is_object(value):
        if segment.isascii() and segment.isdigit() and len(segment) < 12:
            index = int(segment)
            if index < len(inside):
                return inside[index][1]
        raise NoSuchPlace(segment)
    written, _, number = segment.partition(REPEATED)
    name = written.replace("~1", "/").replace("~0", "~")
    same = [item for key, item in inside if key == name]
    place = int(number) - 1 if number.isascii() and number.isdigit() and len(number) < 9 else 0
    if not 0 <= place < len(same):
        raise NoSuchPlace(segment)
    return same[place]
