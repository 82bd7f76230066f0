"""What is looked for in the texts of a run: words as typed, and other spellings of the same.

Plain Python. The words stand anywhere, also within a longer word. Case, Unicode form, white space
and how numbers and dates are written make no difference. Nobody gives a pattern.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice

from traces.folding import Folded, folded
from traces.spellings import TOKEN, Spelling, spelling_of

# Characters of what is looked for.
LONGEST = 400
# Of them, how many a text is asked for before it is read.
ANCHORS = 4
# Places in one text that are told apart.
MOST = 10_000


class Unsearchable(Exception):
    """Says in a sentence why this cannot be looked for."""


@dataclass(frozen=True)
class Sought:
    """`needle` is the folded text; `anchors` stand in every folded text that holds it.

    `spelling` is none where the text has no number, date or space that may be written otherwise.
    """

    text: str
    needle: str
    spelling: Spelling | None = field(compare=False)

    @classmethod
    def of(cls, text: str) -> Sought:
        """Raises Unsearchable."""
        text = text.replace("\0", "").strip()
        if len(text) > LONGEST:
            raise Unsearchable(f"Look for at most {LONGEST} characters.")
        needle = folded(text).strip()
        if not needle:
            raise Unsearchable("Type what to look for.")
        return cls(text, needle, spelling_of(needle) if TOKEN.search(needle) else None)

    @cached_property
    def anchors(self) -> tuple[str, ...]:
        """The longest first: words, and what all spellings of a number have."""
        if self.spelling is None:
            return (self.needle,)
        found = {*_fixed(self.needle), self.spelling.anchor} - {""}
        return tuple(sorted(found, key=lambda anchor: (-len(anchor), anchor))[:ANCHORS])

    def count(self, text: str) -> int:
        """How many places a text has, none beyond MOST."""
        return self._count(text, folded(text))

    def count_as_written(self, text: str) -> int:
        """The same without folding letters beyond ASCII, which takes time: only case is."""
        return self._count(text, text.lower())

    def ranges(self, text: str) -> list[tuple[int, int]]:
        """The places, as ranges of the text in rising order: as many as `count` says."""
        whole = Folded(text)
        spans = self._spans(whole.folded)
        if spans:
            return [whole.range(*span) for span in spans]
        return list(islice(_literally(text, self.text), MOST))

    def holds(self, text: str) -> bool:
        there = folded(text)
        return self.needle in there or self._count(text, there) > 0

    def _count(self, text: str, there: str) -> int:
        plain = self.spelling is None
        found = min(there.count(self.needle), MOST) if plain else len(self._spans(there))
        # In the middle of what folding makes one character of.
        return found or min(text.count(self.text), MOST)

    def _spans(self, there: str) -> list[tuple[int, int]]:
        literally = list(islice(_literally(there, self.needle), MOST))
        if self.spelling is None:
            return literally
        spelled = islice(self.spelling.matches(there), MOST)
        return list(islice(_apart([*literally, *(match.span() for match in spelled)]), MOST))


def _fixed(needle: str) -> Iterator[str]:
    """What stands between numbers, dates and spaces, and what is left of each however written."""
    position = 0
    for token in TOKEN.finditer(needle):
        yield needle[position : token.start()]
        if token["number"] or token["date"]:
            yield spelling_of(token.group()).anchor
        position = token.end()
    yield needle[position:]


def _literally(text: str, needle: str) -> Iterator[tuple[int, int]]:
    start = text.find(needle)
    while start >= 0:
        end = start + len(needle)
        yield start, end
        start = text.find(needle, end)


def _apart(spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The spans in order, the longest first of those that begin at one place; none overlap."""
    last = 0
    for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
        if start >= last:
            yield start, end
            last = end
