"""The beginning of a text that its actor already had in its last turn."""

from __future__ import annotations

from typing import NamedTuple

from attribution.rendering.cutting import line_count

# Less is not worth folding.
LINES, CHARACTERS = 3, 200


class Repeated(NamedTuple):
    """The common beginning of two texts, in characters and lines."""

    characters: int
    lines: int


def repeated_prefix(text: str, before: str) -> Repeated | None:
    """What both texts begin with, up to the end of a line; None if that is too little to fold."""
    common = common_length(text, before)
    end = common if _is_border(text, common) else text.rfind("\n", 0, common) + 1
    lines = line_count(text[:end])
    if not end or (lines < LINES and end < CHARACTERS):
        return None
    return Repeated(end, lines)


def _is_border(text: str, position: int) -> bool:
    return position == len(text) or text[position - 1 : position] == "\n"


def common_length(left: str, right: str) -> int:
    """How many characters two texts begin with alike."""
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
