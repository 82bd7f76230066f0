from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attribution.rendering.locate import locate


def found(text: str, selected: str) -> list[str]:
    return [text[start:end] for start, end in locate(text, selected)]


@pytest.mark.parametrize("selected", ["", "  \n", "absent"])
def test_what_is_not_there_is_not_found(selected: str) -> None:
    assert locate("a text", selected) == []


@pytest.mark.parametrize(
    ("text", "selected", "there"),
    [
        ("one two one", "one", ["one", "one"]),
        ("a  b\nc", "a b c", ["a  b\nc"]),
        ("Use **the v2** API", "the v2 API", ["the v2** API"]),
        ("see [the docs](https://x.example/a) now", "the docs now", None),
        ("- first\n- second", "first\nsecond", ["first\n- second"]),
        ("1. first\n2. second", "first\nsecond", ["first\n2. second"]),
        ("# Title\n\ntext", "Title\ntext", ["Title\n\ntext"]),
        ("| a | b |\n|---|---|\n| 1 | 2 |", "1\t2", ["1 | 2"]),
        ("a,b\n1,2", "1\t2", ["1,2"]),
        ('{"a": "x\\ny"}', "x\ny", ["x\\ny"]),
        ('{"a": "gr\\u00fcn"}', "grün", ["gr\\u00fcn"]),
        ("a\u202eb", "ab", ["a\u202eb"]),
        ("1.5", "15", []),
    ],
)
def test_markup_and_white_space_do_not_count(
    text: str, selected: str, there: list[str] | None
) -> None:
    if there is None:
        there = ["the docs](https://x.example/a) now"]
    assert found(text, selected) == there


@given(st.text(), st.integers(0, 50), st.integers(1, 50))
def test_any_stretch_of_a_text_is_found_in_it(text: str, start: int, length: int) -> None:
    piece = text[start : start + length].strip()
    if piece:
        assert piece in found(text, piece)


@given(st.text(alphabet=st.characters(categories=("L", "So")), min_size=1))
def test_a_string_is_found_as_json_writes_it(text: str) -> None:
    written = json.dumps({"key": text})
    assert text in [json.loads(f'"{piece}"') for piece in found(written, text)]
