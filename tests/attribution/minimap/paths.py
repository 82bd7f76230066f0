"""What is drawn by the paths of the map, as a browser would read them."""

from __future__ import annotations

import re


def lines_of(d: str) -> list[tuple[int, int, int]]:
    """The level lines of a path: height, beginning, end."""
    found, x, y = [], 0, 0
    for command, numbers in re.findall(r"([Mmh])([-\d ]+)", d):
        values = [int(number) for number in re.findall(r"-?\d+", numbers)]
        if command == "M":
            x, y = values
        elif command == "m":
            x, y = x + values[0], y + values[1]
        else:
            found.append((y, x, x + values[0]))
            x += values[0]
    return found


def curves_of(d: str) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Where each curve of a path begins and ends."""
    curves = (re.findall(r"-?\d+", one) for one in d.split("M")[1:])
    return [((int(n[0]), int(n[1])), (int(n[-2]), int(n[-1]))) for n in curves]
