from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attribution.sought import MOST, Sought, Unsearchable
from traces.folding import folded


def ranges(words: str, text: str) -> list[str]:
    """What is found, as it stands in the text."""
    return [text[start:end] for start, end in Sought.of(words).ranges(text)]


@pytest.mark.parametrize("words", ["", "  ", "\0", "\n\t"])
def test_nothing_cannot_be_looked_for(words: str) -> None:
    with pytest.raises(Unsearchable, match="Type what to look for"):
        Sought.of(words)


def test_too_much_cannot_be_looked_for() -> None:
    with pytest.raises(Unsearchable, match="at most 400 characters"):
        Sought.of("x" * 401)


@pytest.mark.parametrize(
    ("words", "text", "found"),
    [
        ("x", "an X and an x", ["X", "x"]),
        ("retire", "status: RETIRED", ["RETIRE"]),
        ("aa", "aaaaa", ["aa", "aa"]),
        (".*", "a.*b .+", [".*"]),
        ("(a+)+$", "aaaa (a+)+$", ["(a+)+$"]),
        ("no such  file", "No such\nfile here", ["No such\nfile"]),
        ("7250", "7,250 or 17250 or 7250.00", ["7,250", "7250", "7250.00"]),
        ("72", "72 of 7250", ["72", "72"]),
        ("café", "CAFÉ, cafe\u0301", ["CAFÉ", "cafe\u0301"]),
        ("file", "a ﬁle", ["ﬁle"]),
        ("错误", "系统错误。", ["错误"]),
        ("\u0301", "cafe\u0301", ["\u0301"]),
        ("it's", "It’s so", ["It’s"]),
        ("absent", "nothing", []),
    ],
)
def test_words_are_found_wherever_they_stand(words: str, text: str, found: list[str]) -> None:
    assert ranges(words, text) == found
    assert Sought.of(words).count(text) == len(found)


def test_as_written_only_case_makes_no_difference() -> None:
    assert Sought.of("café").count_as_written("CAFÉ, cafe\u0301") == 1


def test_places_in_one_text_are_bounded() -> None:
    assert Sought.of("a").count("a" * 50_000) == MOST
    assert len(Sought.of("1").ranges("1 " * 50_000)) == MOST


@pytest.mark.parametrize("words", ["a" * 400, "1," * 200, " 1" * 200, "1/2/3 " * 60, "'1" * 200])
def test_no_words_take_long(words: str) -> None:
    sought = Sought.of(words)
    began = time.perf_counter()
    for text in ("a" * 200_000, "1," * 100_000, "1 " * 100_000, "1/2/3 " * 30_000, "é1" * 100_000):
        sought.count(text)
    assert time.perf_counter() - began < 10


TEXTS = st.text(st.sampled_from("ab1,. é\u0301ﬁK²İß\u2019'-\u2014"), max_size=30)


@given(TEXTS, TEXTS)
def test_what_stands_in_a_text_is_found_in_order(text: str, words: str) -> None:
    if not folded(words.strip()).strip():
        return
    sought = Sought.of(words)
    found = sought.ranges(text)
    assert len(found) == sought.count(text)
    assert sought.holds(text) == bool(found)
    assert [start for start, _ in found] == sorted(start for start, _ in found)
    assert all(0 <= start < end <= len(text) for start, end in found)
    if words.strip() in text:
        assert found


@given(TEXTS, TEXTS)
def test_a_text_that_holds_it_has_its_anchors(text: str, words: str) -> None:
    """The database hands over no other text."""
    if folded(words.strip()).strip():
        sought = Sought.of(words)
        there = folded(text)
        has = all(anchor in there or anchor in text.lower() for anchor in sought.anchors)
        assert has or not sought.holds(text)


@pytest.mark.parametrize(
    ("words", "anchors"),
    [
        ("needle", ("needle",)),
        ("Step 49990", ("step", "990")),
        ("a 7,250 b", ("25", "a", "b")),
        ("one two three four five six", ("three", "five", "four", "one")),
    ],
)
def test_anchors_are_what_no_spelling_changes(words: str, anchors: tuple[str, ...]) -> None:
    assert Sought.of(words).anchors == anchors


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("3 March 2025 is it", "2025-03-03 is it"),
        ("1 234 567 rows", "12,34,567 rows"),
        ("50 % of 7250.0", "50 percent of 7,250"),
        ("v1.2.3 of 2025-03-03", "v1.2.3 of 3 March 2025"),
    ],
)
def test_other_spellings_have_the_anchors_too(words: str, text: str) -> None:
    assert Sought.of(words).holds(text)
    assert all(anchor in folded(text) for anchor in Sought.of(words).anchors)
