"""Selectors against paths, with answers read off by hand."""

from __future__ import annotations

import pytest

from traces.redaction.selectors import Selectors


def takes(selector: str, *path: str | None) -> bool:
    selectors = Selectors([(7, selector)])
    state = selectors.root
    for name in path:
        state = selectors.below(state, name)
    return selectors.owners(state) == {7}


@pytest.mark.parametrize(
    ("selector", "path"),
    [
        ("a", ("b",)),
        ("a/b", ("a",)),
        ("a/b", ("b", "a")),
        ("a/*/c", ("a", "c")),
        ("a/b", ("x", "a", "b")),
        ("**/b", ("a",)),
        ("steps/x", ("steps", None, "x")),
    ],
)
def test_a_selector_leaves_other_places(selector: str, path: tuple[str | None, ...]) -> None:
    assert not takes(selector, *path)


@pytest.mark.parametrize(
    ("selector", "path"),
    [
        ("a", ("a",)),
        ("a", ("a", "b", None)),
        ("A/b", ("a", "B")),
        ("steps/*/parts/*/text", ("steps", None, "parts", None, "text")),
        ("**/password", ("password",)),
        ("**/password", ("a", None, "b", "PassWord")),
        ("a/**/z", ("a", "z")),
        ("a/**/z", ("a", "b", "z", "z")),
        ("a~1b/c~0", ("a/b", "c~")),
        ("**", ("a",)),
    ],
)
def test_a_selector_takes_a_place_and_what_is_in_it(
    selector: str, path: tuple[str | None, ...]
) -> None:
    assert takes(selector, *path)


def test_what_was_learned_of_hostile_names_is_forgotten() -> None:
    selectors = Selectors([(0, "**/x")])
    for number in range(50_000):
        selectors.below(selectors.root, str(number))
    assert len(selectors.learned) <= 20_000
    assert selectors.owners(selectors.below(selectors.root, "X")) == {0}


def test_names_that_no_selector_has_lead_to_one_place() -> None:
    selectors = Selectors([(0, "**/a/b"), (1, "*/c"), (2, "**/" * 5 + "d")])
    places = {selectors.below(selectors.root, f"x{number}") for number in range(100)}
    assert len(places) == 1
    (place,) = places
    assert selectors.owners(selectors.below(place, "c")) == {1}
    assert selectors.owners(selectors.below(place, "D")) == {2}
