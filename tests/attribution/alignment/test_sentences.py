from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attribution.alignment.canonical import Canonical, canonical_steps
from attribution.alignment.sentences import (
    SHOWN,
    about,
    argument,
    does,
    doing,
    here_and_there,
    quoted,
    texts_differ,
)
from tests.attribution.scenes import calls, decides, failed, says, verifies
from traces.transcript import Step, StepKind


def canonical(step: Step) -> Canonical:
    return canonical_steps(failed(step))[0]


@pytest.mark.parametrize(
    ("step", "deed", "instead"),
    [
        (says(0, "x", kind=StepKind.HANDOFF), "hands over", "handing over"),
        (calls(0, "fs.read"), "calls `fs.read`", "calling `fs.read`"),
        (decides(0, "wait"), "decides “wait”", "deciding “wait”"),
    ],
)
def test_what_a_step_does_is_a_verb(step: Step, deed: str, instead: str):
    assert (does(canonical(step)), doing(canonical(step))) == (deed, instead)


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (calls(0, "submit"), ""),
        (decides(0, "wait"), ""),
        (says(0, "Please wait."), ": “Please wait.”"),
        (calls(0, "fs.read", path="a.py"), " (path “a.py”)"),
        (calls(0, "edit", end="9", start="3", path="a/b.py"), " (path “a/b.py”, end “9”)"),
        (calls(0, "edit", empty=""), ""),
        (verifies(0, "lint", "failed"), ": `lint` failed"),
    ],
)
def test_what_a_step_was_about(step: Step, words: str):
    assert about(canonical(step)) == words


def test_arguments_without_a_name_are_all_that_was_given():
    assert argument("path") == "argument `path` differs"
    assert argument("") == "what it is given differs"


def test_long_values_are_cut_for_a_sentence():
    assert quoted("a\n b") == "“a b”"
    assert quoted("") == "nothing"
    assert quoted("x" * 100) == f"“{'x' * 59}…”"


def test_of_long_values_the_place_where_they_part_is_shown():
    start = "a long beginning that both of the two values have in common, word by word: "
    assert here_and_there(f"{start}left", f"{start}right") == (
        "“…word by word: left” here, “…word by word: right” there"
    )


def test_a_long_value_beside_nothing_is_shown_from_its_start():
    assert here_and_there("x" * 100, "") == f"“{'x' * 59}…” here, nothing there"


def test_texts_are_told_from_the_first_sentence_that_differs():
    assert texts_differ("Good day. All twelve.", "Good day. None.") == (
        "text differs after 1 sentence: “All twelve.” here, “None.” there"
    )


words = st.text("ab \n", max_size=120)


@given(words, words, words)
def test_two_values_that_differ_read_differently_and_short(start: str, one: str, other: str):
    mine, theirs = (
        here_and_there(start + one, start + other).removesuffix(" there").split(" here, ")
    )

    assert max(len(mine), len(theirs)) <= SHOWN + len("“”")
    assert (mine == theirs) == ((start + one).split() == (start + other).split())
