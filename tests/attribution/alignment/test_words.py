from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attribution.alignment import similarity, word_diff
from attribution.alignment.words import first_difference, says_the_same, values


@given(st.text(), st.text())
def test_the_pieces_of_a_diff_make_both_texts(left: str, right: str):
    pieces = word_diff(left, right)

    assert "".join(text for op, text in pieces if op != "insert") == left
    assert "".join(text for op, text in pieces if op != "delete") == right
    assert all(text for _, text in pieces)


@given(st.text(min_size=1))
def test_a_text_and_itself_are_one_equal_piece(text: str):
    assert word_diff(text, text) == [("equal", text)]


def test_two_empty_texts_have_no_pieces():
    assert word_diff("", "") == []


def test_words_are_replaced_as_runs():
    assert word_diff("Use POST /v1/invoices now.", "Use POST /v2/documents now.") == [
        ("equal", "Use POST /"),
        ("delete", "v1"),
        ("insert", "v2"),
        ("equal", "/"),
        ("delete", "invoices"),
        ("insert", "documents"),
        ("equal", " now."),
    ]


def test_a_space_between_two_changed_words_belongs_to_the_change():
    assert word_diff("send two mails", "send some letters") == [
        ("equal", "send "),
        ("delete", "two mails"),
        ("insert", "some letters"),
    ]


def test_an_insertion_is_no_deletion():
    assert word_diff("a c", "a b c") == [("equal", "a "), ("insert", "b "), ("equal", "c")]


@pytest.mark.parametrize("joint", [" ", "\n", ""])
def test_long_texts_cost_little(joint: str):
    left = joint.join(f"word{n}" for n in range(60_000))
    right = joint.join(f"word{n if n % 3 else -n}" for n in range(60_000))

    begun = time.process_time()
    pieces = word_diff(left, right)

    assert time.process_time() - begun < 1.0
    assert "".join(text for op, text in pieces if op != "insert") == left
    assert "".join(text for op, text in pieces if op != "delete") == right


def test_long_texts_of_few_lines_are_compared_by_line():
    same = "word " * 7_000
    pieces = word_diff(f"one\n{same}\nx {same}\n", f"two\n{same}\ny {same}\n")

    assert pieces == [
        ("delete", "one\n"),
        ("insert", "two\n"),
        ("equal", f"{same}\n"),
        ("delete", f"x {same}\n"),
        ("insert", f"y {same}\n"),
    ]


def test_similarity_is_symmetric_and_forgives_order():
    assert similarity("create e-invoice gateway", "gateway create e-invoice") == 1.0
    assert similarity("", "") == 1.0
    assert similarity("", "abc") == 0.0
    assert similarity("12 mails sent", "no reply yet") == similarity(
        "no reply yet", "12 mails sent"
    )


def test_values_are_words_with_digits_paths_and_flags():
    assert values("Use POST /v1/invoices (12 of 12), not --mode=adjust.") == {
        "/v1/invoices",
        "12",
        "--mode=adjust",
    }
    assert values("no values at all") == set()


def test_other_values_are_another_statement_however_similar_the_words():
    assert not says_the_same("gateway v1: POST /v1", "gateway v2: POST /v2", at_least=0.1)
    assert says_the_same("purge gated on lookup", "purge waits for the lookup", at_least=0.6)
    assert not says_the_same("ask owner", "mail now", at_least=0.6)


def test_where_texts_part_is_said_in_sentences():
    assert first_difference("All fine.", "Nothing is.") == "from the first sentence on"
    assert first_difference("Good. Bad.", "Good. Worse.") == "after 1 sentence"
    assert first_difference("One. Two.\nX", "One. Two.\nY") == "after 2 sentences"
