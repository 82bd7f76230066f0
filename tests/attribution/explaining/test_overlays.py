"""Paths on a map of ten units a step and twenty a lane, drawn as worked out by hand."""

from __future__ import annotations

from attribution.explaining import Path
from attribution.explaining.overlays import MOST_CURVES, Curve, overlay
from tests.attribution.explaining.scenes import candidate, explained


def x(step: int) -> float:
    return 10 * step


def y(step: int) -> float:
    return 20 * (step % 2)


def test_both_paths_are_given_as_steps_and_whether_a_link_was_guessed() -> None:
    found = explained(candidate(1, 1), candidate(2, 5, carriers=(6,))).paths
    assert found == [
        Path("A", (1, 7), ((1, 3, True), (3, 6, False), (6, 7, True))),
        Path("B", (5, 7), ((5, 7, False),)),
    ]


def test_an_explanation_without_a_path_still_has_its_ends() -> None:
    found = explained(candidate(1, 5, 3), candidate(2, None)).paths
    assert found == [Path("A", (5, 3), ()), Path("B", (7,), ())]


def test_one_runs_above_the_lanes_and_the_other_below() -> None:
    links = ((0, 2, False), (2, 5, True))
    above, below = (overlay(Path(name, (0, 5), links), x, y) for name in ("A", "B"))
    assert above.ends == ((0.0, -3.0), (50.0, 17.0))
    assert below.ends == ((0.0, 3.0), (50.0, 23.0))
    assert above.curves == (
        Curve("M0.0 -3.0C10.0 -3.0 10.0 -3.0 20.0 -3.0", guessed=False),
        Curve("M20.0 -3.0C35.0 -3.0 35.0 17.0 50.0 17.0", guessed=True),
    )


def test_a_very_long_path_is_drawn_in_longer_strides() -> None:
    links = tuple((n, n + 1, n == 3) for n in range(50_000))
    found = overlay(Path("A", (0, 50_000), links), x, y)
    assert len(found.curves) <= MOST_CURVES
    assert [curve.guessed for curve in found.curves] == [True] + [False] * (len(found.curves) - 1)
    assert found.curves[-1].d.endswith(" 500000.0 -3.0")
