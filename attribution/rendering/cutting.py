"""How much of a value is shown at once."""

from __future__ import annotations

from dataclasses import dataclass

from attribution.rendering.safe import UNSHOWN


@dataclass(frozen=True, slots=True)
class Budget:
    """Lines, characters and elements that one value may take on a page.

    What is only a little over the first two is shown whole: to fold two lines helps nobody.
    """

    lines: int
    characters: int
    elements: int


ROW = Budget(lines=8, characters=1_200, elements=60)
PAGE = Budget(lines=200, characters=40_000, elements=600)
ALL = Budget(lines=1_000_000, characters=1_000_000, elements=1_500)


def cut(text: str, budget: Budget, start: int = 0) -> int:
    """Where a text from `start` on is cut: after a line, in a very long line, or its end."""
    end = _line_end(text, budget, start)
    if len(text) - start > budget.characters * 1.25:
        end = min(end, start + budget.characters)
    for count, match in enumerate(UNSHOWN.finditer(text, start, end)):
        if count == budget.elements:
            return match.start()
    return end


def _line_end(text: str, budget: Budget, start: int) -> int:
    position = start
    for _ in range(budget.lines):
        newline = text.find("\n", position)
        if newline < 0:
            return len(text)
        position = newline + 1
    return position if text.count("\n", position, position + 4_000) >= 3 else len(text)


def line_count(text: str) -> int:
    """Lines of a text; a newline at its end begins no further one."""
    return text.count("\n") + (not text.endswith("\n")) if text else 0


def rest(text: str, end: int) -> str:
    """What stands behind a cut, counted: "214 more lines"; empty if nothing does."""
    left = len(text) - end
    if left <= 0:
        return ""
    if end == 0 or text[end - 1] == "\n":
        return counted(line_count(text[end:]), "more line")
    return counted(left, "more character")


def counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
