"""The questions of an outline are those of `traces.causality`: that answers them here."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.factories import make_step, make_transcript
from traces.causality import StepGraph, could_see
from traces.outline import Outline, outline_of, packed, unpacked
from traces.standing import could_reach
from traces.transcript import (
    Actor,
    ActorKind,
    Link,
    LinkKind,
    Part,
    PartKind,
    StepStatus,
    Transcript,
)


@st.composite
def transcripts(draw: st.DrawFn) -> Transcript:
    kinds = draw(st.lists(st.sampled_from(ActorKind), min_size=1, max_size=4))
    actors = tuple(Actor(f"a{n}", "role", kind) for n, kind in enumerate(kinds))
    acting = draw(st.lists(st.sampled_from(actors), min_size=1, max_size=14))
    steps = tuple(make_step(n, actor.key) for n, actor in enumerate(acting))
    ends = st.tuples(st.integers(0, len(steps) - 1), st.integers(0, len(steps) - 1))
    pairs = draw(st.sets(ends.filter(lambda pair: pair[0] < pair[1]), max_size=20))
    rule = st.sampled_from(["", "a guess"])
    links = tuple(Link(a, b, LinkKind.CONSUMES, draw(rule)) for a, b in sorted(pairs))
    return make_transcript(*steps, actors=actors, links=links)


def numbers(there: NDArray[np.bool_]) -> set[int]:
    return set(np.flatnonzero(there).tolist())


@given(transcripts())
def test_questions_about_cause_have_the_same_answers(transcript: Transcript) -> None:
    found, graph = outline_of(transcript), StepGraph(transcript.links)
    for step in range(len(transcript.steps)):
        assert numbers(found.ancestors(step)) == graph.ancestors(step)
        assert numbers(found.descendants(step)) == graph.descendants(step)
        certain = graph.recorded_only()
        assert numbers(found.ancestors(step, recorded=True)) == certain.ancestors(step)
        assert numbers(found.could_see(step)) == could_see(transcript, step)
        assert numbers(found.could_reach(step)) == could_reach(transcript, step)


@given(transcripts())
def test_what_is_packed_comes_back(transcript: Transcript) -> None:
    found = outline_of(transcript)
    again = unpacked(packed(found))
    assert again is not None
    assert same(found, again)


def same(one: Outline, other: Outline) -> bool:
    names = one.__dataclass_fields__
    return all(np.array_equal(getattr(one, n), getattr(other, n), equal_nan=n in ("began", "ended"))
               if isinstance(getattr(one, n), np.ndarray) else getattr(one, n) == getattr(other, n)
               for n in names)  # fmt: skip


def test_of_a_run_without_steps() -> None:
    found = unpacked(packed(outline_of(Transcript("empty", "tests", (), ()))))
    assert found is not None
    assert len(found) == 0
    assert found.lanes == ()


def test_inputs_and_outputs_are_places_of_links() -> None:
    links = (
        Link(0, 2, LinkKind.CONSUMES),
        Link(1, 2, LinkKind.HANDOFF),
        Link(0, 1, LinkKind.SPAWN),
    )
    found = outline_of(make_transcript(*(make_step(n) for n in range(3)), links=links))
    assert found.source[found.inputs(2)].tolist() == [0, 1]
    assert found.target[found.outputs(0)].tolist() == [1, 2]
    assert found.inputs(0).tolist() == []


def test_what_a_step_is_told_by_its_columns() -> None:
    checked = Part(PartKind.VERIFICATION, "no", {"verdict": "failed"})
    passed = Part(PartKind.VERIFICATION, "yes", {"verdict": "passed"})
    steps = (
        make_step(0, tool="search", status=StepStatus.ERROR),
        make_step(1, "coder", parts=(passed, checked), attempt=2),
        make_step(2, parts=(passed,)),
    )
    found = outline_of(make_transcript(*steps))
    assert found.failing.tolist() == [True, False, False]
    assert found.retried.tolist() == [False, True, False]
    assert found.verdict.tolist() == [0, 1, 3]
    assert found.tools == ("search",)
    assert found.tool.tolist() == [0, -1, -1]
    assert found.having(PartKind.VERIFICATION).tolist() == [False, True, True]
    assert found.neighbours_in_lane(0) == (None, 2)
    assert found.previous_of_actor([1, 2]) == {2: 0}
