from __future__ import annotations

from attribution.alignment import Alignment, Row, RowKind, align
from attribution.alignment.unpaired import MOVED, RETRIED, THOUGHT
from tests.attribution.scenes import (
    actors,
    calls,
    changes,
    decides,
    failed,
    passed,
    retry,
    says,
    thinks,
    verifies,
)

M, C, X, G = RowKind.MATCHED, RowKind.CHANGED, RowKind.EXTRA, RowKind.MISSING


def places(alignment: Alignment) -> list[tuple[int | None, int | None, RowKind]]:
    return [(row.left, row.right, row.kind) for row in alignment.rows]


def sentences(alignment: Alignment) -> list[str]:
    return [divergence.sentence for divergence in alignment.divergences]


def test_a_run_with_itself_matches_everywhere():
    run = failed(says(0, "Start."), calls(1, "grep", pattern="x"), decides(2, "go"))

    alignment = align(run, run)

    assert alignment.rows == tuple(Row(n, n, M, 1.0) for n in range(3))
    assert alignment.divergences == ()
    assert alignment.first_divergence is None


def test_another_tool_of_the_same_actor_stands_beside_the_one_it_replaces():
    left = failed(says(0, "Start."), decides(1, "look it up later"), says(2, "Done."))
    right = passed(
        says(0, "Start."), calls(1, "docs.search", "planner", query="fees"), says(2, "Done.")
    )

    alignment = align(left, right)

    assert places(alignment) == [(0, 0, M), (1, 1, C), (2, 2, M)]
    assert sentences(alignment) == [
        "planner decides “look it up later” instead of calling `docs.search` (query “fees”)"
    ]


def test_an_argument_that_differs_is_named():
    left = failed(calls(0, "repo.read", path="a.py", mode="r"))
    right = passed(calls(0, "repo.read", path="b.py", mode="r"))

    alignment = align(left, right)

    assert places(alignment) == [(0, 0, C)]
    assert sentences(alignment) == [
        "same tool `repo.read`, argument `path` differs: “a.py” here, “b.py” there"
    ]


def test_steps_of_one_run_only_are_extra_or_missing():
    left = failed(says(0, "Start."), calls(1, "rm", path="x"), says(2, "Done."))
    right = passed(says(0, "Start."), says(1, "Done."), verifies(2, "all there", "passed"))

    alignment = align(left, right)

    assert places(alignment) == [(0, 0, M), (1, None, X), (2, 1, M), (None, 2, G)]
    assert sentences(alignment) == [
        "only this run: coder calls `rm` (path “x”)",
        "only the other run: verifier verifies: `all there` passed",
    ]


def test_rewording_and_volatile_values_are_no_difference():
    left = failed(
        says(0, "Run 6f1c2b9e-0a1b-4c3d-8e4f-5a6b7c8d9e0f began at 2026-11-03T13:22:41Z."),
        says(1, "Twelve bookings were quoted and I will send the mails to the customers now."),
    )
    right = passed(
        says(0, "Run 0b9d77aa-1111-4c3d-8e4f-5a6b7c8d9e0f began at 2026-11-04T09:00:00Z."),
        says(1, "Twelve bookings are quoted; now I send the mails to all the customers."),
    )

    alignment = align(left, right)

    assert places(alignment) == [(0, 0, M), (1, 1, M)]
    assert alignment.divergences == ()
    assert alignment.rows[0].similarity == 1.0
    assert 0.45 <= alignment.rows[1].similarity < 1.0


def test_other_words_altogether_are_a_light_difference():
    left = failed(says(0, "Everything went according to plan."))
    right = passed(says(0, "No rows: quotas block 12 bookings!"))

    alignment = align(left, right)

    assert places(alignment) == [(0, 0, C)]
    assert sentences(alignment) == [
        "text differs from the first sentence on: “Everything went according to plan.” here,"
        " “No rows: quotas block 12 bookings!” there"
    ]


def test_swapped_steps_are_no_divergence():
    left = failed(calls(0, "read", page="v1"), calls(1, "read", page="v2"), says(2, "Both read."))
    right = passed(calls(0, "read", page="v2"), calls(1, "read", page="v1"), says(2, "Both read."))

    alignment = align(left, right)

    assert alignment.divergences == ()
    assert [row.note for row in alignment.rows if row.note] == [MOVED, MOVED]


def test_an_attempt_that_was_tried_again_with_success_is_no_divergence():
    timed_out = calls(0, "search", answer="upstream timed out", status="timeout", q="fees")
    left = failed(
        timed_out, calls(1, "search", answer="three pages", q="fees"), links=(retry(0, 1),)
    )
    right = passed(calls(0, "search", answer="three pages", q="fees"))

    alignment = align(left, right)

    assert places(alignment) == [(0, None, X), (1, 0, M)]
    assert alignment.rows[0].note == RETRIED
    assert alignment.divergences == ()


def test_an_attempt_that_was_never_healed_is_one():
    bad = calls(0, "search", answer="upstream timed out", status="timeout", q="fees")
    worse = calls(1, "search", answer="upstream timed out", status="timeout", q="fees")
    left = failed(bad, worse, links=(retry(0, 1),))
    right = passed(calls(0, "search", answer="three pages", q="fees"))

    ends = "the same call of `search` (q “fees”) ends with timeout here, with ok there"
    assert ends in sentences(align(left, right))


def test_a_thought_without_an_action_is_no_divergence():
    left = failed(says(0, "Start."), thinks(1, "Hm, what about the fees?"), says(2, "Done."))
    right = passed(says(0, "Start."), says(1, "Done."))

    alignment = align(left, right)

    assert places(alignment) == [(0, 0, M), (1, None, X), (2, 1, M)]
    assert alignment.rows[1].note == THOUGHT
    assert alignment.divergences == ()


def test_the_same_state_in_other_words_of_choosing_is_the_same_choice():
    left, right = changes(0, "plan", "interface v1"), changes(0, "plan", "interface v2")
    alignment = align(failed(left), passed(right))
    assert sentences(alignment) == [
        "state of `plan` differs: “interface v1” here, “interface v2” there"
    ]

    one = decides(0, "two coders, purge gated on lookup")
    other = decides(0, "two coders, purge waits for the lookup check")
    assert align(failed(one), passed(other)).divergences == ()


def test_a_choice_the_other_run_turned_down_is_said_so():
    left = failed(says(0, "Start."), decides(1, "gateway v1"))
    right = passed(says(0, "Start."), decides(1, "gateway v2", rejected=("gateway v1",)))

    assert sentences(align(left, right)) == [
        "planner chooses “gateway v1”; the other run turned that down for “gateway v2”"
    ]


def test_the_first_divergence_is_the_first_that_weighs():
    left = failed(
        calls(0, "search", query="fees in force now"),
        decides(1, "mail now"),
        verifies(2, "acceptance", "failed", "grader"),
        actors=actors(coder="agent", planner="agent", grader="evaluator"),
    )
    right = passed(
        calls(0, "search", query="which fees hold"),
        decides(1, "ask owner"),
        verifies(2, "acceptance", "passed", "grader"),
        actors=actors(coder="agent", planner="agent", grader="evaluator"),
    )

    alignment = align(left, right)

    assert [divergence.row for divergence in alignment.divergences] == [0, 1, 2]
    assert alignment.first_divergence == alignment.divergences[1]
    assert (
        alignment.first_divergence.sentence == "planner chooses “mail now” instead of “ask owner”"
    )


def test_of_two_equal_differences_the_earlier_comes_first():
    left = failed(decides(0, "a quick fix"), says(1, "On."), decides(2, "ship on Friday"))
    right = passed(decides(0, "read the docs"), says(1, "On."), decides(2, "wait for review"))

    alignment = align(left, right)

    assert [divergence.score for divergence in alignment.divergences] == [1.0, 0.6667]
    assert alignment.first_divergence.row == 0


def test_what_a_harness_or_evaluator_shows_weighs_less_than_a_choice():
    kinds = actors(grader="evaluator", planner="agent")
    left = failed(changes(0, "score", "3 of 7", "grader"), actors=kinds)
    right = passed(changes(0, "score", "7 of 7", "grader"), actors=kinds)

    assert align(left, right).divergences[0].score == 0.5
