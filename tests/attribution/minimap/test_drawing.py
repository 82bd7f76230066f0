"""The whole map: what stands where, by hand, and what it may cost however long the run is."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import pytest

from attribution.drawn_steps import Marks
from attribution.minimap import Minimap, Strip, draw, lit_of
from attribution.minimap.scale import LANES, NAMES, PLOT, WIDTH
from tests.attribution.minimap.paths import lines_of
from tests.attribution.scenes import failed, says
from traces.outline import Outline, outline_of
from traces.transcript import Actor, ActorKind, StepStatus


def outline(*actors: str, **fields: Any) -> Outline:
    return outline_of(failed(*(says(n, "x", actor) for n, actor in enumerate(actors)), **fields))


def drawn(run: Outline, **marks: Any) -> Minimap:
    return draw(run, Marks(**marks))


def test_a_run_without_steps_is_an_empty_map() -> None:
    empty = outline_of(replace(failed(says(0, "x")), steps=()))
    drawing = draw(empty, Marks(decisive=0), gaps=[0, 3], selected=0)
    assert (drawing.lanes, drawing.layers, drawing.hits, drawing.signs) == ((), (), (), ())
    assert (drawing.total, drawing.gaps, drawing.lit, drawing.told) == (0, "", None, "")


def test_four_steps_of_two_actors_by_hand() -> None:
    """Of 1272 units each step has 318; its line leaves one free. Rows stand at 12 and 29."""
    drawing = drawn(outline("b", "a", "b", "b"))
    assert drawing.lanes == (("b", 12), ("a", 29))
    (layer,) = drawing.layers
    assert (layer.name, layer.steps) == ("level4", 4)
    assert layer.d == "M128 12h317m319 0h317m1 0h317M446 29h317"
    assert [(hit.step, hit.title) for hit in drawing.hits] == [
        (0, "#0 b message"), (1, "#1 a message"), (2, "#2 b message"), (3, "#3 b message"),
    ]  # fmt: skip
    assert drawing.hits[1].d == "M446 21h318v16h-318z"
    assert (drawing.height, drawing.stretch, drawing.per_column) == (46, 1, 1)


def test_steps_that_went_wrong_have_a_tick_above_and_retries_one_below() -> None:
    steps = [
        replace(says(0, "x"), status=StepStatus.TIMEOUT),
        replace(says(1, "x"), status=StepStatus.OK, attempt=2),
        replace(says(2, "x"), status=StepStatus.CANCELLED, attempt=1),
    ]
    layers = {layer.name: layer for layer in draw(outline_of(failed(*steps)), Marks()).layers}
    assert lines_of(layers["error"].d) == [(6, 128, 551), (6, 976, 1399)]
    assert lines_of(layers["retry"].d) == [(18, 552, 975)]


def test_a_lane_for_each_acting_actor_in_order_of_appearance() -> None:
    silent = Actor("silent", "silent", ActorKind.AGENT)
    run = failed(*(says(n, "x", actor) for n, actor in enumerate("bab")))
    names = [
        name for name, _ in drawn(outline_of(replace(run, actors=(silent, *run.actors)))).lanes
    ]
    assert names == ["b", "a"]


def test_names_of_lanes_tell_instances_apart_and_are_short() -> None:
    actors = (
        Actor("coder/1", "coder", ActorKind.AGENT, "coder/1"),
        Actor("coder/2", "coder", ActorKind.AGENT, "coder/2"),
        Actor("only/1", "only", ActorKind.AGENT, "only/1"),
        Actor("x" * 40, "y" * 40, ActorKind.AGENT),
        Actor("bell\x07", "bell\x07", ActorKind.AGENT),
    )
    names = [name for name, _ in drawn(outline(*(a.key for a in actors), actors=actors)).lanes]
    assert names == ["coder/1", "coder/2", "only", "y" * 17 + "…", "bell⟨U+0007⟩"]


def test_titles_say_what_the_step_is() -> None:
    step = replace(says(0, "x", "a\u202e"), tool="run\x1b", status=StepStatus.ERROR, attempt=2)
    title = drawn(outline_of(failed(step))).hits[0].title
    assert title == "#0 a⟨U+202E⟩ message run⟨U+001B⟩ error attempt 2"


def test_titles_of_names_as_long_as_a_book_are_cut() -> None:
    assert len(drawn(outline("'" * 100_000)).hits[0].title) <= 120
    titles = [hit.title for hit in drawn(outline(*(f"{'&' * 999}{n}" for n in range(90)))).hits]
    assert len(titles) == 90
    assert {len(title) for title in titles} == {16}


def test_actors_with_few_steps_share_the_last_lane() -> None:
    busy = [f"busy{n}" for n in range(LANES)]
    drawing = drawn(outline("rare1", *busy, "rare2", *busy, "rare3"))
    assert [name for name, _ in drawing.lanes] == [*busy, "3 others"]
    assert drawing.others == 3
    _, shared = drawing.lanes[-1]
    rare = [line for line in lines_of(drawing.layers[0].d) if line[0] == shared]
    assert len(rare) == 3
    assert drawn(outline(*busy)).others == 0


def test_a_long_run_has_links_to_stretches_that_leave_no_step_out() -> None:
    for size, kept in itertools.product((91, 640, 5000), ("", "with=none&", "x" * 900)):
        drawing = draw(outline(*["a"] * size), Marks(), kept=kept)
        firsts = [hit.step for hit in drawing.hits]
        assert firsts == list(range(0, size, drawing.stretch))
        assert drawing.hits[-1].title.endswith(f" to #{size - 1}")
        assert 8 <= len(firsts) <= 60
        edges = [lines[0][1:] for lines in (areas_of(hit.d) for hit in drawing.hits)]
        assert edges[0][0] == NAMES
        assert edges[-1][1] == NAMES + PLOT <= WIDTH
        assert all(a[1] == b[0] for a, b in itertools.pairwise(edges))


def areas_of(d: str) -> list[tuple[int, int, int]]:
    begin, _, end = d.removeprefix("M").partition(" 0H")
    return [(0, int(begin), int(end.partition("V")[0]))]


def test_the_address_makes_links_fewer_not_the_page_longer() -> None:
    run = outline(*["a"] * 90)
    short, long = (draw(run, Marks(), kept="k" * size) for size in (40, 4_000))
    assert (len(short.hits), len(long.hits)) == (90, 8)


def test_what_is_selected_is_named_and_stands_at_its_step() -> None:
    run = outline("a", "b")
    drawing = draw(run, Marks(), selected=1, lit=lit_of(run, 1))
    assert drawing.told == "#1 b message"
    assert drawing.lit is not None
    assert (drawing.lit.x, drawing.lit.y, drawing.lit.width) == (764, 29, 636)
    assert draw(run, Marks(), selected=2).lit is None


@pytest.mark.parametrize("number", [0, 2])
def test_strips_that_found_something_are_drawn(number: int) -> None:
    strips = [Strip("none", []), *(Strip(f"s{n}", [0], 0) for n in range(number))]
    drawing = draw(outline("a"), Marks(), strips=strips)
    assert [strip.name for strip in drawing.strips] == [f"s{n}" for n in range(number)]
    assert drawing.strips_height == 14 * number
