from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from traces.gaps.changes import names_of, stands

texts = st.text(st.sampled_from("abqAB1 _.-éßİΣ\n"), max_size=30)


@given(texts, st.text("ab1.é", min_size=1, max_size=3))
def test_a_name_is_found_exactly_where_it_stands_apart(text: str, name: str) -> None:
    apart = re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text)
    assert stands(name, text) == bool(apart)


def test_a_name_inside_another_one_is_not_there() -> None:
    assert not stands("quote", "requote quotes 1quote my_quote re-quote")
    assert stands("quote.py", "requote, then shop/quote.py")
    assert stands("quote", "quote")


@pytest.mark.parametrize(
    ("artifact", "text"),
    [
        ("shop/tariffs/quote.py", "python -m shop.tariffs.quote"),
        ("shop/tariffs/quote.py", "edit shop/tariffs/quote.py"),
        ("shop/tariffs/quote.py", "Rewrote quote.py."),
        ("shop/tariffs/quote.py", "black shop/tariffs"),
        ("config/prod.yaml", "sed -i s/a/b/ config/*"),
        ("fees", "drop table fees;"),
    ],
)
def test_an_artifact_is_named_whole_or_by_file_or_folder(artifact: str, text: str) -> None:
    assert any(stands(name, text) for name in names_of(artifact))


@pytest.mark.parametrize(
    "text", ["git status", "the config is fine", "prod is up", "old-config/", "sha256"]
)
def test_a_piece_of_a_name_does_not_name_it(text: str) -> None:
    assert not any(stands(name, text) for name in names_of("config/prod.yaml"))
