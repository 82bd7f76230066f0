"""Text without what spelling does to it: case, compatibility forms, composed or not, dashes.

Two texts that people read as the same fold to the same. A place in the folded text can be turned
back into the place it came from.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import cached_property, lru_cache
from itertools import accumulate
from unicodedata import combining, is_normalized, normalize

# One for one, so that no place moves: dashes and the minus sign, quotation marks, the slash.
ALIKE = str.maketrans(
    "\u2010\u2011\u2012\u2013\u2014\u2212\u2018\u2019\u201c\u201d\u2044", "------''\"\"/"
)

# Characters, about: what is folded again to find a place.
PIECE = 200
# Marks without letters between them: to put them in order takes time with their number squared.
CROWDED = 64
CROWD = re.compile(rf"((?:[^\w\s\x00-\x7f]|[\uff9e\uff9f]){{{CROWDED},}}+)")


FOREIGN = re.compile(r"([^\x00-\x7f]+)")


def folded(text: str) -> str:
    """The text folded; in a crowd of marks, which no language has, they stay as they are."""
    if text.isascii():
        return text.lower()
    first, *rest = FOREIGN.split(text.lower())
    pieces = [first]
    for foreign, plain in _by_two(rest):
        # The letter before may become one with a mark.
        base = pieces[-1][-1:]
        pieces[-1] = pieces[-1][:-1]
        pieces += (_folded(base + foreign), plain)
    return "".join(pieces)


def _by_two(pieces: list[str]) -> Iterator[tuple[str, str]]:
    return zip(pieces[::2], pieces[1::2], strict=True)


@lru_cache(maxsize=4_096)
def _short(text: str) -> str:
    return normalize("NFKC", normalize("NFKC", text).casefold()).translate(ALIKE)


def _folded(text: str) -> str:
    """Of short texts, which come again and again, the answer is kept."""
    if len(text) < CROWDED:
        return _short(text)
    pieces = CROWD.split(text)
    whole = _short.__wrapped__
    return "".join(piece if n % 2 else whole(piece) for n, piece in enumerate(pieces))


class Folded:
    """A text and what it folds to, with the way back."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.folded = folded(text)

    def range(self, start: int, end: int) -> tuple[int, int]:
        """Where a range of the folded text stands in the text, in whole characters."""
        if self._is_one_for_one:
            return start, end
        first = self._place(start, at_end=False)
        return first, max(first, self._place(end, at_end=True))

    @cached_property
    def _is_one_for_one(self) -> bool:
        """Surely so if nothing is composed and no letter's case is more than one letter long."""
        text = self.text
        return text.isascii() or (
            len(self.folded) == len(text)
            and not CROWD.search(text)
            and is_normalized("NFKC", text)
            and is_normalized("NFKC", text.casefold())
        )

    @cached_property
    def _pieces(self) -> tuple[list[str], list[int], list[int]]:
        """Pieces that fold apart from each other, and where each begins before and after."""
        pieces = list(_pieces(self.text))
        before = [0, *accumulate(map(len, pieces))]
        after = [0, *accumulate(len(folded(piece)) for piece in pieces)]
        return pieces, before, after

    def _place(self, place: int, *, at_end: bool) -> int:
        pieces, before, after = self._pieces
        number = min(bisect_right(after, place - at_end) - 1, len(pieces) - 1)
        piece, within = pieces[number], place - after[number]
        lengths = _Lengths(piece)
        if not at_end:
            return before[number] + bisect_right(lengths, within) - 1
        end = bisect_left(lengths, within)
        while end < len(piece) and combining(piece[end]):
            end += 1
        return before[number] + end


class _Lengths:
    """How long each beginning of a piece is when folded: a sequence that is counted on demand."""

    def __init__(self, piece: str) -> None:
        self.piece = piece

    def __len__(self) -> int:
        return len(self.piece) + 1

    def __getitem__(self, size: int) -> int:
        return len(folded(self.piece[:size]))


def _pieces(text: str) -> Iterator[str]:
    start = 0
    while start < len(text):
        end = start + PIECE
        while end < len(text) and not _stands_alone(text[end]):
            end += 1
        yield text[start:end]
        start = end


def _stands_alone(letter: str) -> bool:
    """Whether a letter surely does not become one with what stands before it."""
    first = normalize("NFKC", letter)[0]
    is_jamo = "\u1100" <= first <= "\u11ff"
    return letter.isascii() or (letter.isalpha() and not combining(first) and not is_jamo)
