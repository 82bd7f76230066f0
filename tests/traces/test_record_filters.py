from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from html import unescape

import pytest
from django.template import Context, Template

from traces import display
from traces.templatetags import record
from traces.transcript import Capture

# So far west that the last evening of the calendar has no time in UTC.
WEST = timezone(timedelta(hours=-23, minutes=-59))


def rendered(text: str, **context: object) -> str:
    return Template(text).render(Context(context))


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, ""),
        (datetime(2026, 11, 20, 9, 0, 5, 999, tzinfo=UTC), "2026-11-20 09:00:05 UTC"),
        (datetime(2026, 1, 1, 1, tzinfo=timezone(timedelta(hours=2))), "2025-12-31 23:00:00 UTC"),
        (datetime(2026, 1, 1, 9, 30), "2026-01-01 09:30:00 (no zone)"),  # noqa: DTZ001 - the point
        (datetime(9999, 12, 31, 23, tzinfo=WEST), "9999-12-31 23:00:00-23:59"),
    ],
)
def test_times_are_shown_in_utc_and_say_so(value: datetime | None, shown: str) -> None:
    assert record.utc(value) == shown


def test_every_capture_state_has_words_of_its_own() -> None:
    words = [record.capture_words(state.value) for state in Capture]
    assert len(set(words)) == len(Capture)
    assert not any(state.value in words for state in Capture if "_" in state.value)
    assert record.capture_words("lost") == "lost"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, ""),
        ("", ""),
        ("a\nb\tc", "a\nb\tc"),
        ("\x1b[31mred\u202e", "⟨U+001B⟩[31mred⟨U+202E⟩"),
        (0, "0"),
        (1.5, "1.5"),
    ],
)
def test_marked_writes_out_what_cannot_be_seen(value: object, shown: str) -> None:
    assert record.marked(value) == shown


def test_marked_text_is_escaped_in_a_template_without_a_load_tag() -> None:
    assert rendered("{{ t|marked }}", t="<b>\x07") == "&lt;b&gt;⟨U+0007⟩"


@pytest.mark.parametrize(("index", "shown"), [(0, "a"), (1, "b"), (2, ""), (-1, ""), (10**9, "")])
def test_the_item_at_a_variable_position(index: int, shown: str) -> None:
    assert record.at(["a", "b"], index) == shown


@pytest.mark.parametrize(("length", "more"), [(0, 0), (3, 0), (4, 1)])
def test_how_many_items_are_beyond_those_shown(length: int, more: int) -> None:
    assert record.beyond([None] * length, 3) == more


def test_entries_and_pairs_of_a_mapping_with_the_names_of_its_methods() -> None:
    mapping = {"items": "withheld", "a": "absent"}
    assert record.entry(mapping, "items") == "withheld"
    assert record.entry(mapping, "keys") is None
    text = "{% for name, state in m|pairs %}{{ name }}={{ state }};{% endfor %}"
    assert rendered(text, m=mapping) == "a=absent;items=withheld;"
    assert rendered(text, m={}) == ""


def test_drawn_text_holds_every_character_and_none_more() -> None:
    text = 'a\u202e<b>"c"\n  d '
    html = record.drawn(display.pieces(text, start=0, end=len(text), cited=[(2, 5)]))
    bare = re.sub(r'<span class="ctl"[^>]*>U\+202E</span>', "\u202e", html)
    assert unescape(re.sub(r"</?mark[^>]*>", "", bare)) == text
    assert '<mark class="cite">&lt;b&gt;</mark>' in html


def test_a_mark_of_several_characters_says_how_many_the_page_counts() -> None:
    html = record.drawn(display.pieces("a\u202e\u202e", start=0, end=3, cited=[]))
    assert ' data-length="2">U+202E ×2</span>' in html
    assert "data-length" not in record.drawn(display.pieces("\u202e", start=0, end=1, cited=[]))


def test_a_judgement_is_named_by_what_it_judges() -> None:
    data = {"source": "EVAL", "name": "tone", "value": 0, "note": "", "asked_of": ["a", True]}
    assert record.judged(data) == [("tone", "0"), ("source", "EVAL"), ("asked of", "a, yes")]
    several = {"name": ["x", "y"], "value": {"a": 1}}
    assert record.judged(several) == [("name", "x, y"), ("value", '{"a":1}')]
    assert record.judged({"name": "by", "value": 1, "by": "me"}) == [("by", "1"), ("by", "me")]
    assert record.judged({}) == []
