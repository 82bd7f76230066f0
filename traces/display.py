"""Trace text for the page: hostile until shown as marks, and still addressable by offset.

A quote is a range of code points in `Part.text`. Pieces made here tile that text without loss,
so that a range can be highlighted and a selection in the browser be turned back into one. Of a
very long text only the beginning is shown; what is not shown is counted.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

# C0 and C1 controls but for newline and tab, soft hyphen, bidi controls, zero-width characters
# except the joiners that scripts and emoji need, line separators, tags and the BOM.
INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028\u2029"
    "\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)


RUNS = re.compile(f"({INVISIBLE.pattern})\\1*")
# Characters of one text that a page shows.
MOST = 20_000


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text from `start`. `mark` names an invisible character instead of text, which
    stands there `length` times in a row.
    """

    start: int
    text: str
    cited: bool = False
    mark: str = ""
    length: int = 1


@dataclass(frozen=True, slots=True)
class Shown:
    """Text in two helpings: what is open, and what is folded, with how many lines that is.

    `hidden` is how many characters the text has beyond both.
    """

    open: tuple[Piece, ...]
    folded: tuple[Piece, ...]
    folded_lines: int
    folded_start: int
    hidden: int = 0


def pieces(text: str, *, start: int, end: int, cited: Iterable[tuple[int, int]]) -> list[Piece]:
    """Tile `text[start:end]` by citation edges and runs of one invisible character."""
    ranges = [(max(a, start), min(b, end)) for a, b in cited if a < end and b > start]
    runs = [m.span() for m in RUNS.finditer(text, start, end)]
    ordered = sorted({start, end, *itertools.chain(*ranges, *runs)})
    return [
        _piece(text[a:b], a, cited=any(r[0] <= a < r[1] for r in ranges))
        for a, b in itertools.pairwise(ordered)
    ]


def _piece(text: str, start: int, *, cited: bool) -> Piece:
    """Text between two edges: wholly visible, or one invisible character over and over."""
    if not INVISIBLE.match(text):
        return Piece(start, text, cited)
    times = f" ×{len(text)}" if len(text) > 1 else ""
    return Piece(start, "", cited, f"U+{ord(text[0]):04X}{times}", len(text))


def shown(text: str, *, lines: int, cited: Sequence[tuple[int, int]] = ()) -> Shown:
    """Cut after `lines` lines (or their like in characters) unless little would be folded.

    What is beyond `MOST` characters is left out; citations there are not highlighted.
    """
    hidden, text = max(0, len(text) - MOST), text[:MOST]
    cut = _cut(text, lines)
    return Shown(
        open=tuple(pieces(text, start=0, end=cut, cited=cited)),
        folded=tuple(pieces(text, start=cut, end=len(text), cited=cited)),
        folded_lines=text.count("\n", cut) + 1,
        folded_start=cut,
        hidden=hidden,
    )


def _cut(text: str, lines: int, width: int = 400) -> int:
    """Where to fold: after a newline, or in a very long line; the end if under three lines go."""
    position = 0
    for _ in range(lines):
        newline = text.find("\n", position)
        if newline < 0:
            break
        position = newline + 1
    else:
        if text.count("\n", position) >= 3 or len(text) - position > width:
            return min(position, lines * width)
    return len(text) if len(text) <= (lines + 2) * width else lines * width


def visible(text: str) -> str:
    """One line of plain text with invisible characters written out, for titles and labels."""
    return RUNS.sub(lambda m: f"⟨{_piece(m.group(), 0, cited=False).mark}⟩", text)
