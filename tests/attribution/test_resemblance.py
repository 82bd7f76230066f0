from __future__ import annotations

import pytest

from attribution.resemblance import Traits, ranked, same_task, why, words_shared

TASK = "Fix the rounding of invoices in the billing service"


def traits(task: str = TASK, roles: str = "ab", tools: str = "x", steps: int = 10) -> Traits:
    return Traits(task, frozenset(roles), frozenset(tools), steps)


def test_nothing_is_like_nothing():
    assert ranked(traits(), []) == []


def test_another_matter_is_not_offered():
    assert ranked(traits(), [traits("Book a flight to Lisbon for two"), traits("")]) == []


@pytest.mark.parametrize("other", [traits(roles="cd"), traits(tools="y"), traits(tools="")])
def test_without_a_task_it_must_share_roles_and_tools(other: Traits):
    assert ranked(traits(""), [other]) == []


def test_without_a_task_the_shape_decides():
    assert ranked(traits(""), [traits(steps=90), traits(steps=11), traits(roles="abc")]) == [
        1,
        2,
        0,
    ]


def test_the_task_weighs_more_than_the_shape():
    near = traits("Fix the rounding of quotes in the billing service", roles="a", steps=20)
    far = traits("Change the colour of letters in the printing service")
    assert ranked(traits(), [far, near]) == [1, 0]


def test_equally_similar_ones_keep_their_order():
    assert ranked(traits(), [traits(), traits()]) == [0, 1]


@pytest.mark.parametrize(
    ("ours", "theirs", "share"),
    [("", "", 0.0), ("", "a", 0.0), ("a", "", 0.0), ("A b, c d", "d. C! b x", 0.75), ("a", "A", 1)],
)
def test_words_are_shared_whatever_their_case(ours: str, theirs: str, share: float):
    assert words_shared(ours, theirs) == share


def test_runs_of_one_task_are_told_apart_by_roles_and_length():
    assert same_task(traits(), traits()) == 2.0
    assert same_task(traits(), traits(roles="a", steps=20)) == 1.0
    assert same_task(traits(roles="", steps=0), traits(roles="", steps=0)) == 1.0


@pytest.mark.parametrize(
    ("ours", "theirs", "words"),
    [
        (
            traits(roles="abcd", tools="xy", steps=64),
            traits(roles="abcd", tools="xy", steps=61),
            "most similar task, 100 % of its words; same 4 roles; same 2 tools;"
            " 61 steps against 64",
        ),
        (
            traits(roles="a", tools="x"),
            traits(TASK[:28], roles="b", tools="", steps=1_200),
            "most similar task, 62 % of its words; 0 of 1 role; 0 of 1 tool;"
            " 1,200 steps against 10",
        ),
        (
            traits("", roles="a", tools=""),
            traits(roles="a"),
            "most similar shape, as this run tells no task; same role; 10 steps against 10",
        ),
    ],
)
def test_the_reason_is_told_in_words(ours: Traits, theirs: Traits, words: str):
    assert why(ours, theirs) == words
