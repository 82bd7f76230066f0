from __future__ import annotations

import sys

from hypothesis import given
from hypothesis import strategies as st

from attribution.lookalikes import CHANGING, lookalikes
from traces.folding import folded


def test_known_ones() -> None:
    assert {"\ufb01", "ﬀ", "\uff46", "\U0001d41f"} <= set(lookalikes("f"))
    assert "\u212a" in lookalikes("k")
    assert {"\u2019", "\u2018"} <= set(lookalikes("'"))
    assert "é" not in lookalikes("e")
    assert lookalikes("") == ""


def test_no_character_elsewhere_folds_to_ascii() -> None:
    """Over all of Unicode."""
    inside = {number for numbers in CHANGING for number in numbers}
    others = (chr(n) for n in range(0x80, sys.maxunicode + 1) if n not in inside)
    assert [c for c in others if any(part.isascii() for part in folded(c))] == []


LETTERS = st.sampled_from(
    "abfik '-.12/\u0301\u0323\u0338éﬁK²½İßſ\u2019\u2014\uff46ΩΣ错가\u1100\u1161"
)
TEXTS = st.one_of(st.text(LETTERS, max_size=20), st.text(max_size=20))


@given(TEXTS, st.text(LETTERS, min_size=1, max_size=3), st.integers(0, 20))
def test_without_them_a_text_holds_only_what_it_has_letter_by_letter(
    text: str, words: str, at: int
) -> None:
    """Words of the folded text itself, and others."""
    there = folded(text)
    for sought in (words, there[at : at + 2]):
        if sought.isascii() and sought in there and not set(text) & set(lookalikes(sought)):
            lowered = "".join(c.lower() if c.isascii() else c for c in text)
            assert sought in lowered
