import pytest
from hypothesis import given
from hypothesis import strategies as st

from traces.display import MOST, Piece, pieces, shown, visible


def joined(text, found):
    return "".join(text[p.start : p.start + p.length] if p.mark else p.text for p in found)


@given(st.text(), st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), max_size=4))
def test_pieces_tile_the_text_without_loss(text, cited):
    found = pieces(text, start=0, end=len(text), cited=cited)
    assert joined(text, found) == text
    assert [p.start for p in found] == sorted({p.start for p in found})


@given(st.text(alphabet="ab\n", max_size=400), st.integers(1, 8))
def test_what_is_shown_and_folded_is_everything(text, lines):
    cut = shown(text, lines=lines)
    assert joined(text, (*cut.open, *cut.folded)) == text
    assert not cut.folded or cut.folded[0].start == cut.folded_start


def test_cited_ranges_are_marked_exactly():
    found = pieces("use v1 here", start=0, end=11, cited=[(4, 6)])
    assert [(p.text, p.cited) for p in found] == [("use ", False), ("v1", True), (" here", False)]


@pytest.mark.parametrize(
    ("character", "name"),
    [("\u202e", "U+202E"), ("\x1b", "U+001B"), ("\r", "U+000D"), ("\u200b", "U+200B")],
)
def test_invisible_characters_become_marks(character, name):
    assert [p.mark for p in pieces(f"a{character}b", start=0, end=3, cited=[])] == ["", name, ""]
    assert visible(f"a{character}b") == f"a⟨{name}⟩b"


def test_a_run_of_one_invisible_character_is_one_mark_with_its_count():
    text = "a" + "\u202e" * 1000 + "\u200b" * 2 + "\x1bb"
    assert pieces(text, start=0, end=len(text), cited=[]) == [
        Piece(0, "a"),
        Piece(1, "", mark="U+202E ×1000", length=1000),
        Piece(1001, "", mark="U+200B ×2", length=2),
        Piece(1003, "", mark="U+001B"),
        Piece(1004, "b"),
    ]
    assert visible(text) == "a⟨U+202E ×1000⟩⟨U+200B ×2⟩⟨U+001B⟩b"


def test_a_citation_divides_a_run_of_invisible_characters():
    found = pieces("\u202e" * 5, start=0, end=5, cited=[(1, 3)])
    assert [(p.start, p.length, p.cited) for p in found] == [
        (0, 1, False),
        (1, 2, True),
        (3, 2, False),
    ]


def test_of_a_very_long_text_the_rest_is_counted():
    text = "ab\u202ec" * 500_000
    cut = shown(text, lines=8, cited=[(1_999_990, 1_999_995)])
    assert joined(text, (*cut.open, *cut.folded)) == text[:MOST]
    assert cut.hidden == 2_000_000 - MOST
    assert shown("x" * MOST, lines=8).hidden == 0


def test_scripts_and_emoji_keep_their_joiners():
    family = "👩\u200d👧 می\u200cخواهم"
    assert visible(family) == family


def test_a_long_text_is_folded_by_lines_and_a_long_line_by_characters():
    assert shown("x\n" * 20, lines=6).folded_lines == 15
    assert shown("x\n" * 8, lines=6).folded == ()
    assert shown("y" * 9000, lines=6).folded_start == 2400
