from __future__ import annotations

import pytest

from reviews import quoting
from reviews.fields import Quote
from reviews.quoting import NothingToQuote
from tests.factories import make_step
from tests.reviews.scenes import QUOTE, TEXT
from traces.transcript import Part, PartKind, Step, StepKind


def a_step(*parts: Part) -> Step:
    return Step(number=4, source_id="s", actor="a", kind=StepKind.MESSAGE, parts=parts)


@pytest.mark.parametrize(
    ("part", "start", "end"),
    [(0, 0, 0), (0, 3, 2), (0, 0, 6), (0, -1, 3), (1, 0, 1), (-1, 0, 1), (0, 10**30, 10**31)],
)
def test_a_range_outside_the_text_is_refused(part: int, start: int, end: int) -> None:
    with pytest.raises(NothingToQuote, match="Step #4 has no such text"):
        quoting.exact_quote(a_step(Part(PartKind.MESSAGE, "hello")), part, start, end)


def test_an_exact_quote_counts_code_points() -> None:
    step = a_step(Part(PartKind.MESSAGE, "👩‍👧 é"))
    assert quoting.exact_quote(step, 0, 0, 3) == Quote("note", 4, 0, 0, 3, "👩‍👧")
    assert quoting.exact_quote(step, 0, 4, 5).text == "é"


def test_a_step_without_text_holds_nothing_to_quote() -> None:
    for parts in ((), (Part(PartKind.DECISION, ""), Part(PartKind.MESSAGE, " \n\n "))):
        with pytest.raises(NothingToQuote, match="Step #4 holds no text"):
            quoting.telling_quote(a_step(*parts))


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("One line.", 0, 9),
        ("\n  First.\nStill first.\n\nSecond.", 3, 22),
        ("Trailing space.  \n", 0, 15),
        ("x" * 500, 0, 400),
    ],
)
def test_the_telling_quote_is_the_first_paragraph(text: str, start: int, end: int) -> None:
    quote = quoting.telling_quote(a_step(Part(PartKind.MESSAGE, text)))
    assert quote == Quote("note", 4, 0, start, end, text[start:end])


def test_the_telling_quote_is_of_the_part_that_says_most() -> None:
    parts = (
        Part(PartKind.INPUT, "in"),
        Part(PartKind.MESSAGE, "said"),
        Part(PartKind.DECISION, "  "),
        Part(PartKind.TOOL_RESPONSE, "seen"),
    )
    quote = quoting.telling_quote(a_step(*parts))
    assert (quote.part, quote.text) == (3, "seen")
    decided = quoting.telling_quote(a_step(*parts, Part(PartKind.DECISION, "chosen")))
    assert (decided.part, decided.text) == (4, "chosen")


def test_the_scene_quote_stands_where_the_tests_say() -> None:
    assert TEXT[QUOTE.start : QUOTE.end] == QUOTE.text


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("Short.\n\nMore.", "Short."),
        ("  indented  ", "indented"),
        ("word " * 100, ("word " * 80).strip()),
        ("A sentence. " * 40, ("A sentence. " * 33).strip()),
        ("line of a table\n" * 40, ("line of a table\n" * 25).strip()),
        ("x" * 500, "x" * 400),
    ],
)
def test_a_long_paragraph_is_cut_where_a_reader_would(text: str, quoted: str) -> None:
    assert quoting.telling_quote(make_step(0, text=text)).text == quoted
