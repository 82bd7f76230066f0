"""What an actor could see at a step, and what the others did at that moment."""

from __future__ import annotations

import numpy as np
from hypothesis import given

from attribution.seeing import LISTED, NEIGHBOURS, Named, Neighbour, seen_at, taken_in
from tests.attribution.minimap.runs import run_of
from tests.traces.outline.test_columns import transcripts
from traces.causality import could_see
from traces.outline import outline_of
from traces.transcript import LinkKind, Transcript


@given(transcripts())
def test_what_could_be_seen_is_what_causality_says(transcript: Transcript) -> None:
    outline = outline_of(transcript)
    for step in range(len(outline)):
        seen = seen_at(outline, step)
        expected = could_see(transcript, step)
        assert set(np.flatnonzero(seen.steps).tolist()) == expected
        assert (seen.count, seen.earlier_unseen) == (len(expected), step - len(expected))
        assert [each.step for each in seen.last] == sorted(expected, reverse=True)[:LISTED]
        actor = transcript.steps[step].actor
        assert set(np.flatnonzero(seen.taken_in).tolist()) == {
            link.source
            for link in transcript.links
            if link.recorded
            and link.kind is LinkKind.CONSUMES
            and link.target <= step
            and transcript.steps[link.target].actor == actor
        }


def test_what_somebody_took_in_before_counts_and_a_guess_does_not() -> None:
    """Steps 0 to 3 of a, b, b, b: b took in 0 at 1; that 2 got something is a guess."""
    run = run_of(
        np.array([0, 1, 1, 1]), links=np.array([[0, 0], [1, 2]]), rule=np.array([0, 1], np.int16)
    )
    assert taken_in(run, 3).tolist() == [True, False, False, False]
    assert taken_in(run, 0).tolist() == [False] * 4
    assert [(each.step, each.taken_in) for each in seen_at(run, 3).last] == [
        (2, False), (1, False), (0, True),
    ]  # fmt: skip


def test_neighbours_are_by_the_clock_and_not_by_number() -> None:
    """a acts at 5; b at 9 and 1; c at 5 too, but later in the order; d at a time nobody knows."""
    run = run_of(np.array([0, 1, 1, 2, 3]), began=np.array([5.0, 9.0, 1.0, 5.0, np.nan]))
    seen = seen_at(run, 0)
    assert seen.timed
    assert seen.neighbours == (
        Neighbour("a1", Named(2, "#2 a1 message"), Named(1, "#1 a1 message")),
        Neighbour("a2", None, Named(3, "#3 a2 message")),
    )
    assert seen.more_neighbours == 0


def test_without_a_time_there_are_no_neighbours() -> None:
    run = run_of(np.array([0, 1]), began=np.array([np.nan, 2.0]))
    assert (seen_at(run, 0).timed, seen_at(run, 0).neighbours) == (False, ())
    assert (seen_at(run, 1).timed, seen_at(run, 1).neighbours) == (True, ())


def test_of_very_many_actors_the_nearest_are_told() -> None:
    run = run_of(np.arange(5_000))
    seen = seen_at(run, 2_500)
    distances = [
        abs((each.before or each.after or Named(0, "")).step - 2_500) for each in seen.neighbours
    ]
    assert distances == sorted(distances)
    assert (len(seen.neighbours), seen.more_neighbours) == (NEIGHBOURS, 4_999 - NEIGHBOURS)
