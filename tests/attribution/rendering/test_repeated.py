from __future__ import annotations

from os.path import commonprefix

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attribution.rendering.repeated import Repeated, common_length, repeated_prefix


@pytest.mark.parametrize(
    ("text", "before"),
    [
        ("", ""),
        ("a\nb\n", "a\nb\n"),
        ("a\nb\nc", "a\nb\nd"),
        ("x" * 300, "x" * 250),
        ("a\nb\nc\n", "b\nc\n"),
    ],
)
def test_little_is_not_folded(text: str, before: str) -> None:
    assert repeated_prefix(text, before) is None


@pytest.mark.parametrize(
    ("text", "before", "repeated"),
    [
        ("a\nb\nc\nd", "a\nb\nc\n", Repeated(6, 3)),
        ("a\nb\nc\nde", "a\nb\nc\ndf", Repeated(6, 3)),
        ("a\nb\nc", "a\nb\nc", Repeated(5, 3)),
        ("a\nb\nc", "a\nb\ncd", Repeated(5, 3)),
        (f"{'x' * 200}\ny", f"{'x' * 200}\nz", Repeated(201, 1)),
    ],
)
def test_the_common_beginning_ends_with_a_line(text: str, before: str, repeated: Repeated) -> None:
    assert repeated_prefix(text, before) == repeated


@given(st.text("ab\n"), st.text("ab\n"), st.text("ab\n"))
def test_the_common_length_is_that_of_the_standard_library(head: str, one: str, two: str) -> None:
    texts = head + one, head + two
    assert common_length(*texts) == len(commonprefix(texts))  # noqa: RUF071 -- of texts, not of paths
