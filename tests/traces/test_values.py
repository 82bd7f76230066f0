from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.factories import make_step, make_transcript
from traces.transcript import Part, PartKind
from traces.values import Unsearchable, appearances, pattern_of


def found(text: str, *texts: str) -> list[tuple[int, bool]]:
    steps = [make_step(n, text=content) for n, content in enumerate(texts)]
    return [(a.step, a.exact) for a in appearances(make_transcript(*steps), text)]


@pytest.mark.parametrize("text", ["", " x ", "y" * 2001])
def test_too_little_or_too_much_is_refused(text):
    with pytest.raises(Unsearchable):
        appearances(make_transcript(), text)


def test_the_earliest_step_comes_first_and_exact_is_told_apart():
    assert found("Retired 2026", "nothing", "retired   2026", "Retired 2026") == [
        (1, False),
        (2, True),
    ]


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("1,942.97", "1942.97"),
        ("1942.97", "1 942.970"),
        ("40", "40.0"),
        ("1000000", "1,000,000"),
        ("2026-11-29", "29 November 2026"),
        ("Nov 29, 2026", "2026/11/29"),
        ("29th Nov. 2026", "November 29, 2026"),
        ("due 2026-06-30!", "DUE\t30 June 2026!"),
    ],
)
def test_the_same_value_in_another_spelling_is_found(text, same):
    assert found(text, f"before {same} after") == [(0, False)]


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("40", "140"),
        ("40", "400"),
        ("40", "40.5"),
        ("1942.97", "1942.979"),
        ("2026-11-29", "28 November 2026"),
        ("2026-02-30", "30 February 2027"),
        ("a.b", "axb"),
    ],
)
def test_another_value_is_not(text, other):
    assert found(text, f"before {other} after") == []


def test_observations_are_told_from_what_was_said():
    seen = Part(PartKind.TOOL_RESPONSE, "status: retired")
    said = Part(PartKind.INTERPRETATION, "it is retired")
    transcript = make_transcript(make_step(0, "coder", parts=(seen, said)))
    places = appearances(transcript, "retired")
    assert [(a.part, a.observed, a.start, a.end) for a in places] == [
        (0, True, 8, 15),
        (1, False, 6, 13),
    ]


@given(st.text(min_size=2, max_size=60).filter(lambda text: len(text.strip()) >= 2))
def test_every_text_is_found_where_it_was_taken_from(text):
    assert pattern_of(text.strip()).search(f"- {text.strip()} -")
