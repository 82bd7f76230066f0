from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attribution.alignment.aligned import Aligned
from attribution.alignment.branches import Branch, Fork, align_branches, align_steps, forks
from tests.attribution.scenes import calls, consumes, failed, retry, says
from traces.transcript import Actor, ActorKind, Link, LinkKind, Transcript


def spawn(source: int, target: int) -> Link:
    return Link(source, target, LinkKind.SPAWN)


def rows(aligned: Aligned) -> list[tuple[int | None, int | None, str]]:
    return [
        (aligned.left_at(n), aligned.right_at(n), aligned.kind(n).value)
        for n in range(len(aligned))
    ]


@pytest.fixture
def forked() -> Transcript:
    """The planner sends two coders off; both answers meet at #5."""
    planner = Actor("planner", "planner", ActorKind.AGENT)
    coders = (Actor(name, "coder", ActorKind.AGENT, name) for name in "ab")
    return failed(
        says(0, "Go."),
        says(1, "I look into the importer.", "a"),
        says(2, "I look into the importer.", "b"),
        calls(3, "read", "a", path="x"),
        calls(4, "read", "b", path="y"),
        says(5, "Both are back."),
        actors=(planner, *coders),
        links=(
            spawn(0, 1), spawn(0, 2), consumes(1, 3), consumes(2, 4), consumes(3, 5),
            consumes(4, 5),
        ),
    )  # fmt: skip


def test_a_run_in_one_line_has_no_fork():
    assert forks(failed(says(0, "a"), says(1, "b", "x"), links=(consumes(0, 1),))) == []


def test_two_steps_of_one_actor_are_no_fork():
    links = (consumes(0, 1), consumes(0, 2))
    assert forks(failed(says(0, "a"), says(1, "b", "x"), says(2, "c", "x"), links=links)) == []


def test_what_is_taken_up_later_in_the_same_line_is_no_fork():
    links = (consumes(0, 1), consumes(1, 2), consumes(0, 2))
    assert forks(failed(says(0, "a"), says(1, "b", "x"), says(2, "c", "y"), links=links)) == []


def test_branches_end_where_they_meet(forked: Transcript):
    assert forks(forked) == [Fork(0, (Branch(1, "a", (1, 3)), Branch(2, "b", (2, 4))))]


def test_attempts_end_where_the_next_begins():
    run = failed(
        calls(0, "ci", status="error"),
        says(1, "Again."),
        calls(2, "ci", status="error"),
        calls(3, "ci"),
        links=(consumes(0, 1), consumes(1, 2), retry(0, 2), retry(2, 3)),
    )
    branches = (Branch(0, "coder", (0, 1)), Branch(2, "coder", (2,)), Branch(3, "coder", (3,)))
    assert forks(run) == [Fork(0, branches, retry=True)]


def test_at_most_so_many_are_told():
    steps = [says(n, "x", "abc"[n % 3]) for n in range(9)]
    links = tuple(spawn(n, n + k) for n in (0, 3, 6) for k in (1, 2))
    assert [fork.step for fork in forks(failed(*steps, links=links), most=2)] == [0, 3]


def test_two_branches_are_laid_side_by_side_under_the_numbers_of_the_run(forked: Transcript):
    aligned = align_branches(forked, 1, 2)

    assert [row[:2] for row in rows(aligned)] == [(1, 2), (3, 4)]
    assert "argument `path` differs: “x” here, “y” there" in aligned.telling[0].sentence
    assert aligned.row_of_left(3) == 1
    assert aligned.row_of_left(2) == 0


def test_a_branch_beside_itself_is_all_the_same(forked: Transcript):
    assert {kind for _, _, kind in rows(align_branches(forked, 1, 1))} == {"matched"}


def test_nothing_beside_something():
    run = failed(says(0, "a"), says(1, "b"))
    assert rows(align_steps(run, [], [1])) == [(None, 1, "missing")]
    assert rows(align_steps(run, [1], [])) == [(1, None, "extra")]


def test_where_a_step_has_moved_is_told_by_its_number():
    mail = "Send the corrected quotes to all twelve customers today."
    run = failed(
        says(0, "skip"), says(1, mail, "b"), says(2, "The queue is free.", "c"),
        says(3, "The queue is free.", "c"), says(4, mail, "b"),
    )  # fmt: skip
    aligned = align_steps(run, [1, 2], [3, 4])
    moved = {aligned.left_at(n): aligned.moved_at(n) for n in range(len(aligned))}
    back = {aligned.right_at(n): aligned.moved_at(n) for n in range(len(aligned))}
    assert moved[1] == 4 or moved[2] == 3
    assert back[4] == 1 or back[3] == 2


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=25), st.data())
def test_every_step_of_either_branch_stands_once_and_in_order(pairs, data):
    kinds = st.sampled_from([LinkKind.SPAWN, LinkKind.CONSUMES, LinkKind.RETRY_OF])
    links = tuple(Link(a, b, data.draw(kinds)) for a, b in pairs if a < b)
    run = failed(*(says(n, f"Step {n % 3}.", "abc"[n % 3]) for n in range(10)), links=links)
    for fork in forks(run):
        for branch in fork.branches:
            assert branch.first in branch.steps
            assert branch.actor == run.steps[branch.first].actor
        seen = [step for branch in fork.branches for step in branch.steps]
        assert len(seen) == len(set(seen)) or fork.retry
        one, other = fork.branches[:2]
        aligned = align_steps(run, one.steps, other.steps)
        assert [n for n in aligned.left.tolist() if n >= 0] == list(one.steps)
        assert [n for n in aligned.right.tolist() if n >= 0] == list(other.steps)
