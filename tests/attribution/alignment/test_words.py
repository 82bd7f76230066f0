from __future__ import annotations

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
    assert word_diff("Use POST /v1/invoices now.", "Use PUT /v2/documents now.") == [
        ("equal", "Use "),
        ("delete", "POST /v1/invoices"),
        ("insert", "PUT /v2/documents"),
        ("equal", " now."),
    ]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("2655.50", "2655.49"),
        ("1,234.50", "1,235.50"),
        ("€12.50", "€13.50"),
        ("-5", "-6"),
        ("12%", "13%"),
        ("33m12", "31m7"),
        ("33m12.4s", "31m7.1s"),
        ("13:22:41", "13:22:42"),
        ("2026-11-03T13:22:41.138Z", "2026-11-03T13:22:42.138Z"),
        ("a365b5fb53aeb5d6", "a365b5fc53aeb5d6"),
        ("sha256:a365b5fb", "sha256:a365b5fc"),
        ("6f1c2b9e-0a1b-4c3d", "6f1c2b9e-0a1c-4c3d"),
        ("merge-queue@2", "merge-queue@3"),
        ("release/2026-11b", "release/2026-11c"),
        ("/srv/archive/index.sqlite", "/srv/archive/index.sqlite3"),
        ("./a/b.py", "./a/c.py"),
        ("tests/dock/", "tests/docks/"),
        ("--timeout=30", "--timeout=90"),
        ("consolidated_invoice", "consolidated_invoices"),
        ("https://x.example/z?a=1&b=2", "https://x.example/z?a=1&b=3"),
    ],
)
@pytest.mark.parametrize("around", ["got {} then.", '{{"a":"{}","b":1}}', "({}), [7]", "{}"])
def test_numbers_times_hashes_paths_and_names_are_whole(before: str, after: str, around: str):
    head, _, tail = around.format("\0").partition("\0")
    pieces = [("equal", head), ("delete", before), ("insert", after), ("equal", tail)]
    assert word_diff(around.format(before), around.format(after)) == [p for p in pieces if p[1]]


def test_values_of_a_json_text_are_apart():
    assert word_diff('{"path":"a.py","n":[1,2]}', '{"path":"a.py","n":[1,3]}') == [
        ("equal", '{"path":"a.py","n":[1,'),
        ("delete", "2"),
        ("insert", "3"),
        ("equal", "]}"),
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
def test_long_texts_come_back_whole(joint: str):
    left = joint.join(f"word{n}" for n in range(60_000))
    right = joint.join(f"word{n if n % 3 else -n}" for n in range(60_000))

    pieces = word_diff(left, right)

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
