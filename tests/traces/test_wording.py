"""What a receipt says of many formats has room for some of them."""

from __future__ import annotations

import pytest

from traces.wording import some_of


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ([], ""),
        (["a name longer than all the room"], "a name longer than a"),
        (["a name longer than all the room", "b"], "a name longer than a"),
        (["atif@1", "harbor@1"], "atif@1, harbor@1"),
        (["atif@1", "harbor@1", "mcp@1"], "atif@1 and 2 more"),
        (["a", "b", "c", "d", "e", "f", "g"], "a, b, c, d, e, f, g"),
        (["a", "b", "c", "d", "e", "f", "g", "h"], "a, b, c and 5 more"),
    ],
)
def test_whole_names_and_a_count(names: list[str], said: str) -> None:
    assert some_of(names, ", ", most=20) == said
