"""What holds for any two runs, whatever is in them."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attribution.alignment import Alignment, RowKind, align
from tests.attribution.scenes import calls, changes, decides, failed, sample, says, thinks
from traces.transcript import Link, LinkKind, Step, Transcript

WORDS = ("quote", "booking", "October", "send", "verify 12 rows", "the archive is complete")
ACTORS = ("planner", "coder", "verifier")


@st.composite
def steps(draw: st.DrawFn) -> Step:
    actor, word = draw(st.sampled_from(ACTORS)), draw(st.sampled_from(WORDS))
    made = draw(st.sampled_from((says, thinks, decides, calls, changes)))
    if made is calls:
        return calls(0, draw(st.sampled_from(("read", "write"))), actor, answer=word, path=word)
    return changes(0, "plan", word, actor) if made is changes else made(0, word, actor)


@st.composite
def runs(draw: st.DrawFn) -> Transcript:
    listed = draw(st.lists(steps(), min_size=1, max_size=25))
    numbered = [replace(step, number=number) for number, step in enumerate(listed)]
    ends = st.integers(0, len(numbered) - 1)
    pairs = draw(st.sets(st.tuples(ends, ends), max_size=4))
    retries = tuple(Link(a, b, LinkKind.RETRY_OF) for a, b in sorted(pairs) if a < b)
    return failed(*numbered, links=retries)


def counts(alignment: Alignment) -> Counter[RowKind]:
    return Counter(row.kind for row in alignment.rows)


def assert_each_step_once_in_order(alignment: Alignment, left: Transcript, right: Transcript):
    lefts = [row.left for row in alignment.rows if row.left is not None]
    rights = [row.right for row in alignment.rows if row.right is not None]
    assert lefts == list(range(len(left.steps)))
    assert rights == list(range(len(right.steps)))


@given(runs(), runs())
@settings(deadline=None)
def test_every_step_of_both_runs_appears_once_and_in_order(left: Transcript, right: Transcript):
    alignment = align(left, right)

    assert_each_step_once_in_order(alignment, left, right)
    for row in alignment.rows:
        assert (row.left is None) == (row.kind is RowKind.MISSING)
        assert (row.right is None) == (row.kind is RowKind.EXTRA)
        assert 0 <= row.similarity <= 1
        if row.moved is not None:
            assert None in (row.left, row.right)
            other = alignment.rows[alignment.moved_row(row) or 0]
            assert other.moved == (row.left if row.right is None else row.right)


@given(runs(), runs())
@settings(deadline=None)
def test_swapping_the_runs_swaps_the_kinds(left: Transcript, right: Transcript):
    one, other = counts(align(left, right)), counts(align(right, left))

    assert one[RowKind.MATCHED] == other[RowKind.MATCHED]
    assert one[RowKind.CHANGED] == other[RowKind.CHANGED]
    assert one[RowKind.EXTRA] == other[RowKind.MISSING]
    assert one[RowKind.MISSING] == other[RowKind.EXTRA]


@given(runs())
@settings(deadline=None)
def test_a_run_with_itself_has_only_matched_rows(run: Transcript):
    alignment = align(run, run)

    assert counts(alignment) == {RowKind.MATCHED: len(run.steps)}
    assert alignment.divergences == ()


@given(runs(), runs())
@settings(deadline=None)
def test_divergences_stand_at_rows_that_are_not_matched(left: Transcript, right: Transcript):
    alignment = align(left, right)

    rows = [divergence.row for divergence in alignment.divergences]
    assert rows == sorted(set(rows))
    assert all(alignment.rows[row].kind is not RowKind.MATCHED for row in rows)
    changed = {n for n, row in enumerate(alignment.rows) if row.kind is RowKind.CHANGED}
    assert changed <= set(rows)
    assert all(0 < divergence.score <= 1 for divergence in alignment.divergences)


@given(runs(), runs())
@settings(deadline=None)
def test_the_answer_is_the_same_each_time(left: Transcript, right: Transcript):
    assert align(left, right) == align(left, right)


def long_run(count: int, seed: int) -> Transcript:
    """Steps of three actors, each with a hundred words of its own."""
    chance = random.Random(seed)
    vocabulary = ["".join(chance.choices("abcdefghijklmnoprstuvw", k=7)) for _ in range(3000)]
    listed = []
    for number in range(count):
        actor, text = chance.choice(ACTORS), " ".join(chance.choices(vocabulary, k=100))
        if chance.random() < 0.5:
            listed.append(says(number, text, actor))
        else:
            command = " ".join(chance.choices(vocabulary, k=4))
            listed.append(calls(number, "shell.run", actor, answer=text, command=command))
    return failed(*listed)


def retold(run: Transcript, seed: int) -> Transcript:
    """The same story: some steps gone, some neighbours swapped, some words other ones."""
    chance = random.Random(seed)
    kept = [reworded(step, chance) for step in run.steps if chance.random() > 0.04]
    for _ in range(len(kept) // 25):
        at = chance.randrange(len(kept) - 1)
        kept[at], kept[at + 1] = kept[at + 1], kept[at]
    numbered = (replace(step, number=number) for number, step in enumerate(kept))
    return replace(run, external_id="retold", steps=tuple(numbered))


def reworded(step: Step, chance: random.Random) -> Step:
    if chance.random() < 0.5:
        return step
    *others, last = step.parts
    words = [word if chance.random() < 0.85 else word[::-1] for word in last.text.split()]
    return replace(step, parts=(*others, replace(last, text=" ".join(words))))


def test_five_thousand_steps_are_aligned_with_five_thousand_retold_ones():
    run = long_run(5000, seed=1)
    other = retold(run, seed=2)

    alignment = align(run, other)

    assert_each_step_once_in_order(alignment, run, other)
    assert counts(alignment)[RowKind.MATCHED] > 4000


def test_five_thousand_steps_with_nothing_in_common_are_all_there_too():
    left, right = long_run(5000, seed=3), long_run(5000, seed=4)

    alignment = align(left, right)

    assert_each_step_once_in_order(alignment, left, right)


@pytest.mark.parametrize("name", ["retired-interface", "lossy-handoff", "premature-termination"])
def test_a_retold_story_is_mostly_the_same_story(name: str):
    left, right = sample(f"{name}-failed"), sample(f"{name}-passed")

    alignment = align(left, right)

    assert_each_step_once_in_order(alignment, left, right)
    paired = [row for row in alignment.rows if row.left is not None and row.right is not None]
    assert len(paired) > 0.5 * len(left.steps)
