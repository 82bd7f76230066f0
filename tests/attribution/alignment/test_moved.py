from __future__ import annotations

import pytest

from attribution.alignment import align
from attribution.alignment.canonical import canonical_steps
from attribution.alignment.moved import Alone, recognised
from tests.attribution.scenes import calls, failed, passed, sample, says
from traces.transcript import Step

ORDER = "Work order A, branch calc: add the rows, round the total to cents, open a request."
OTHER = "Work order B, branch pdf: draw one page for each customer with the date in it."


def moved(left: list[Step], right: list[Step], *pairs: tuple[int, int]) -> list[tuple[int, int]]:
    """Of these pairs the sure ones, where no step has a partner in order."""
    ours, theirs = canonical_steps(failed(*left)), canonical_steps(passed(*right))
    one, other = (Alone(steps, {n: n for n in range(len(steps))}) for steps in (ours, theirs))
    return list(recognised(list(pairs), one, other))


def test_texts_that_say_something_else_are_not_one_step_moved() -> None:
    assert moved([says(0, ORDER)], [says(0, "Nothing to do; I wait for Ilse.")], (0, 0)) == []


def test_calls_of_something_else_are_not_one_step_moved() -> None:
    one, other = calls(0, "write", path="a/errors.py"), calls(0, "write", path="tests/b.py")
    assert moved([one], [other], (0, 0)) == []


def test_of_two_equal_steps_nobody_can_say_which_one_moved() -> None:
    poll = [calls(0, "status", job="9"), calls(1, "status", job="9")]
    assert moved(poll, poll[:1], (0, 0)) == []
    assert moved(poll[:1], poll, (0, 0)) == []


def test_steps_that_read_alike_are_one_step_moved() -> None:
    reworded = says(1, ORDER.replace("the total", "each row"))
    assert moved([says(0, ORDER), says(1, OTHER)], [says(0, OTHER), reworded], (0, 1), (1, 0)) == [
        (0, 1),
        (1, 0),
    ]


def test_a_call_is_known_by_what_was_asked_whatever_was_answered() -> None:
    one, other = (calls(0, "mypy", path="a", answer=answer) for answer in ("ok", "7 errors"))
    assert moved([one], [other], (0, 0)) == [(0, 0)]


@pytest.mark.parametrize(
    ("name", "here", "there"),
    [("lossy-handoff", 11, 12), ("merge-conflict", 15, 16), ("retry-changed-environment", 15, 13)],
)
def test_work_order_a_of_the_sample_runs_is_found_though_b_comes_first(
    name: str, here: int, there: int
) -> None:
    left, right = sample(f"{name}-failed"), sample(f"{name}-passed")
    assert all("Work order A" in step.text for step in (left.steps[here], right.steps[there]))
    rows = align(left, right).rows
    assert [row.moved for row in rows if row.left == here] == [there]
    assert [row.moved for row in rows if row.right == there] == [here]


def test_a_moved_step_with_another_argument_is_a_divergence_where_it_stands_here() -> None:
    one = calls(0, "mail", "planner", to="customers", template="quote-correction-1")
    other = calls(1, "mail", "planner", to="customers", template="quote-correction-2")
    word = says(1, "The queue is free.", "coder")
    left = failed(one, word)
    right = passed(says(0, "The queue is free.", "coder"), other)
    alignment = align(left, right)
    (divergence,) = alignment.divergences
    row = alignment.rows[divergence.row]
    assert (row.left, row.right, row.moved) == (0, None, 1)
    assert divergence.sentence.startswith("same tool `mail`, argument `template` differs")
