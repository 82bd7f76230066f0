from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attribution.jumps import JUMPS, Landmarks, jump
from tests.attribution.scenes import consumes, failed, says, verifies
from traces.outline import Outline, outline_of
from traces.transcript import Link, LinkKind, StepStatus

NOWHERE = Landmarks()


def run_of(*steps: Any, **fields: Any) -> Outline:
    return outline_of(failed(*steps, **fields))


@pytest.fixture
def outline() -> Outline:
    """Eight steps of three actors, who first act in this order: planner, coder, verifier.

    step   0        1      2        3      4         5      6        7
    actor  planner  coder  planner  coder  verifier  coder  planner  verifier
    state                           error  failed           timeout

    Recorded: 0 -> 1, 0 -> 5, 1 -> 5, 5 -> 7. Inferred: 2 -> 5, 3 -> 4, 4 -> 5.
    """
    return run_of(
        says(0, "a"),
        says(1, "b", "coder"),
        says(2, "c"),
        says(3, "d", "coder", status=StepStatus.ERROR),
        verifies(4, "lint", "failed"),
        says(5, "f", "coder"),
        says(6, "g", status=StepStatus.TIMEOUT),
        verifies(7, "tests", "passed"),
        links=(
            consumes(0, 1),
            consumes(0, 5),
            consumes(1, 5),
            Link(2, 5, LinkKind.FOLLOWS, "order"),
            Link(3, 4, LinkKind.FOLLOWS, "order"),
            Link(4, 5, LinkKind.FOLLOWS, "order"),
            consumes(5, 7),
        ),
    )


@pytest.mark.parametrize("name", ["", "x", "END", "next-", "__class__", "\0", "end " * 10])
def test_a_jump_of_no_such_name_leads_nowhere(outline: Outline, name: str) -> None:
    assert jump(outline, NOWHERE, name, 3) is None


@pytest.mark.parametrize("name", JUMPS)
def test_in_a_run_without_steps_nothing_leads_anywhere(name: str) -> None:
    empty = outline_of(replace(failed(says(0, "x")), steps=()))
    assert jump(empty, Landmarks(exposing=(0,), gaps=[0], proposed=(0,)), name, 0) is None


@pytest.mark.parametrize(
    "name",
    ["failure", "origin", "next-gap", "previous-gap", "next-candidate", "previous-candidate"],
)
def test_what_nobody_knows_of_leads_nowhere(outline: Outline, name: str) -> None:
    assert jump(outline, NOWHERE, name, 3) is None


@pytest.mark.parametrize(
    ("name", "step", "there"),
    [
        ("start", 5, 0),
        ("end", 5, 7),
        # The nearest recorded input, though an inferred one is nearer; else an inferred one.
        ("up", 0, None),
        ("up", 1, 0),
        ("up", 4, 3),
        ("up", 5, 1),
        ("down", 0, 1),
        ("down", 2, 5),
        ("down", 5, 7),
        ("down", 7, None),
        # The nearest step of the lane above or below; of two as near the earlier one.
        ("lane-above", 0, None),
        ("lane-above", 1, 0),
        ("lane-above", 7, 5),
        ("lane-below", 0, 1),
        ("lane-below", 5, 4),
        ("lane-below", 4, None),
        ("before-in-lane", 1, None),
        ("before-in-lane", 5, 3),
        ("after-in-lane", 3, 5),
        ("after-in-lane", 7, None),
        # Errors, and checks that failed: 3, 4 and 6; from the last on to the first.
        ("next-error", 0, 3),
        ("next-error", 3, 4),
        ("next-error", 4, 6),
        ("next-error", 6, 3),
        ("next-error", 7, 3),
        ("previous-error", 0, 6),
        ("previous-error", 3, 6),
        ("previous-error", 5, 4),
        ("previous-error", 7, 6),
    ],
)
def test_where_jumps_lead(outline: Outline, name: str, step: int, there: int | None) -> None:
    assert jump(outline, NOWHERE, name, step) == there


def test_a_run_without_an_error_has_none_to_jump_to() -> None:
    outline = run_of(says(0, "a"), says(1, "b"))
    assert [jump(outline, NOWHERE, f"{by}-error", 0) for by in ("next", "previous")] == [None] * 2


@pytest.mark.parametrize(("step", "there"), [(0, 4), (4, 7), (7, 4), (5, 7)])
def test_of_several_failures_the_next_one(outline: Outline, step: int, there: int) -> None:
    assert jump(outline, Landmarks(exposing=(7, 4)), "failure", step) == there


@pytest.mark.parametrize(
    ("known", "there"),
    [
        ({"exposing": (7,)}, None),
        ({"proposed": (6, 2)}, 6),
        # 6 leads to nothing; 2 leads to 7 over 5.
        ({"exposing": (7,), "proposed": (6, 2, 0)}, 2),
        ({"exposing": (7,), "proposed": (6, 3)}, 3),
        # Where no candidate leads there, the best one all the same.
        ({"exposing": (1,), "proposed": (6, 3)}, 6),
        ({"exposing": (7,), "proposed": (6, 2), "decisive": 4}, 4),
        ({"exposing": (7,), "proposed": (2,), "decisive": 0}, 0),
    ],
)
def test_the_suspected_origin(outline: Outline, known: dict[str, Any], there: int | None) -> None:
    assert jump(outline, Landmarks(**known), "origin", 7) == there


@pytest.mark.parametrize(
    ("step", "after", "before"), [(0, 2, 6), (2, 5, 6), (5, 6, 2), (6, 2, 5), (7, 2, 6)]
)
def test_gaps_and_candidates_come_in_the_order_of_steps(
    outline: Outline, step: int, after: int, before: int
) -> None:
    known = Landmarks(gaps=[5, 2, 6], proposed=(6, 2, 5, 2))
    for what in ("gap", "candidate"):
        assert jump(outline, known, f"next-{what}", step) == after
        assert jump(outline, known, f"previous-{what}", step) == before


@pytest.mark.parametrize("name", ["failure", "origin", "next-gap", "next-candidate"])
def test_marks_of_a_reading_with_more_steps_lead_nowhere(outline: Outline, name: str) -> None:
    beyond = Landmarks(exposing=(8,), gaps=[8], proposed=(99,), decisive=8)
    assert jump(outline, beyond, name, 3) is None
    assert jump(outline, Landmarks(exposing=(8, 7), proposed=(99, 2)), "origin", 3) == 2


def test_where_there_is_only_one_it_is_come_back_to(outline: Outline) -> None:
    known = Landmarks(gaps=[3])
    assert [jump(outline, known, f"{by}-gap", 3) for by in ("next", "previous")] == [3, 3]


@st.composite
def known_runs(draw: st.DrawFn) -> tuple[Outline, Landmarks, int]:
    size = draw(st.integers(1, 12))
    number = st.integers(0, size - 1)
    statuses = st.sampled_from([StepStatus.OK, StepStatus.ERROR, StepStatus.NOT_CAPTURED])
    steps = [says(n, "x", draw(st.sampled_from("abc")), status=draw(statuses)) for n in range(size)]
    rules = st.sampled_from(["", "order"])
    ends = draw(st.sets(st.tuples(number, number).filter(lambda pair: pair[0] < pair[1])))
    links = tuple(Link(a, b, LinkKind.CONSUMES, draw(rules)) for a, b in sorted(ends))
    known = Landmarks(
        exposing=tuple(draw(st.lists(number, max_size=3))),
        gaps=draw(st.lists(number, max_size=4)),
        proposed=tuple(draw(st.lists(number, max_size=4))),
        decisive=draw(st.none() | number),
    )
    return run_of(*steps, links=links), known, draw(number)


@given(known_runs(), st.sampled_from(sorted(JUMPS)))
def test_a_jump_leads_to_a_step_of_the_run_or_nowhere(
    known: tuple[Outline, Landmarks, int], name: str
) -> None:
    outline, landmarks, step = known
    there = jump(outline, landmarks, name, step)
    assert there is None or (type(there) is int and 0 <= there < len(outline))


@given(known_runs(), st.sampled_from(["error", "gap", "candidate"]))
def test_going_on_comes_by_all_of_them_and_back(
    known: tuple[Outline, Landmarks, int], what: str
) -> None:
    outline, landmarks, step = known
    bad = {n for n in range(len(outline)) if outline.failing[n]}
    all_of = {"error": bad, "gap": set(landmarks.gaps), "candidate": set(landmarks.proposed)}[what]
    for by, ordered in (("next", sorted(all_of)), ("previous", sorted(all_of, reverse=True))):
        at, visited = step, []
        for _ in ordered:
            there = jump(outline, landmarks, f"{by}-{what}", at)
            assert there is not None
            visited.append(there)
            at = there
        begin = ordered.index(visited[0]) if visited else 0
        assert visited == ordered[begin:] + ordered[:begin]
