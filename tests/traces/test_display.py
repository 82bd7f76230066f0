import pytest
from hypothesis import given
from hypothesis import strategies as st

from traces.display import pieces, shown, visible


def joined(text, found):
    return "".join(text[p.start : p.start + 1] if p.mark else p.text for p in found)


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


def test_scripts_and_emoji_keep_their_joiners():
    family = "👩\u200d👧 می\u200cخواهم"
    assert visible(family) == family


def test_a_long_text_is_folded_by_lines_and_a_long_line_by_characters():
    assert shown("x\n" * 20, lines=6).folded_lines == 15
    assert shown("x\n" * 8, lines=6).folded == ()
    assert shown("y" * 9000, lines=6).folded_start == 2400
