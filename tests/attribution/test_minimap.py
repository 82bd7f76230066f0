from __future__ import annotations

import itertools
import re
from dataclasses import replace
from typing import Any

import pytest

from attribution import minimap
from attribution.minimap import Minimap, draw
from attribution.sides import Marks
from tests.attribution.scenes import consumes, failed, retry, says
from traces.transcript import Actor, ActorKind, Gap, Link, LinkKind, StepStatus, Transcript

RIGHT_EDGE = minimap.WIDTH


def run_of(*actors: str, **fields: Any) -> Transcript:
    return failed(*(says(n, "x", actor) for n, actor in enumerate(actors)), **fields)


def drawn(run: Transcript, **marks: Any) -> Minimap:
    return draw(run, Marks(**marks))


def ends(d: str) -> tuple[float, float, float, float]:
    """Where a curve begins and ends."""
    numbers = [float(found) for found in re.findall(r"-?\d+\.?\d*", d)]
    return numbers[0], numbers[1], numbers[-2], numbers[-1]


def test_a_run_without_steps_is_an_empty_map() -> None:
    drawing = drawn(replace(run_of("a"), steps=()), decisive=0, exposing=None)
    assert (drawing.lanes, drawing.boxes, drawing.curves, drawing.total) == ((), (), (), 0)
    assert drawing.height == minimap.TOP


def test_a_lane_for_each_acting_actor_in_order_of_appearance() -> None:
    silent = Actor("silent", "silent", ActorKind.AGENT)
    run = run_of("b", "a", "b")
    drawing = drawn(replace(run, actors=(silent, *run.actors)))
    assert [name for name, _ in drawing.lanes] == ["b", "a"]
    ys = [y for _, y in drawing.lanes]
    assert [box.y for box in drawing.boxes] == [ys[0], ys[1], ys[0]]
    assert drawing.height > ys[-1]
    assert drawing.total == 3


def test_boxes_stand_in_causal_order_inside_the_map() -> None:
    for number in (1, 3, 60, 640):
        boxes = drawn(run_of(*["a"] * number)).boxes
        xs = [box.x for box in boxes]
        assert len(xs) == number
        assert xs == sorted(set(xs))
        assert xs[0] == minimap.NAMES
        assert boxes[-1].x + boxes[-1].width <= RIGHT_EDGE
        assert all(2 <= box.width <= 26 for box in boxes)


def test_names_of_lanes_tell_instances_apart_and_are_short() -> None:
    actors = (
        Actor("coder/1", "coder", ActorKind.AGENT, "coder/1"),
        Actor("coder/2", "coder", ActorKind.AGENT, "coder/2"),
        Actor("only/1", "only", ActorKind.AGENT, "only/1"),
        Actor("x" * 40, "y" * 40, ActorKind.AGENT),
        Actor("bell\x07", "bell\x07", ActorKind.AGENT),
    )
    run = run_of(*(actor.key for actor in actors), actors=actors)
    names = [name for name, _ in drawn(run).lanes]
    assert names == ["coder/1", "coder/2", "only", "y" * 17 + "…", "bell⟨U+0007⟩"]


def test_titles_say_what_the_step_is() -> None:
    step = replace(says(0, "x", "a\u202e"), tool="run\x1b")
    title = drawn(failed(step)).boxes[0].title
    assert title == "#0 a⟨U+202E⟩ message run⟨U+001B⟩"
    assert drawn(run_of("a")).boxes[0].title == "#0 a message"


def test_actors_with_few_steps_share_the_last_lane() -> None:
    busy = [f"busy{n}" for n in range(minimap.LANES)]
    run = run_of("rare1", *busy, "rare2", *busy, "rare3")
    drawing = drawn(run)
    assert [name for name, _ in drawing.lanes] == [*busy, "3 others"]
    _, shared = drawing.lanes[-1]
    rare = [box.y for box in drawing.boxes if run.steps[box.step].actor.startswith("rare")]
    assert rare == [shared] * 3
    assert drawing.others == 3
    assert shared < drawing.height
    assert drawn(run_of(*busy)).others == 0


def test_a_map_of_very_many_actors_is_small() -> None:
    actors = [Actor(f"a/{n}", "a", ActorKind.AGENT, f"a/{n}") for n in range(20_000)]
    run = run_of(*(actor.key for actor in actors), actors=tuple(actors))
    drawing = drawn(run)
    assert drawing.lanes[-1][0] == "19960 others"
    assert len(drawing.boxes) <= minimap.BOXES


def test_errors_and_gaps_of_a_long_run_are_drawn_by_column() -> None:
    steps = (replace(says(n, "x", "a"), status=StepStatus.ERROR) for n in range(20_000))
    gaps = tuple(Gap("sequence_hole", "x", n) for n in range(20_000))
    drawing = drawn(failed(*steps, gaps=gaps))
    assert len(drawing.boxes) <= minimap.COLUMNS
    assert {box.classes for box in drawing.boxes} == {"error"}
    assert len(drawing.gaps) <= RIGHT_EDGE


def test_a_title_is_cut_when_a_name_is_as_long_as_a_book() -> None:
    title = drawn(run_of("z" * 100_000)).boxes[0].title
    assert len(title) == minimap.TITLE
    assert title.endswith("z…")


@pytest.mark.parametrize(
    ("marks", "classes"),
    [
        ({}, ""),
        ({"decisive": 0}, "decisive"),
        ({"exposing": 0}, "exposed"),
        ({"carriers": frozenset({0})}, "carrier"),
        ({"missed": frozenset({0}), "cited": {(0, 2): [(0, 1)]}}, "missed cited"),
        ({"decisive": 1, "carriers": frozenset({1}), "cited": {(1, 0): []}}, ""),
    ],
)
def test_marks_of_the_reader_become_classes(marks: dict[str, Any], classes: str) -> None:
    assert drawn(run_of("a", "b"), **marks).boxes[0].classes == classes


@pytest.mark.parametrize(
    ("fields", "classes"),
    [
        ({"status": StepStatus.ERROR}, "error"),
        ({"status": StepStatus.TIMEOUT, "attempt": 2}, "error retry"),
        ({"status": StepStatus.CANCELLED, "attempt": 1}, "error"),
        ({"status": StepStatus.OK, "attempt": 3}, "retry"),
    ],
)
def test_what_went_wrong_becomes_classes(fields: dict[str, Any], classes: str) -> None:
    assert drawn(failed(replace(says(0, "x"), **fields))).boxes[0].classes == classes


def test_candidates_are_numbered_on_their_step() -> None:
    drawing = drawn(run_of("a", "b", "a"), candidates={1: (1, 3), 2: (2,)})
    assert [(box.step, box.candidates) for box in drawing.marked] == [(1, (1, 3)), (2, (2,))]
    box = drawing.marked[0]
    assert box.middle == pytest.approx(box.x + box.width / 2, abs=0.1)


def test_curves_show_handoffs_forks_joins_and_retries_between_lanes() -> None:
    links = (
        Link(0, 1, LinkKind.HANDOFF),
        Link(1, 2, LinkKind.SPAWN),
        Link(2, 3, LinkKind.JOIN, "the lane ends"),
        retry(1, 3),
        retry(1, 4),
        consumes(0, 3),
        Link(0, 3, LinkKind.FOLLOWS, "order"),
        Link(0, 4, LinkKind.PARENT),
    )
    drawing = drawn(run_of("a", "b", "c", "a", "b", links=links))
    # 1 to 4 stays in its lane, and the other three kinds would only fill the map.
    assert [curve.classes for curve in drawing.curves] == [
        "handoff", "spawn", "inferred", "retry_of",
    ]  # fmt: skip
    begin_x, begin_y, end_x, end_y = ends(drawing.curves[0].d)
    first, second = drawing.boxes[:2]
    assert (begin_y, end_x, end_y) == (first.y, second.x, second.y)
    assert first.x < begin_x <= second.x


def test_the_path_of_the_claim_is_dashed_where_nothing_recorded_joins_it() -> None:
    links = (consumes(0, 1), consumes(1, 2), Link(2, 4, LinkKind.FOLLOWS, "order"))
    run = run_of("a", "b", "a", "b", "a", links=links)
    drawing = drawn(run, decisive=0, carriers=frozenset({2}), exposing=4)
    assert [curve.classes for curve in drawing.path] == ["", "inferred"]
    assert drawn(run, decisive=0).path == ()
    assert drawn(run).path == ()


def test_gaps_are_drawn_once_at_their_step() -> None:
    gaps = (
        Gap("missing_parent", "x", 1),
        Gap("sequence_hole", "y", 1),
        Gap("no_times", "of the run"),
    )
    drawing = drawn(run_of("a", "b", gaps=gaps))
    assert drawing.gaps == (drawing.boxes[1].x,)


def test_a_long_run_has_columns_and_loses_nothing_special() -> None:
    number = 5000
    run = run_of(*["a", "b"] * (number // 2), links=(Link(0, 1, LinkKind.HANDOFF),))
    drawing = drawn(run, decisive=1235, carriers=frozenset({2468}), candidates={4001: (1,)})
    assert drawing.total == number
    assert drawing.curves == ()
    assert len(drawing.boxes) <= 2 * minimap.COLUMNS + 3
    steps = {box.step for box in drawing.boxes}
    assert {0, 1235, 2468, 4001} <= steps
    # Each step of a lane has a box of its lane to its left, no further than a column.
    column = RIGHT_EDGE / minimap.COLUMNS
    for lane in ("a", "b"):
        xs = sorted(box.x for box in drawing.boxes if run.steps[box.step].actor == lane)
        gaps = [b - a for a, b in itertools.pairwise(xs)]
        assert max(gaps) <= 2 * column
    assert [box.step for box in drawing.marked] == [4001]
