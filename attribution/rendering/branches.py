"""One branch of a value that is JSON: what a tree leaves to be asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attribution.rendering.cutting import PAGE, cut, rest
from attribution.rendering.safe import Html, escaped
from attribution.rendering.structure import Literal, at, parsed
from attribution.rendering.tree import Branch, tree


def branch(source: str | Mapping[str, Any], path: str, start: int, address: str) -> Html:
    """What stands at a path of a text or of data, from a member on. Raises NotJson, NoSuchPlace.

    A string is given as text, cut as any other value.
    """
    value = at(parsed(source) if isinstance(source, str) else source, path)
    if isinstance(value, str) and not isinstance(value, Literal):
        end = cut(value, PAGE)
        more = rest(value, end)
        note = f"<small>{more}: switch to Raw, or download the text</small>" if more else ""
        return Html(f'<div class="text string" dir="auto">{escaped(value[:end])}{note}</div>')
    place = Branch(address, path, start, elements=PAGE.elements, width=2_000)
    return tree(value, place)
