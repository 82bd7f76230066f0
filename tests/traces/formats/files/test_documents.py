"""JSON as it is really written is read, and what had to be changed is counted."""

from __future__ import annotations

import codecs
import json
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from traces.formats.base import Document, Limits, Unreadable, replacement_gaps
from traces.formats.files.containers import Member
from traces.formats.files.documents import decoded


def read(content: bytes | str) -> Document:
    content = content.encode() if isinstance(content, str) else content
    return decoded(Member(content), Limits())


def only_value(content: bytes | str) -> object:
    (record,) = read(content).records
    return record.value


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "The file is empty."),
        (b" \n\t\n", "only white space"),
        (b"hello, world", "This is not JSON"),
        (b'{"a": 1', "The JSON breaks off: the file was cut"),
        (b'{"a": "b', "The JSON breaks off: the file was cut"),
        (b'{"a": 1, }', r"This is not JSON: .* at line 1, column 10"),
        (b"[" * 5000, "nested deeper than 200 levels"),
        (b"[" * 201 + b"]" * 201, "nested deeper than 200 levels"),
        (b"<html></html>", "This is not JSON"),
        (bytes(500), "This is not JSON"),
    ],
)
def test_what_is_no_json_is_refused_with_a_sentence(content: bytes, sentence: str) -> None:
    with pytest.raises(Unreadable, match=sentence):
        read(content)


def test_200_levels_are_not_too_deep() -> None:
    assert only_value("[" * 200 + "]" * 200)


@pytest.mark.parametrize(
    "content",
    [
        codecs.BOM_UTF8 + '["é"]'.encode(),
        codecs.BOM_UTF16_LE + '["é"]'.encode("utf-16-le"),
        codecs.BOM_UTF16_BE + '["é"]'.encode("utf-16-be"),
        '["é"]'.encode("utf-16-le"),
        b'["\\u00e9"]\r\n',
    ],
)
def test_other_encodings_are_read(content: bytes) -> None:
    assert only_value(content) == ["é"]


def test_bytes_of_another_encoding_are_marked_and_a_gap() -> None:
    document = read('["café"]'.encode("latin-1"))
    assert document.records[0].value == ["caf\ufffd"]
    assert [gap.kind for gap in document.gaps] == ["damaged"]
    assert "From byte 5 on" in document.gaps[0].detail


def test_nul_characters_are_shown_and_counted() -> None:
    (record,) = read(r'{"a\u0000": "b\u0000\u0000"}').records
    assert record.value == {"a␀": "b␀␀"}
    assert record.replaced == {"NUL character": 3}


def test_half_a_surrogate_pair_is_replaced_and_a_whole_one_kept() -> None:
    (record,) = read(r'["\ud83d", "\ud83d\ude00"]').records
    assert record.value == ["\ufffd", "😀"]
    assert record.replaced == {"lone surrogate": 1}


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity", "1e400", "9" * 1001])
def test_numbers_that_nothing_holds_become_null_and_their_word_is_kept(word: str) -> None:
    (record,) = read(f'{{"a": [1, {word}]}}').records
    assert record.value == {"a": [1, None]}
    assert record.notes == (f"{word[:40]} at /a/1 became null",)


def test_large_integers_stay_exact() -> None:
    assert only_value("[123456789012345678901234567890]") == [123456789012345678901234567890]


def test_a_name_that_comes_twice_is_noted() -> None:
    (record,) = read('{"a": 1, "a": 2}').records
    assert record.value == {"a": 2}
    assert "came 2 times" in record.notes[0]


def test_what_was_replaced_becomes_one_gap_of_each_kind() -> None:
    document = read('{"a": "\\u0000", "b": NaN, "c": NaN}')
    kinds = [gap.kind for gap in replacement_gaps(*document.records)]
    assert kinds == ["replaced_characters", "replaced_values"]


def test_control_characters_in_strings_are_read() -> None:
    assert only_value('["a\tb\nc"]') == ["a\tb\nc"]


def test_lines_are_cut_at_newlines_only() -> None:
    document = read('{"a": "x\u2028y\x85z"}\n{"a": 2}\n')
    assert [record.value["a"] for record in document.records] == ["x\u2028y\x85z", 2]
    assert [record.position for record in document.records] == ["line 1", "line 2"]


def test_a_cut_last_line_is_refused_and_the_others_are_kept() -> None:
    document = read('{"a": 1}\n{"a": 2}\n{"a": ')
    assert len(document.records) == 2
    assert [refusal.position for refusal in document.refusals] == ["line 3"]
    assert "was cut" in document.refusals[0].reason


def test_a_bad_line_in_the_middle_costs_only_itself() -> None:
    document = read('{"a": 1}\n\x00\x00\x00\n\n{"a": 3}\r\n')
    assert [record.position for record in document.records] == ["line 1", "line 4"]
    assert [refusal.position for refusal in document.refusals] == ["line 2"]


def test_a_line_that_is_too_deep_costs_only_itself() -> None:
    document = read('{"a": 1}\n' + "[" * 300 + "]" * 300 + '\n{"a": 2}\n')
    assert [refusal.position for refusal in document.refusals] == ["line 2"]
    assert len(document.records) == 2


@pytest.mark.parametrize("content", ["1 2 3", '"a"\n"b"\n', '{"a": 1} 7'])
def test_single_words_are_no_records(content: str) -> None:
    with pytest.raises(Unreadable, match="This is not JSON: Extra data"):
        read(content)


def test_two_lines_of_which_one_is_cut_are_lines_still() -> None:
    document = read('{"a": 1}\n{"a": ')
    assert len(document.records) == 1
    assert len(document.refusals) == 1


def test_values_one_after_another_are_records() -> None:
    document = read('{\n "a": 1\n}\n{\n "a": 2\n}\n')
    assert [record.position for record in document.records] == ["line 1", "line 4"]
    assert document.lines


def test_a_single_line_is_a_document_like_any_other() -> None:
    assert not read('{"a": 1}\n').lines


def test_the_sample_shows_the_first_objects() -> None:
    assert read('[{"a": 1}, 2, {"b": 1}]').sample().objects == ({"a": 1}, {"b": 1})
    assert read('{"a": 1}\n{"b": 1}').sample().objects == ({"a": 1}, {"b": 1})


@settings(deadline=None)
@given(st.binary(max_size=400))
def test_any_bytes_are_read_or_refused(content: bytes) -> None:
    try:
        document = read(content)
    except Unreadable:
        return
    assert document.records


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@settings(deadline=None)
@given(JSON)
def test_whatever_python_writes_comes_back_storable(value: object) -> None:
    (record,) = read(json.dumps([value])).records
    text = json.dumps(record.value, ensure_ascii=False, allow_nan=False)
    assert "\x00" not in text
    assert "\\u0000" not in text.replace("\\\\", "")
    text.encode()


def test_many_values_over_several_lines_are_read_in_linear_time() -> None:
    text = "{\n}\n" * 60_000
    began = time.monotonic()
    document = read(text.encode())
    assert time.monotonic() - began < 10
    assert document.records[-1].position == "line 119999"


def test_long_keys_cost_no_more_than_their_length() -> None:
    value: Any = float("nan")
    for _ in range(100):
        value = {"k" * 100_000: value, "other": [0] * 1000}
    began = time.monotonic()
    document = read(json.dumps(value).encode())
    assert time.monotonic() - began < 10
    assert len(document.records[0].notes[0]) < 10_000
