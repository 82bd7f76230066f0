"""Where words that were selected in a rendered value stand in its text."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from attribution.rendering.safe import ONE_UNSHOWN

# Characters that are searched by more than the letter, and results that are given.
MOST, RESULTS = 500_000, 20
# What rendering takes away or moves: white space, invisible characters, and then markup.
SPACE = rf"\s|{ONE_UNSHOWN}"
LIST_ITEM = r"^[ \t]*(?:[-+*]|\d{1,9}[.)])[ \t]+"
MARKUP = rf"{SPACE}|{LIST_ITEM}|^[ \t]*(?:\#{{1,6}}|>)[ \t]|^[ \t]*(?:```|~~~)[^\n]*$|[*_~`|\\]"
LINKS = rf"{MARKUP}|\]\([^()\s]*(?:[ \t]+\"[^\"\n]*\")?\)|[\[\]]"
STRUCTURE = rf"{SPACE}|[\"',;:|\[\]{{}}]"
DROPPED = [re.compile(each, re.M) for each in (SPACE, MARKUP, LINKS, STRUCTURE)]
PAIR = r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
ESCAPE = re.compile(rf"{PAIR}|\\u[0-9a-fA-F]{{4}}|\\[^u]")
SINGLE = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}

type_of_ranges = list[tuple[int, int]]


def locate(text: str, selected: str) -> type_of_ranges:
    """Ranges of the text that hold the selected words, by the first way that finds any.

    To the letter; then with white space ignored, Markdown's markup, its links, the punctuation of
    JSON and tables; then with JSON's escapes read.
    """
    wanted = selected.strip()
    if not wanted:
        return []
    if found := _exactly(text, wanted):
        return found
    text = text[:MOST]
    for dropped in DROPPED:
        if found := _without(text, wanted, dropped):
            return found
    return _unescaped(text, wanted)


def _exactly(text: str, wanted: str) -> type_of_ranges:
    return [(at, at + len(wanted)) for at in _places(text, wanted)]


def _places(text: str, wanted: str) -> Iterator[int]:
    position = text.find(wanted)
    for _ in range(RESULTS):
        if position < 0:
            return
        yield position
        position = text.find(wanted, position + 1)


def _without(text: str, wanted: str, dropped: re.Pattern[str]) -> type_of_ranges:
    kept = _Kept(text, ((m.start(), m.end(), "") for m in dropped.finditer(text)))
    return kept.ranges(dropped.sub("", wanted))


def _unescaped(text: str, wanted: str) -> type_of_ranges:
    if "\\" not in text:
        return []
    kept = _Kept(text, ((m.start(), m.end(), _read(m.group())) for m in ESCAPE.finditer(text)))
    space = DROPPED[0]
    bare = _Kept(kept.text, ((m.start(), m.end(), "") for m in space.finditer(kept.text)))
    return [kept.range(start, end) for start, end in bare.ranges(space.sub("", wanted))]


def _read(escape: str) -> str:
    if escape[1:2] == "u":
        units = b"".join(int(unit, 16).to_bytes(2, "big") for unit in escape.split("\\u")[1:])
        return units.decode("utf-16-be", "replace")
    return SINGLE.get(escape[1:], escape[1:])


class _Kept:
    """A text with stretches replaced, that knows where each of its characters came from."""

    def __init__(self, text: str, replaced: Iterator[tuple[int, int, str]]) -> None:
        # Segments by where they start here, where there, and where a replaced one ends there.
        pieces, self.starts, self.sources, self.stops = list[str](), [0], [0], [0]
        length = end = 0
        for start, stop, instead in replaced:
            if stop <= start:
                continue
            pieces += [text[end:start], instead]
            length += start - end
            if instead:
                self._add(length, start, stop)
                length += len(instead)
            self._add(length, stop)
            end = stop
        self.text = "".join((*pieces, text[end:]))

    def _add(self, start: int, source: int, stop: int = 0) -> None:
        if self.starts[-1] == start:
            self.sources[-1], self.stops[-1] = source, stop
        else:
            self.starts.append(start)
            self.sources.append(source)
            self.stops.append(stop)

    def _segment(self, position: int) -> int:
        return bisect_right(self.starts, position) - 1

    def _source(self, position: int) -> int:
        index = self._segment(position)
        if self.stops[index]:
            return self.sources[index]
        return self.sources[index] + position - self.starts[index]

    def range(self, start: int, end: int) -> tuple[int, int]:
        """The range of the first text from one character here to before another."""
        stop = self.stops[self._segment(end - 1)]
        return self._source(start), stop or self._source(end - 1) + 1

    def ranges(self, wanted: str) -> type_of_ranges:
        if not wanted:
            return []
        found = (self.range(at, at + len(wanted)) for at in _places(self.text, wanted))
        return list(dict.fromkeys(found))
