from __future__ import annotations

import pytest

from attribution.alignment.canonical import Canonical, canonical_steps
from attribution.alignment.differences import (
    CALL,
    CHOICE,
    SEEN,
    WORDS,
    WRITING,
    compare,
)
from tests.attribution.scenes import calls, changes, decides, failed, says, verifies
from tests.factories import make_step
from traces.transcript import Part, PartKind, Step


def canonical(step: Step) -> Canonical:
    return canonical_steps(failed(step))[0]


def difference(left: Step, right: Step) -> tuple[float, str] | None:
    found = compare(canonical(left), canonical(right))
    return (found.weight, found.sentence) if found else None


def writes(after: str, change: str = "") -> Step:
    """A call that changes a file."""
    step = calls(0, "repo.write", path="a.py")
    state = Part(PartKind.STATE, change, {"artifact": "a.py", "after": after})
    return make_step(0, "coder", kind=step.kind, tool=step.tool, parts=(*step.parts, state))


@pytest.mark.parametrize(
    ("left", "right", "sentence"),
    [
        (
            ("", "retries 3 times"),
            ("44e39e91ab", "retries 5 times"),
            "change of `a.py` differs: “retries 3 times” here, “retries 5 times” there",
        ),
        (("", "same"), ("44e39e91ab", "same"), "only the other run records what `a.py` became"),
        (("44e39e91ab", "same"), ("", "same"), "only this run records what `a.py` became"),
        (("", "same"), ("done", "same"), "state of `a.py` differs: nothing here, “done” there"),
        (
            ("v1", "retries 3 times"),
            ("v2", "retries 5 times"),
            "state of `a.py` differs: “v1” here, “v2” there",
        ),
    ],
)
def test_a_hash_or_nothing_is_not_told_as_the_reason(
    left: tuple[str, str], right: tuple[str, str], sentence: str
):
    assert difference(writes(*left), writes(*right)) == (WRITING, sentence)


def test_of_two_arguments_the_one_that_is_no_version_is_named():
    one = calls(0, "ci.run", revision="work/ship-88@1", suite="unit")
    other = calls(0, "ci.run", revision="44e39e91ab", suite="integration")
    assert difference(one, other) == (
        CALL,
        "same tool `ci.run`, argument `suite` differs: “unit” here, “integration” there",
    )
    assert difference(one, calls(0, "ci.run", revision="44e39e91ab", suite="unit")) == (
        CALL,
        "same tool `ci.run`, argument `revision` differs: “work/ship-88@1” here, “<hash>” there",
    )


def test_the_same_step_does_not_differ():
    for step in (
        says(0, "Hello."),
        calls(0, "read", a="1"),
        decides(0, "go"),
        changes(0, "p", "x"),
    ):
        assert difference(step, step) is None


@pytest.mark.parametrize(
    ("left", "right", "weight", "sentence"),
    [
        (
            says(0, "Hello there.", "planner"),
            says(0, "Hello there.", "coder"),
            CALL,
            "planner acts where the other run has coder",
        ),
        (
            calls(0, "read", a="1"),
            calls(0, "grep", a="1"),
            CALL,
            "coder calls `read` (a “1”) instead of calling `grep` (a “1”)",
        ),
        (
            decides(0, "stop"),
            says(0, "Carry on."),
            CHOICE,
            "planner decides “stop” instead of writing a message: “Carry on.”",
        ),
        (
            calls(0, "read", a="1", b="2"),
            calls(0, "read", a="1"),
            CALL,
            "same tool `read`, argument `b` differs: “2” here, nothing there",
        ),
        (
            calls(0, "search", q="create e-invoice"),
            calls(0, "search", q="e-invoice, create"),
            WORDS,
            "same tool `search`, argument `q` differs: “create e-invoice” here,"
            " “e-invoice, create” there",
        ),
        (
            decides(0, "mail now"),
            decides(0, "ask owner"),
            CHOICE,
            "planner chooses “mail now” instead of “ask owner”",
        ),
        (
            changes(0, "plan", "v1"),
            changes(0, "plan", "v2"),
            CHOICE,
            "state of `plan` differs: “v1” here, “v2” there",
        ),
        (
            changes(0, "plan", "done"),
            changes(0, "board", "done"),
            CHOICE,
            "only this run changes `plan` here",
        ),
        (
            writes("a.py@2", "retries 3 times"),
            writes("a.py@2", "retries 5 times"),
            WRITING,
            "change of `a.py` differs: “retries 3 times” here, “retries 5 times” there",
        ),
        (
            calls(0, "read", status="error", a="1"),
            calls(0, "read", a="1"),
            SEEN,
            "the same call of `read` (a “1”) ends with error here, with ok there",
        ),
        (
            calls(0, "read", answer="twelve updated", a="1"),
            calls(0, "read", answer="no rows: locked", a="1"),
            SEEN,
            "the same call of `read` (a “1”) is answered otherwise:"
            " “twelve updated” here, “no rows: locked” there",
        ),
        (
            verifies(0, "lint", "failed"),
            verifies(0, "lint", "passed"),
            SEEN,
            "check `lint`: failed here, passed there",
        ),
        (
            says(0, "Good. All twelve are through."),
            says(0, "Good. ???"),
            WORDS,
            "text differs after 1 sentence: “All twelve are through.” here, “???” there",
        ),
    ],
)
def test_the_weightiest_difference_is_told(left: Step, right: Step, weight: float, sentence: str):
    assert difference(left, right) == (weight, sentence)


def test_another_check_is_no_other_verdict():
    assert difference(verifies(0, "lint 1", "failed"), verifies(0, "lint 2", "failed")) is None
