"""What holds for the step list of any run under any filter."""

from __future__ import annotations

import time

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from attribution import rows
from attribution.alignment.aligned import NONE, Aligned, aligned_rows
from attribution.alignment.alignment import RowKind
from attribution.filters import listing
from tests.attribution.test_filters import wanted
from traces.outline import Lane, Outline, Outlined, outline
from traces.transcript import ActorKind, StepKind, StepStatus


@st.composite
def scenes(draw: st.DrawFn) -> Outline:
    size = draw(st.integers(0, 30))
    steps = [
        Outlined(
            actor=draw(st.sampled_from("abc")),
            kind=draw(st.sampled_from([StepKind.TOOL, StepKind.MESSAGE])),
            status=draw(st.sampled_from(list(StepStatus))),
            tool="",
            attempt=draw(st.integers(0, 2)),
            parts=draw(st.integers(0, 7)),
            verdict=draw(st.integers(0, 3)),
            size=1,
            began=float("nan"),
            ended=float("nan"),
        )
        for _ in range(size)
    ]
    ends = st.tuples(st.integers(0, max(0, size - 1)), st.integers(0, max(0, size - 1)))
    pairs = {(a, b) for a, b in draw(st.lists(ends, max_size=20)) if a < b}
    kinds = st.sampled_from(["consumes", "retry_of", "handoff"])
    links = [(a, b, draw(kinds), "") for a, b in sorted(pairs)]
    return outline([Lane(key, key, ActorKind.AGENT) for key in "abc"], steps, links)


QUERIES = st.lists(
    st.sampled_from(
        [
            *("actor=a", "actor=b", "actor=z", "part=input", "part=decision", "kind=tool"),
            *("status=failed", "status=retry", "status=ok", "text=x", "open=3-9", "open=0-0"),
        ]
    )
).map("&".join)


@given(scenes(), QUERIES, st.integers(0, 2**30 - 1))
def test_every_step_is_shown_or_counted_as_folded_just_once(
    run: Outline, query: str, bits: int
) -> None:
    holds = np.array([bits >> n & 1 for n in range(len(run))], dtype=bool)
    found = listing(run, wanted(query), holds)
    accounted, at = [], 0
    for step, folded in zip(found.steps.tolist(), found.folded.tolist(), strict=True):
        accounted += range(at, at + folded)
        accounted.append(step)
        at = step + 1
    accounted += range(at, at + found.after)
    assert accounted == list(range(len(run)))
    assert found.hits + found.greyed + found.opened == len(found.steps)
    assert found.hidden == int(found.folded.sum()) + found.after
    assert not (found.grey & found.hit).any()
    if not wanted(query).active:
        assert found.hits == len(run)


def touching(run: Outline, hits: set[int]) -> set[int]:
    """The causal neighbours, one by one: what is to be found in columns."""
    links = list(zip(run.source.tolist(), run.target.tolist(), run.relation.tolist(), strict=True))
    near = {b for a, b, _ in links if a in hits} | {a for a, b, _ in links if b in hits}
    for hit in hits:
        near |= {n for n in run.neighbours_in_lane(hit) if n is not None}
    tries = set(hits)
    while True:
        more = {n for a, b, kind in links if kind == 3 and {a, b} & tries for n in (a, b)} - tries
        if not more:
            return (near | tries) - hits
        tries |= more


@given(scenes(), QUERIES)
def test_grey_are_the_neighbours_of_hits_and_nothing_else(run: Outline, query: str) -> None:
    found = listing(run, wanted(query), np.arange(len(run)) % 3 == 0)
    hits = set(found.steps[found.hit].tolist())
    opened = set(found.steps[~found.hit & ~found.grey].tolist())
    expected = touching(run, hits) - opened if wanted(query).active else set()
    assert set(found.steps[found.grey].tolist()) == expected


@given(scenes(), QUERIES, st.data())
def test_rows_lose_no_step_without_counting_it(
    run: Outline, query: str, data: st.DataObject
) -> None:
    """However rows without a step of ours stand among the others."""
    pairs: list[tuple[int | None, int | None, RowKind]] = []
    other = 0
    for step in range(len(run)):
        for _ in range(data.draw(st.integers(0, 2))):
            pairs.append((None, other, RowKind.EXTRA))
            other += 1
        pairs.append((step, None, RowKind.MISSING))
    both: Aligned = aligned_rows(pairs)
    found = listing(run, wanted(query), np.arange(len(run)) % 3 == 0)
    kept = found.over(rows.beside(both))
    assert kept.left[kept.left != NONE].tolist() == found.steps.tolist()
    last = -1
    for left, folded in zip(kept.left.tolist(), kept.folded.tolist(), strict=True):
        last += folded
        if left != NONE:
            assert left == last + 1
            last = left
    assert last + kept.after == len(run) - 1


def test_fifty_thousand_steps_are_listed_in_no_time() -> None:
    size = 50_000
    row = Outlined("", StepKind.TOOL, StepStatus.OK, "", 0, 1, 0, 1, float("nan"), float("nan"))
    names = [f"a{n % 40}" for n in range(size)]
    links = [(n, n + 1, "consumes", "") for n in range(size - 1)]
    links += [(n, n + 7, "retry_of", "") for n in range(0, size - 7, 9)]
    run = outline(
        [Lane(f"a{n}", f"a{n}", ActorKind.AGENT) for n in range(40)],
        [row._replace(actor=name) for name in names],
        links,
    )
    began = time.perf_counter()
    found = listing(run, wanted("actor=a7&part=input"))
    took = time.perf_counter() - began
    assert found.hits == 1250
    assert took < 0.3, took
