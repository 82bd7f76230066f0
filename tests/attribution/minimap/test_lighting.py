"""What lights up is what `traces.standing` says, and the page is told no more than it can bear."""

from __future__ import annotations

import json

import numpy as np
from hypothesis import given

from attribution.minimap import Scale, lit_of, overlay
from attribution.minimap.lighting import MOST_RANGES, ranges
from tests.attribution.minimap.paths import lines_of
from tests.attribution.minimap.runs import run_of
from tests.traces.outline.test_columns import transcripts
from traces.outline import outline_of
from traces.standing import standing
from traces.transcript import Transcript


@given(transcripts())
def test_all_steps_stand_as_the_graph_says(transcript: Transcript) -> None:
    found = outline_of(transcript)
    for step in range(len(found)):
        lit, expected = lit_of(found, step), standing(transcript, step)
        relations = [lit.relation(other) for other in range(len(found))]
        assert relations == [expected.relation(other) for other in range(len(found))]
        for name, there in lit.kinds.items():
            assert lit.counts[name] == relations.count(name) == int(there.sum())
        assert lit.counts["neither"] == relations.count("concurrent")
        told = lit.ranges
        for name in lit.kinds:
            numbers = {n for first, last in told[name] for n in range(first, last + 1)}
            assert numbers == {n for n, relation in enumerate(relations) if relation == name}


def test_three_steps_by_hand() -> None:
    """b takes from a; the second step of a remembers the first, and nothing says more."""
    run = run_of(np.array([0, 1, 0]), links=np.array([[0], [1]]))
    drawn = overlay(Scale(run), 0, lit_of(run, 0))
    assert drawn.words == "before it: none; after it: 1 recorded, 1 by memory or guess; neither: 0"
    assert [(layer.name, lines_of(layer.d)) for layer in drawn.layers] == [
        ("after", [(29, 552, 975)]),
        ("perhaps_after", [(12, 976, 1399)]),
    ]
    drawn = overlay(Scale(run), 1, lit_of(run, 1))
    assert drawn.words == "before it: 1 recorded; after it: none; neither: 1"
    assert (drawn.x, drawn.y, drawn.width) == (552, 29, 424)


def test_stretches_of_steps() -> None:
    assert ranges(np.array([True, True, False, True])) == [(0, 1), (3, 3)]
    assert ranges(np.array([False])) == ranges(np.zeros(0, dtype=bool)) == []


def test_of_very_many_ranges_those_near_the_step_are_told() -> None:
    """Step 10,000 takes from every second step before it, and nobody else from anybody."""
    size = 20_001
    acting = np.arange(size)
    even = np.arange(0, 10_000, 2)
    links = np.array([even, np.full(len(even), 10_000)])
    lit = lit_of(run_of(acting, links=links), 10_000)
    told = lit.ranges
    assert len(told["before"]) == MOST_RANGES
    assert (told["before"][-1], told["from"], told["until"]) == (
        (9_998, 9_998), 10_000 - 2 * MOST_RANGES, size - 1,
    )  # fmt: skip
    assert len(json.dumps(told)) < 4_000
    assert lit.counts["before"] == 5_000
