"""Which characters beyond ASCII folding turns into letters that are looked for. Plain Python.

A text that has none of them holds plain words only where it has them letter by letter: so a
database can leave out what it need not hand over.
"""

from __future__ import annotations

from functools import cache, lru_cache
from itertools import chain

from traces.folding import folded

# Where characters are that folding makes something else of.
CHANGING = (
    range(0x80, 0x3400), range(0xA640, 0xAC00), range(0xF900, 0x10000), range(0x10400, 0x10600),
    range(0x10780, 0x107C0), range(0x10C80, 0x10D90), range(0x118A0, 0x118E0),
    range(0x16E40, 0x16E80), range(0x1CCD0, 0x1CD00), range(0x1D150, 0x1F300),
    range(0x1FBF0, 0x1FC00), range(0x2F800, 0x2FA20),
)  # fmt: skip


@cache
def into_ascii() -> dict[str, str]:
    """For each ASCII character all others that fold to a text that has it."""
    found: dict[str, list[str]] = {}
    for letter in map(chr, chain(*CHANGING)):
        for part in set(folded(letter)):
            if part.isascii():
                found.setdefault(part, []).append(letter)
    return {part: "".join(letters) for part, letters in found.items()}


@lru_cache(maxsize=64)
def lookalikes(words: str) -> str:
    """The characters that fold to a text with one of these, which are ASCII."""
    known = into_ascii()
    return "".join(sorted(set(chain(*(known.get(letter, "") for letter in words)))))
