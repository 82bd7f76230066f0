from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from traces.gaps.changes import says, words

texts = st.text(st.sampled_from("abqAB1 _.-éßİΣ\n"), max_size=30)


@given(texts, texts)
def test_a_word_is_found_exactly_where_it_is_one_of_the_words(text: str, names: str) -> None:
    wanted = words(names)
    assert says(text, wanted) == bool(wanted & words(text))


def test_a_word_inside_another_one_is_not_there() -> None:
    assert not says("requote quotes 1quote", {"quote"})
    assert says("requote, then QUOTE.py", {"quote"})
    assert says("quote", {"quote"})
    assert says("my_quote_2", {"quote"})
