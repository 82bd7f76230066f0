"""Foreign JSON of any shape counts as empty where it is not of the shape that is asked for."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from traces import facts
from traces.formats.records import loose
from traces.transcript import PartKind

ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(ANY)
def test_nothing_is_too_strange(value: object) -> None:
    assert isinstance(loose.text(value), str)
    assert isinstance(loose.name(value), str)
    assert isinstance(loose.shown(value), str)
    assert all(isinstance(each, dict) for each in loose.objects(value))
    assert loose.at(value, "a", "b") is None or isinstance(value, dict)


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (7, 7),
        ("7", 7),
        ("007", 7),
        (True, None),
        (7.5, None),
        ("7.5", None),
        ("٧", None),
        (None, None),
    ],
)
def test_whole_numbers_may_be_texts(value: object, number: int | None) -> None:
    assert loose.number(value) == number


@pytest.mark.parametrize(
    ("value", "name"), [("a", "a"), (7, "7"), (True, ""), (None, ""), ({}, "")]
)
def test_a_name_may_be_a_number(value: object, name: str) -> None:
    assert loose.name(value) == name


@given(ANY)
def test_what_is_shown_is_the_text_or_json_that_says_the_same(value: object) -> None:
    shown = loose.shown(value)

    if value is None:
        assert shown == ""
    elif isinstance(value, str):
        assert shown == value
    else:
        assert json.loads(shown) == value


def test_a_state_has_its_facts_as_lines() -> None:
    part = loose.state("order", before="v1", after="v2", change="lost")

    assert part.kind is PartKind.STATE
    assert part.text == "lost\n\nartifact: order\nbefore: v1\nafter: v2"
    assert facts.main_text(part) == "lost"


def test_a_digest_does_not_depend_on_the_order_of_keys() -> None:
    assert loose.digest({"a": 1, "b": 2}) == loose.digest({"b": 2, "a": 1})
    assert loose.digest([1, 2]) != loose.digest([2, 1])
