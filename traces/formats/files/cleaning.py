"""JSON as people really write it, made safe for Postgres: every replacement is counted.

Postgres refuses NUL, lone surrogates and NaN in its JSON and text. The raw bytes stay as they
came; only what is read out of them is cleaned.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from traces.formats.base import Json, Record, Unreadable
from traces.formats.files import compact_json

# Text without any of these has strings that need no cleaning: no NUL, no half of a pair.
SUSPECT = ("\\u0000", "\\ud", "\\uD")
# What the decoder makes of objects and arrays.
NESTING = frozenset({dict, list})
SPACE = re.compile(r"[ \t\n\r]*")
SURROGATE = re.compile("[\ud800-\udfff]")
# Digits. Python refuses to write out integers much longer than this.
LONGEST_NUMBER = 1_000
# Characters of a key in the path to a value: keys may be as long as the document.
KEY_SHOWN = 80
NUL_SHOWN = "\u2400"
NUL, LONE_SURROGATE = "NUL character", "lone surrogate"


@dataclass(frozen=True, slots=True)
class Word:
    """A number that JSON or Postgres cannot hold, as it was written."""

    text: str


@dataclass(slots=True)
class Cleaner:
    """Walks one JSON value; counts what it replaces and notes where."""

    replaced: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)

    def value(self, value: Json, path: str = "") -> Json:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {
                self.text(k): self.value(v, f"{path}/{k[:KEY_SHOWN]}") for k, v in value.items()
            }
        if isinstance(value, list):
            return [self.value(item, f"{path}/{index}") for index, item in enumerate(value)]
        if isinstance(value, Word):
            self.notes.append(f"{value.text[:40]} at {self.text(path) or '/'} became null")
            return None
        return value

    def text(self, text: str) -> str:
        if "\x00" in text:
            self.replaced[NUL] += text.count("\x00")
            text = text.replace("\x00", NUL_SHOWN)
        if not text.isascii():
            text, count = SURROGATE.subn("\ufffd", text)
            if count:
                self.replaced[LONE_SURROGATE] += count
        return text


class Numbers:
    """Reads numbers; those that nothing can hold stay words, and are counted."""

    def __init__(self) -> None:
        self.words = 0

    def word(self, text: str) -> Word:
        self.words += 1
        return Word(text)

    def fraction(self, text: str) -> float | Word:
        value = float(text)
        return value if math.isfinite(value) else self.word(text)

    def whole(self, text: str) -> int | Word:
        return int(text) if len(text) <= LONGEST_NUMBER else self.word(text)


class Pairs:
    """Builds objects and remembers names that came twice in one, of which the last counts."""

    def __init__(self) -> None:
        self.repeated: Counter[str] = Counter()

    def __call__(self, pairs: list[tuple[str, Json]]) -> dict[str, Json]:
        built = dict(pairs)
        if len(built) < len(pairs):
            names = Counter(name for name, _ in pairs)
            self.repeated.update({name: n - 1 for name, n in names.items() if n > 1})
        return built

    def notes(self, cleaner: Cleaner) -> Iterator[str]:
        for name, times in self.repeated.items():
            shown = cleaner.text(name)[:40]
            yield f'the name "{shown}" came {times + 1} times in one object, the last one counts'


def only(text: str, *, depth: int, position: str = "") -> Record:
    """The one value that is the whole text. Raises JSONDecodeError, or Unreadable if deep."""
    try:
        return Record(compact_json.loads(text, depth=depth), position)
    except compact_json.NotCompact:
        return Reader(text, depth=depth).only(position=position)


class Reader:
    """Reads JSON values out of one text, tolerantly, and cleans them."""

    def __init__(self, text: str, *, depth: int) -> None:
        self.text = text
        self.depth = depth
        self.suspect = "\x00" in text or ("\\u" in text and any(sign in text for sign in SUSPECT))
        self.pairs = Pairs()
        self.numbers = Numbers()
        self.decoder = json.JSONDecoder(
            strict=False,
            object_pairs_hook=self.pairs,
            parse_constant=self.numbers.word,
            parse_float=self.numbers.fraction,
            parse_int=self.numbers.whole,
        )

    def only(self, *, position: str = "") -> Record:
        """The one value that is the whole text. Raises JSONDecodeError, or Unreadable if deep."""
        record, end = self.at(0, position=position)
        if end < len(self.text):
            raise json.JSONDecodeError("Extra data", self.text, end)
        return record

    def at(self, start: int, *, position: str = "") -> tuple[Record, int]:
        """The value that begins here, and where the next one may begin."""
        self.pairs.repeated.clear()
        try:
            value, end = self.decoder.raw_decode(self.text, self.after_space(start))
        except RecursionError as error:
            raise too_deep(self.depth) from error
        check_depth(value, self.depth)
        cleaner = Cleaner()
        if self.suspect or self.numbers.words:
            value = cleaner.value(value)
        notes = (*cleaner.notes, *self.pairs.notes(cleaner))
        return Record(value, position, cleaner.replaced, notes), self.after_space(end)

    def after_space(self, start: int) -> int:
        match = SPACE.match(self.text, start)
        return match.end() if match else start


def check_depth(value: Json, limit: int) -> None:
    level = [value] if type(value) in NESTING else []
    for _ in range(limit):
        if not level:
            return
        level = [
            child
            for container in level
            for child in (container.values() if type(container) is dict else container)
            if type(child) in NESTING
        ]
    if level:
        raise too_deep(limit)


def too_deep(limit: int) -> Unreadable:
    return Unreadable(f"The JSON is nested deeper than {limit} levels.")
