"""Steps as columns: none is left out, none stands in two, and nothing looks fuller than it is."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attribution.minimap import Scale
from attribution.minimap.columns import fitted, grid_of, line_of, lines, ticks
from attribution.minimap.scale import COLUMNS, LANES, NAMES, PLOT, TOP, Axis
from tests.attribution.minimap.paths import lines_of
from tests.attribution.minimap.runs import run_of
from traces.outline import Outline


@st.composite
def outlines(draw: st.DrawFn) -> Outline:
    """Of few actors or of more than there are rows, in stretches of some length."""
    size = draw(st.sampled_from([1, 2, 90, 635, 636, 637, 1300, 5000]))
    actors = draw(st.sampled_from([1, 2, 7, LANES + 9]))
    burst = draw(st.integers(1, 40))
    chance = np.random.default_rng(draw(st.integers(0, 99)))
    acting = np.repeat(chance.integers(0, actors, size // burst + 1), burst)[:size]
    return run_of(acting)


@given(outlines(), st.integers(1, 800), st.integers(1, 4))
def test_every_step_stands_in_one_stretch_of_its_row(run: Outline, most: int, levels: int) -> None:
    scale = Scale(run)
    _, found = fitted(grid_of(scale), most, levels)
    assert len(found) <= max(most, scale.rows)
    for step in range(0, len(run), max(1, len(run) // 60)):
        row = scale.row[step]
        own = [each for each in found if each.row == row and each.first <= step < each.end]
        assert len(own) == 1
    for before, after in itertools.pairwise(found):
        assert before.row < after.row or before.end <= after.first


@given(outlines())
def test_what_is_drawn_is_where_its_steps_are(run: Outline) -> None:
    scale = Scale(run)
    _, found = fitted(grid_of(scale), 10_000)
    drawn = lines_of(lines(scale, found, scale.y))
    assert len(drawn) == len(found)
    for (y, begin, end), each in zip(drawn, found, strict=True):
        assert y == TOP + 17 * each.row
        assert NAMES <= begin == scale.x(each.first)
        assert begin < end <= max(scale.x(each.end), begin + 1) <= NAMES + PLOT


def test_a_run_as_long_as_the_map_has_columns_has_one_for_each_step() -> None:
    for size, per in ((1, 1), (COLUMNS, 1), (COLUMNS + 1, 2), (50_000, 79)):
        assert Axis(size).per_column == per


def test_four_of_eight_steps_fill_half_a_column() -> None:
    """1272 steps are two to a column; of the first four columns a has 2, 1, 0 and 1 steps."""
    acting = np.zeros(2 * COLUMNS, dtype=int)
    acting[[3, 4, 5, 7]] = 1
    grid = grid_of(Scale(run_of(acting)))
    assert grid.counts[0, :5].tolist() == [2, 1, 0, 1, 2]
    assert grid.levels(4)[0, :5].tolist() == [4, 2, 0, 2, 4]
    assert grid.counts[1, :5].tolist() == [0, 1, 2, 1, 0]
    coarse = grid.coarser()
    assert (coarse.per, coarse.counts[0, :3].tolist()) == (4, [3, 1, 4])
    assert coarse.levels(4)[0, :3].tolist() == [3, 1, 4]


def test_a_coarse_column_with_some_of_its_steps_has_a_narrow_tick() -> None:
    axis = Axis(COLUMNS * 10)
    every_fortieth = np.arange(0, axis.size, 40)
    all_of_half = np.arange(axis.size // 2)
    some = lines_of(ticks(axis, line_of(axis, every_fortieth), 50, lambda _: 7))
    assert 25 <= len(some) <= 50
    assert {end - begin for _, begin, end in some} == {2}
    whole = lines_of(ticks(axis, line_of(axis, all_of_half), 50, lambda _: 7))
    assert whole == [(7, NAMES, NAMES + PLOT // 2)]


@pytest.mark.parametrize("size", [3, 50_000])
def test_ticks_that_fit_are_where_they_belong(size: int) -> None:
    axis = Axis(size)
    drawn = lines_of(ticks(axis, line_of(axis, np.array([1])), 50, lambda _: 7))
    assert len(drawn) == 1
    assert drawn[0][1] <= axis.x(1) + 1 <= drawn[0][2]


def test_the_nearest_step_of_a_row() -> None:
    scale = Scale(run_of(np.array([0, 1, 0, 0, 1, 1])))
    assert [scale.nearest(step, 1) for step in range(6)] == [1, 1, 1, 4, 4, 5]
    assert scale.nearest(2, 9) == 2
    assert [scale.beside(step) for step in (0, 1, 4)] == [(None, 2), (None, 4), (1, 5)]
