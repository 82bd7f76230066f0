from __future__ import annotations

from datetime import UTC, datetime, timedelta
from time import process_time

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.factories import make_step, make_transcript
from tests.patience import seconds_of
from traces.folding import folded
from traces.spellings import spelling_of
from traces.transcript import Part, PartKind
from traces.values import Unsearchable, appearances


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
        ("1234.5", "1 234,5"),
        ("1234.5", "1.234,50"),
        ("1,234.5", "1234,5"),
        ("1.234,5", "1'234.5"),
        ("1 234,5", "1\u202f234,5"),
        ("1,234", "1.234"),
        ("1234567", "12,34,567"),
        ("12,34,567.80", "1_234_567.8"),
        ("1942.97", "[5,1942.970,7]"),
        ("40%", "40 %"),
        ("40 %", "40.0 per cent"),
        ("12.5 percent", "12,5%"),
        ("-5.0", "\u22125"),
        ("2026-11-29", "29.11.2026"),
        ("2026-11-29", "11/29/2026"),
        ("2026-11-29", "29-Nov-2026"),
        ("29 November 2026", "2026-11-29T10:15:00Z"),
        ("2026-11-29", "20261129"),
        ("03/04/2026", "3 April 2026"),
        ("03/04/2026", "March 4, 2026"),
        ("2026-11-29T10:15:00Z", "2026-11-29 10:15"),
        ("2026-11-29T10:15:00Z", "29 Nov 2026, 10:15:00.000 UTC"),
        ("2026-11-29T10:15:00Z", "20261129T101500Z"),
        ("2026-11-29 22:15", "November 29, 2026 at 10:15 pm"),
        ("2026-11-29T10:15:00+02:00", "2026-11-29 10:15:00 +0200"),
        ("29 november 2026 12:05 am", "2026-11-29 00:05"),
        ("2026-12-29", "29. Dezember 2026"),
        ("29 novembre 2026", "2026-11-29"),
        ("1er août 2026", "1 August 2026"),
        ("5 März 2026", "5 MARS 2026"),
        ("Straße", "STRASSE"),
        ("café", "CAFE\u0301"),
        ("ﬁle name", "file\u00a0name"),
        ("Ａ１", "a1"),
        ('it\'s "so"', "It\u2019s \u201cso\u201d"),
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
        ("942.97", "1'942.970"),
        ("1234", "1,234,567"),
        ("1.2.3", "1.2.30"),
        ("2026-11-29T10:15", "2026-11-29 10:15 pm"),
        ("40", "40,000"),
        ("12", "deadbeef12"),
        ("12", "3e12"),
        ("12", "3e-12"),
        ("12", "-12"),
        ("12", "12e7"),
        ("234", "1,234"),
        ("234567", "1,234567"),
        ("40%", "40 persons"),
        ("2026-11-29T10:15:00Z", "2026-11-29T10:15:00+02:00"),
        ("2026-11-29T10:15:00+02:00", "2026-11-29T10:15:00Z"),
        ("2026-11-29T10:15:42Z", "2026-11-29T10:15Z"),
        ("2026-11-29T10:15Z", "2026-11-29T10:15:42Z"),
        ("2026-11-29", "12026-11-29"),
        ("20261129", "29 November 2026"),
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
    assert (0, True) in found(text, f"- {text.strip()} -")


@pytest.mark.parametrize(
    ("text", "held", "places"),
    [
        ("caf\u00e9", "ein CAFE\u0301 hier", ["CAFE\u0301"]),
        ("strasse", "die Straße\nund Straße", ["Straße", "Straße"]),
        ("file", "\u00e4\u00e4 \ufb01le\n \ufb01le", ["\ufb01le", "\ufb01le"]),
        ("...", "so\u2026 und so...", ["\u2026", "..."]),
        ("1234", "\u00e9\n1\u202f234 | 1234", ["1\u202f234", "1234"]),
    ],
)
def test_places_are_of_the_text_as_it_stands(text, held, places):
    transcript = make_transcript(make_step(0, text=held))
    assert [held[a.start : a.end] for a in appearances(transcript, text)] == places


def test_a_number_in_a_list_without_spaces_is_found():
    assert found("40", "[5,40,7]") == [(0, True)]
    assert found("942", "[1,942]") == [(0, True)]
    assert found("942", "[17,4,942]") == [(0, True)]
    assert found("12", "task-12 of 2026-12, v12") == [(0, True)] * 3


@given(st.text("124,.e- \u00e9", max_size=40), st.sampled_from(["12", "1,124", "1.4", "124"]))
def test_near_the_anchor_is_everywhere(held, text):
    spelling = spelling_of(text)
    nearby = [match.span() for match in spelling.matches(held)]
    assert nearby == [match.span() for match in spelling.pattern.finditer(held)]


def test_a_common_value_takes_little_time():
    steps = [make_step(n, text=f"{'read and write ' * 60} 1250 rows") for n in range(10_000)]
    run = make_transcript(*steps)
    assert len(appearances(run, "1250")) == 10_000
    assert seconds_of(lambda: appearances(run, "1250")) < 0.6


def test_a_value_of_very_many_places_is_counted_up_to_a_limit():
    assert len(found("so", "so " * 1_000)) == 50


words = st.text("aäÄßﬁé1234.,' \u0301\u00a0\u2212\n", min_size=1, max_size=12)


@given(words, words, words)
def test_a_text_is_found_wherever_it_stands_apart(before, text, after):
    """Also beside characters that fold together with each other."""
    text = text.strip()
    assume(len(text) >= 2 and folded(text).strip())
    held = f"{before} | {text} | {after}"
    start = len(before) + 3
    spots = appearances(make_transcript(make_step(0, text=held)), text)
    covered = {n for spot in spots for n in range(spot.start, spot.end)}
    assert set(range(start, start + len(text))) <= covered
    assert all(0 <= spot.start < spot.end <= len(held) for spot in spots)


@given(
    st.decimals(min_value=0, max_value=10**9, places=3, allow_nan=False),
    st.sampled_from(
        [(",", "."), (".", ","), (" ", ","), ("'", "."), ("_", "."), ("", ","), ("", ".")]
    ),
)
def test_a_number_is_found_in_every_locale(number, locale):
    """Python's own formatting tells how it is written."""
    group, mark = locale
    written = f"{number:,.3f}".translate(str.maketrans({",": group, ".": mark}))
    assert found(f"x {number}", f"X {written};") == [(0, f"x {number}" == f"X {written}")]


@given(st.integers(min_value=-30_000_000_000, max_value=250_000_000_000))
def test_a_time_is_found_as_the_library_writes_it(seconds):
    at = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
    text = at.strftime("%Y-%m-%dT%H:%M:%S")
    for pattern in (
        "%Y-%m-%d %H:%M:%S", "%d %B %Y %H:%M:%S", "%b %d, %Y at %I:%M:%S %p", "%Y%m%dT%H%M%S",
        "%d.%m.%Y %H:%M:%S", "%m/%d/%Y %H:%M:%S",
    ):  # fmt: skip
        assert found(text, f"({at.strftime(pattern)})") == [(0, False)]


@pytest.mark.parametrize(
    "text",
    [
        "1" * 2_000,
        "1,1" * 600,
        "1 111" * 400,
        "1 " * 999 + "1",
        "2026-11-29 " * 180,
        "a \t " * 400,
        "0.000" * 400,
        "40% " * 499,
    ],
)
@pytest.mark.parametrize(
    "unit",
    [
        "1",
        "0",
        "1,",
        "1 111 ",
        " ",
        "\t",
        "40.0000",
        "2026-11-29 ",
        "a ",
        "é\u0301",
        "\u0301\u0316",
        "40 %",
    ],
)
def test_hostile_texts_take_no_time(text, unit):
    held = unit * (200_000 // len(unit))
    began = process_time()
    for selected in (text, text[:7], f"1{text[:2]}.5"):
        found(selected, held, f"40 {held}", f"2026-11-29 {held}")
    assert process_time() - began < 4
