"""The reader's marks and the candidates: each by its own shape, the weightiest first."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from attribution.drawn_steps import Marks
from attribution.minimap import Minimap, Strip, draw, strips
from attribution.minimap.signs import MOST_SIGNS, SHAPES
from attribution.minimap.ticks import MOST_STRIPS, MOST_TICKS
from tests.attribution.minimap.paths import lines_of
from tests.attribution.minimap.runs import run_of


def drawn(size: int, **marks: Any) -> Minimap:
    return draw(run_of(np.arange(size) % 2), Marks(**marks))


@pytest.mark.parametrize(
    ("marks", "signs"),
    [
        ({}, []),
        ({"decisive": 0}, [("decisive", "first upstream: #0 a0")]),
        ({"exposing": 1}, [("exposing", "exposed it: #1 a1")]),
        ({"carriers": frozenset({0})}, [("carrier", "carried it: #0 a0")]),
        ({"considered": frozenset({1})}, [("considered", "considered: #1 a1")]),
        (
            {"missed": frozenset({0}), "cited": {(0, 2): [(0, 1)], (0, 3): [(0, 1)]}},
            [("missed", "missed here: #0 a0"), ("cited", "cited: #0 a0")],
        ),
        ({"candidates": {1: (1, 3)}}, [("candidate", "candidate 1, 3: #1 a1")]),
    ],
)
def test_each_mark_has_its_sign(marks: dict[str, Any], signs: list[tuple[str, str]]) -> None:
    found = drawn(2, **marks).signs
    assert [(sign.kind, sign.title) for sign in found] == signs


def test_no_two_kinds_look_alike() -> None:
    assert len({shape for shape, _ in SHAPES.values()}) == len(SHAPES)


def test_candidates_are_numbered_in_the_middle_of_their_step() -> None:
    """Of two steps each is 636 wide: the second one's middle is at 128 + 954."""
    (sign,) = drawn(2, candidates={1: (2, 5)}).signs
    assert (sign.text, sign.x, sign.y) == ("2", 1082, 29)


def test_what_weighs_most_is_drawn_last_and_the_rest_counted() -> None:
    many = frozenset(range(100))
    drawing = drawn(
        200, decisive=3, considered=many, carriers=many, candidates={150: (1,), 160: (2,)}
    )
    assert len(drawing.signs) == MOST_SIGNS
    assert [sign.kind for sign in drawing.signs[-3:]] == ["candidate", "candidate", "decisive"]
    assert [sign.text for sign in drawing.signs[-3:]] == ["2", "1", ""]
    assert drawing.more_signs == 203 - MOST_SIGNS


def test_a_strip_has_a_tick_for_each_step_and_knows_the_first() -> None:
    (strip,) = strips([Strip("“é\x00”", [3, 0, 3, 99, -1], 3)], 4)
    assert (strip.name, strip.count, strip.listed, strip.first) == ("“é⟨U+0000⟩”", 2, "0,3", 3)
    assert lines_of(strip.d) == [(7, 128, 445), (7, 1082, 1399)]
    assert strip.first_x == 1241


def test_strips_are_bounded() -> None:
    found = strips([Strip("x" * 999, np.arange(0, 50_000, 3)) for _ in range(9)], 50_000)
    assert len(found) == MOST_STRIPS
    for n, strip in enumerate(found):
        assert (strip.y, len(strip.name), strip.count) == (14 * n + 7, 18, 16_667)
        assert (len(strip.steps), strip.steps[0], strip.steps[-1]) == (MOST_TICKS, 0, 49_998)
        assert len(strip.d) < 4_000
