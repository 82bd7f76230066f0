from __future__ import annotations

import pytest

from attribution.alignment.attempts import healed_attempts
from attribution.alignment.canonical import canonical_steps
from attribution.alignment.crossroads import crossroads
from attribution.alignment.unpaired import difference, instead, twins
from tests.attribution.scenes import (
    actors,
    calls,
    changes,
    decides,
    failed,
    passed,
    retry,
    says,
    verifies,
)
from traces.transcript import Link, LinkKind, Step, StepKind


def test_an_attempt_is_healed_by_a_later_one_that_ended_well():
    assert healed_attempts([retry(0, 1)], {0}) == {0}
    assert healed_attempts([retry(0, 1)], {0, 1}) == set()
    assert healed_attempts([retry(0, 1), retry(1, 2)], {0, 1}) == {0, 1}
    assert healed_attempts([retry(0, 1), retry(0, 2)], {0, 1}) == {0}


def test_a_guessed_retry_heals_nothing():
    guessed = Link(0, 1, LinkKind.RETRY_OF, rule="same arguments")
    assert healed_attempts([guessed], {0}) == set()


@pytest.mark.parametrize(
    ("step", "weight"),
    [
        (decides(0, "go"), 0.8),
        (changes(0, "plan", "x"), 0.8),
        (calls(0, "read"), 0.48),
        (verifies(0, "lint", "passed"), 0.4),
        (says(0, "Hm."), 0.2),
        (decides(0, "go", "grader"), 0.2),
        (verifies(0, "lint", "failed", "grader"), 0.4),
    ],
)
def test_a_step_alone_weighs_by_what_it_did(step: Step, weight: float):
    kinds = actors(planner="agent", coder="agent", verifier="agent", grader="evaluator")
    (only,) = canonical_steps(failed(step, actors=kinds))

    assert difference(only, "this").weight == pytest.approx(weight)


def found_twins(left: list[Step], right: list[Step], *, apart: int = 0) -> list[tuple[int, int]]:
    ours, theirs = canonical_steps(failed(*left)), canonical_steps(passed(*right))
    rows = {n: n + apart for n in range(len(right))}
    return list(twins(ours, theirs, {n: n for n in range(len(left))}, rows))


def test_twins_do_the_same_in_another_order():
    read, grep = calls(0, "read", a="1"), calls(1, "grep", a="1")
    found = found_twins([read, grep], [calls(0, "grep", a="1"), calls(1, "read", a="1")])

    assert found == [(0, 1), (1, 0)]


def test_a_step_has_one_twin_only():
    twice = [calls(0, "read", a="1"), calls(1, "read", a="1")]

    assert found_twins(twice, [calls(0, "read", a="1")]) == [(0, 0)]


def test_twins_may_differ_in_what_they_did_to_the_same_thing():
    assert found_twins([changes(0, "plan", "v1")], [changes(0, "plan", "v2")]) == [(0, 0)]


def test_of_several_twins_the_one_that_differs_least():
    two = [calls(0, "read", a="1", b="2"), calls(1, "read", a="1", b="1")]

    assert found_twins([calls(0, "read", a="1", b="1")], two) == [(0, 1)]


def test_two_orders_to_the_same_actor_are_twins_however_worded():
    order = says(0, "Write the module.", kind=StepKind.HANDOFF)
    other = says(0, "Rows, rounded: sum.", kind=StepKind.HANDOFF)

    assert found_twins([order], [other]) == [(0, 0)]


def test_calls_about_other_things_are_no_twins():
    assert found_twins([calls(0, "read", a="1")], [calls(0, "read", a="2")]) == []
    assert found_twins([decides(0, "go on")], [decides(0, "halt")]) == []


def test_what_is_far_apart_is_no_twin():
    same = [calls(0, "read", a="1")]

    assert found_twins(same, same, apart=40) == [(0, 0)]
    assert found_twins(same, same, apart=41) == []


def test_between_two_pairs_actors_are_compared_with_themselves():
    left = canonical_steps(failed(calls(0, "read", "coder"), says(1, "Go.", "lead")))
    right = canonical_steps(passed(decides(0, "no", "lead"), says(1, "Hm.", "coder")))

    assert instead([], left, right, (set(), set())) == [(0, 1)]
    assert instead([], left, right, ({0}, set())) == [(1, 0)]
    assert instead([], left, right, (set(), {1})) == [(1, 0)]
    assert instead([(1, 0)], left, right, (set(), set())) == [(1, 0)]


def test_the_same_kind_of_step_comes_before_any_step_of_the_actor():
    left = canonical_steps(failed(calls(0, "status", "lead"), decides(1, "go", "lead")))
    right = canonical_steps(passed(decides(0, "wait", "lead")))

    assert instead([], left, right, (set(), set())) == [(1, 0)]


def test_a_fork_is_where_one_run_took_what_the_other_turned_down():
    left = canonical_steps(failed(decides(0, "finish on unit tests"), decides(1, "close")))
    right = canonical_steps(passed(decides(0, "wait", rejected=("finish on unit tests",))))

    ((number, fork),) = crossroads(left, right)

    assert number == 0
    assert fork.sentence == (
        "planner chooses “finish on unit tests”; the other run turned that down for “wait”"
    )


def test_what_another_role_turned_down_is_no_fork():
    left = canonical_steps(failed(decides(0, "finish", "coder")))
    right = canonical_steps(passed(decides(0, "wait", "verifier", rejected=("finish",))))

    assert list(crossroads(left, right)) == []


def test_other_values_are_another_option():
    left = canonical_steps(failed(decides(0, "use 31 files")))
    right = canonical_steps(passed(decides(0, "resume", rejected=("use 30 files",))))

    assert list(crossroads(left, right)) == []
