"""The shape of a run against its project's: the fences, what lies outside, and in which words."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.factories import make_step, make_transcript
from traces import trajectory
from traces.trajectory import MEASURES, Shape
from traces.transcript import Link, LinkKind, Part, PartKind

USUAL = Shape(duration=60.0, steps=50, tool_calls=10, retries=0)
counts = st.integers(min_value=0, max_value=10**6)
durations = st.none() | st.floats(min_value=0, max_value=1e11)
shapes = st.builds(Shape, duration=durations, steps=counts, tool_calls=counts, retries=counts)


def of_steps(*steps: int) -> list[Shape]:
    return [Shape(None, number, 0, 0) for number in steps]


def test_fewer_than_twenty_runs_have_no_fences() -> None:
    assert trajectory.fences_of([USUAL] * 19) == dict.fromkeys(MEASURES)
    assert None not in trajectory.fences_of([USUAL] * 20).values()


def test_a_measure_that_fewer_than_twenty_runs_have_has_no_fences() -> None:
    shapes = [Shape(None, 50, 10, 0)] * 30 + [USUAL] * 19
    fences = trajectory.fences_of(shapes)
    assert (fences["duration"], fences["steps"] is None) == (None, False)


def test_without_fences_nothing_is_unusual() -> None:
    assert trajectory.outliers(USUAL, {}, run_count=0) == ()
    assert trajectory.outliers(USUAL, dict.fromkeys(MEASURES), run_count=5) == ()


def test_a_worked_example() -> None:
    """By hand: steps 31, 33, … 69 have logs of 1 + n between log 32 and log 70.

    Type 7 puts the quartiles at places 4.75 and 14.25 of 0 to 19, so between 39 and 41 and
    between 59 and 61: log 40 + ¾ (log 42 - log 40) = 3.72547 and log 60 + ¼ (log 62 - log 60)
    = 4.10254. The range is 0.37707, one and a half of it 0.56561. The fences are at
    exp(3.15986) - 1 = 22.567 and exp(4.66815) - 1 = 105.501: whole runs have 23 to 105 steps.
    """
    fences = trajectory.fences_of(of_steps(*range(31, 70, 2)))
    assert fences["steps"] == [23, 105]
    (found,) = trajectory.outliers(Shape(None, 212, 0, 0), fences, run_count=20)
    assert found.kind == "outlier"
    assert found.detail == ("212 steps; runs of this project have 23 to 105 (fences over 20 runs)")
    for steps, outside in ((22, 1), (23, 0), (105, 0), (106, 1)):
        shape = Shape(None, steps, 0, 0)
        assert len(trajectory.outliers(shape, fences, run_count=20)) == outside, steps


def test_where_the_quartiles_agree_the_range_is_a_doubling() -> None:
    """Then the fences lie a factor of two to the power of one and a half, 2.83, away."""
    fences = trajectory.fences_of([USUAL] * 40 + [Shape(60.0, 500, 10, 40)])
    assert fences["steps"] == [math.ceil(51 / 2**1.5 - 1), math.floor(51 * 2**1.5 - 1)]
    assert fences["retries"] == [0, 1]
    assert fences["duration"] == pytest.approx([61 / 2**1.5 - 1, 61 * 2**1.5 - 1], abs=1e-6)


def test_each_measure_has_its_words() -> None:
    fences = {"duration": [40.0, 754.4], "steps": [2, 88], "tool_calls": [0, 3], "retries": [0, 0]}
    shape = Shape(duration=7384.0, steps=1, tool_calls=1200, retries=1)
    assert [each.detail for each in trajectory.outliers(shape, fences, run_count=1_420)] == [
        "It took 2 h 03 min; runs of this project take 40 s to 12 min 34 s"
        " (fences over 1,420 runs)",
        "1 step; runs of this project have 2 to 88 (fences over 1,420 runs)",
        "1,200 tool calls; runs of this project have up to 3 (fences over 1,420 runs)",
        "1 retry; runs of this project have up to 0 (fences over 1,420 runs)",
    ]


def test_lengths_of_time_are_spoken_in_two_units() -> None:
    spoken = {0: "0 s", 3.2514: "3.25 s", 59.9: "59.9 s", 60: "1 min 00 s", 3599.6: "1 h 00 min"}
    assert {value: trajectory.spoken(value) for value in spoken} == spoken


def test_what_was_not_recorded_is_not_unusual() -> None:
    fences = trajectory.fences_of([USUAL] * 20)
    assert trajectory.outliers(Shape(None, 50, 10, 0), fences, run_count=20) == ()


@given(st.lists(shapes, min_size=20, max_size=60))
def test_fences_are_those_of_numpy(given_shapes: list[Shape]) -> None:
    fences = trajectory.fences_of(given_shapes)
    for name in ("steps", "tool_calls", "retries"):
        logs = np.log1p([getattr(shape, name) for shape in given_shapes])
        low, high = np.percentile(logs, [25, 75])
        reach = 1.5 * (high - low if high - low > 1e-9 else np.log(2))
        lower = max(0.0, np.expm1(low - reach))
        upper = min(np.expm1(high + reach), 1e11)
        # A whole number away where the last bits of a logarithm decide.
        assert fences[name][0] == pytest.approx(np.ceil(lower), abs=1), name
        assert fences[name][1] == pytest.approx(np.floor(upper), abs=1, rel=1e-9), name


@given(st.lists(shapes, min_size=20, max_size=60), st.randoms())
def test_the_order_of_the_runs_does_not_matter(given_shapes: list[Shape], random) -> None:
    shuffled = random.sample(given_shapes, len(given_shapes))
    assert trajectory.fences_of(shuffled) == trajectory.fences_of(given_shapes)


@given(st.lists(shapes, min_size=20, max_size=60))
def test_at_least_half_of_the_runs_are_usual(given_shapes: list[Shape]) -> None:
    fences = trajectory.fences_of(given_shapes)
    for name in MEASURES:
        have = [s for s in given_shapes if getattr(s, name) is not None]
        fence = fences[name]
        if fence is None:
            assert len(have) < 20
            continue
        outside = [s for s in have if not fence[0] <= getattr(s, name) <= fence[1]]
        assert 0 <= fence[0] <= fence[1]
        assert len(outside) <= len(have) / 2, name


def test_tool_calls_and_retries_are_counted() -> None:
    request = Part(PartKind.TOOL_REQUEST, "curl")
    transcript = make_transcript(
        make_step(0, parts=(request, request)),
        make_step(1, attempt=1),
        make_step(2, attempt=2),
        make_step(3),
        links=(Link(1, 2, LinkKind.RETRY_OF), Link(1, 3, LinkKind.RETRY_OF)),
    )
    assert (trajectory.tool_calls(transcript), trajectory.retries(transcript)) == (2, 2)
