"""The quick reader of our own JSON makes what the tolerant one makes, or leaves it to that one."""

import json
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from traces.formats.base import Unreadable
from traces.formats.files import cleaning, compact_json

DEPTH = 6
TEXTS = st.text(st.characters(exclude_categories=[]), max_size=6)
SCALARS = (
    TEXTS
    | st.integers()
    | st.integers(-(2**66), 2**66)
    | st.floats()
    | st.booleans()
    | st.none()
    | st.sampled_from(["\x00", "\ud800", "\U0001f600", "\x1f", "\x7f", "\u2028", '\\"', "\\u0000"])
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)
# What may be in the text without being what our writer would write there.
ESCAPES = ["\\u0041", "\\u0000", "\\ud800", "\\/", "\x00", "\ud800", "\ufeff"]
NUMBERS = ["-0", "1e2", "1E400", "NaN", "-Infinity", "18446744073709551616", "0.10", "1.0"]
MARKS = [" ", "\n", "\r", "\t", '"a":1,"a":2,', "[[[[", "]]]]", ",", ":", '"', "{", "}", "'", "//"]
ODDITIES = st.sampled_from([*ESCAPES, *NUMBERS, *MARKS])


def outcome(text: str, *, quick: bool) -> str:
    """All that reading gives, with the class of each value, or what was raised."""
    try:
        if quick:
            return repr(cleaning.only(text, depth=DEPTH))
        return repr(cleaning.Reader(text, depth=DEPTH).only())
    except (json.JSONDecodeError, Unreadable) as error:
        return f"{type(error).__name__}: {error}"


def written(value: Any, *, compact: bool, ascii_only: bool) -> str:
    separators = (",", ":") if compact else None
    return json.dumps(value, separators=separators, ensure_ascii=ascii_only)


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1}',
        '{"a":1,"a":2}',
        '{"a":1e2}',
        '{"a":1.50}',
        '{"a":-0}',
        '{"a":NaN}',
        '{"a":18446744073709551616}',
        '{"a":"\\u00e9"}',
        '{"a":"\\u0000"}',
        '{"a":"\\ud800"}',
        '{"a":"\ud800"}',
        '{"a":"x\ny"}',
        '{"a":1} {"a":2}',
        '{"a":1',
        "",
        "[" * 7 + "]" * 7,
        "[" * 2_000 + "]" * 2_000,
    ],
)
def test_other_json_is_left_to_the_tolerant_reader(text: str) -> None:
    with pytest.raises(compact_json.NotCompact):
        compact_json.loads(text, depth=DEPTH)


def test_reads_what_our_writer_writes() -> None:
    value: Any = {"a": [1, -2.5, 2**64 - 1, True, None, "é\x1f\u2028\n"], "": {}, "b": [[[[[]]]]]}
    assert compact_json.loads(orjson.dumps(value).decode(), depth=DEPTH) == value


def test_line_feeds_may_stand_between_values() -> None:
    assert compact_json.loads('{"a":[\n1,\n2\n]}\n', depth=DEPTH) == {"a": [1, 2]}


@pytest.mark.parametrize("limit", [1, 6, 200, 253, 254])
def test_what_is_as_deep_as_allowed_is_read_and_nothing_deeper(limit: int) -> None:
    for opening, closing in (("[", "]"), ('{"a":', "}")):
        inner = '"x"' if opening != "[" else ""
        allowed = opening * limit + inner + closing * limit
        cleaning.check_depth(compact_json.loads(allowed, depth=limit), limit)
        with pytest.raises(compact_json.NotCompact):
            compact_json.loads(opening + allowed + closing, depth=limit)


@given(VALUES, st.booleans(), st.booleans())
def test_gives_what_the_tolerant_reader_gives(value: Any, compact: bool, ascii_only: bool) -> None:
    text = written(value, compact=compact, ascii_only=ascii_only)
    assert outcome(text, quick=True) == outcome(text, quick=False)


@given(VALUES, st.lists(st.tuples(st.integers(0, 200), ODDITIES), max_size=3), st.integers(0, 200))
def test_gives_the_same_of_text_that_is_odd_or_cut(
    value: Any, oddities: list[tuple[int, str]], cut: int
) -> None:
    text = written(value, compact=True, ascii_only=False)
    for place, odd in oddities:
        text = text[:place] + odd + text[place:]
    for given_text in (text, text[:cut]):
        assert outcome(given_text, quick=True) == outcome(given_text, quick=False)
