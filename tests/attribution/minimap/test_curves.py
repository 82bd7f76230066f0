"""Links between lanes, and the path of a claim: as curves for few, gathered for many."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given

from attribution.drawn_steps import Marks
from attribution.minimap import Minimap, Scale, draw
from attribution.minimap.curves import MOST, STOPS, curves, joined
from attribution.minimap.scale import LANES
from tests.attribution.minimap.paths import curves_of
from tests.attribution.minimap.runs import run_of
from tests.attribution.scenes import consumes, failed, retry, says
from tests.traces.outline.test_columns import transcripts
from traces.causality import StepGraph
from traces.outline import outline_of
from traces.transcript import Link, LinkKind, Transcript


def drawn(*links: Link, actors: str = "abcab", **marks: object) -> Minimap:
    run = failed(*(says(n, "x", actor) for n, actor in enumerate(actors)), links=links)
    return draw(outline_of(run), Marks(**marks))  # type: ignore[arg-type]


def test_curves_show_handoffs_forks_joins_and_retries_between_actors() -> None:
    drawing = drawn(
        Link(0, 1, LinkKind.HANDOFF),
        Link(1, 2, LinkKind.SPAWN),
        Link(2, 3, LinkKind.JOIN, "the lane ends"),
        retry(1, 3),
        retry(1, 4),
        consumes(0, 3),
        Link(0, 3, LinkKind.FOLLOWS, "order"),
        Link(0, 4, LinkKind.PARENT),
    )
    # 1 to 4 stays in its lane, and the other three kinds would only fill the map.
    assert {layer.name: layer.steps for layer in drawing.curves} == {
        "handoff": 1, "spawn": 1, "inferred": 1, "retry_of": 1,
    }  # fmt: skip
    # Each of the five steps is 254.4 wide: the first ends, and the second begins, at 382.
    assert curves_of(drawing.curves[0].d) == [((382, 12), (382, 29))]
    assert drawing.undrawn == 0


def test_the_path_of_the_claim_is_dashed_where_nothing_recorded_joins_it() -> None:
    links = (consumes(0, 1), consumes(1, 2), Link(2, 4, LinkKind.FOLLOWS, "order"))
    drawing = drawn(*links, actors="ababa", decisive=0, carriers=frozenset({2}), exposing=4)
    assert [(layer.name, layer.steps) for layer in drawing.path] == [("", 1), ("inferred", 1)]
    assert drawn(*links, actors="ababa", decisive=0).path == ()
    assert drawn(*links, actors="ababa").path == ()


def test_marks_beyond_the_run_draw_nothing() -> None:
    drawing = drawn(actors="ab", decisive=1, exposing=7, carriers=frozenset({-1, 9}))
    assert drawing.path == ()
    assert [sign.step for sign in drawing.signs] == [1]


@given(transcripts())
def test_what_recorded_links_join_is_what_the_graph_says(transcript: Transcript) -> None:
    found, graph = outline_of(transcript), StepGraph(transcript.links).recorded_only()
    size = len(transcript.steps)
    for a, b in itertools.combinations(range(size), 2):
        assert joined(found, a, b) == (b in graph.descendants(a))


def test_of_a_path_over_very_many_steps_the_ends_stay() -> None:
    size = 1_000
    run = run_of(np.arange(size) % 2)
    drawing = draw(run, Marks(decisive=0, exposing=size - 1, carriers=frozenset(range(size))))
    (layer,) = drawing.path
    assert layer.steps == STOPS - 1
    ends = curves_of(layer.d)
    assert (ends[0][0][0], ends[-1][1][0]) == (129, 1398)


def test_very_many_links_are_gathered_and_those_left_out_counted() -> None:
    """Each step hands over to the next: 5,999 links, of two lanes, in 120 stretches of 50."""
    steps = np.arange(6_000)
    run = run_of(steps % 2, links=np.array([steps[:-1], steps[1:]]), relation=LinkKind.HANDOFF)
    found = curves(Scale(run))
    (layer,) = found.layers
    assert layer.steps == len(curves_of(layer.d)) == MOST
    # Within a stretch 25 links go one way and 24 the other; between two there is one.
    assert found.left_out == 5_999 - MOST * 25


def test_links_within_the_shared_lane_are_counted() -> None:
    steps = np.arange(LANES + 3)
    links = np.array([steps[-3:-1], steps[-2:]])
    found = curves(Scale(run_of(steps, links=links, relation=LinkKind.SPAWN)))
    assert (found.layers, found.left_out) == ((), 2)
