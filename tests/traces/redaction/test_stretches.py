"""How documents are read while they are searched: no other way than when they are read in."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.traces.redaction.searching import SECRETS, redacted
from traces.formats.base import Limits, Unreadable
from traces.formats.files import cleaning, documents
from traces.redaction.stretches import parses, readings

VALUE = "hunter" + "2"
LINE = json.dumps({"messages": [{"role": "user", "content": {"password": VALUE, "a": 0}}]})
CUT = '{"messages": [{"role": "us'
ODD = ["NaN", "-Infinity", '"a\tb"', '"\udce9"', '"\\ud800"', "1" * 5000, "1e999"]


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("lines", ["cut last", "cut first", "cut between", "half cut"])
def test_fields_are_followed_in_lines_as_tolerantly_as_they_are_read(odd: str, lines: str) -> None:
    line = LINE.replace("0", odd)
    text = {
        "cut first": f"{CUT}\n{line}\n{line}",
        "cut between": f"{line}\n{CUT}\n{line}\n",
        "cut last": f"{line}\n{line}\n{CUT}",
        "half cut": f"{CUT}\n{CUT}\n{line}\n{line}",
    }[lines]
    once = redacted(text.encode("utf-8", "surrogateescape"), SECRETS)
    assert once.count(b"[SECRET-1]") == 2
    assert VALUE.encode() not in once


@pytest.mark.parametrize("end", ['"}', '"', ""])
def test_lines_in_a_string_do_not_hide_it(end: str) -> None:
    text = '{"password":"\n{}\n{}\n' + VALUE + "\n{}" + end
    assert VALUE.encode() not in redacted(text.encode(), SECRETS)


def test_lines_that_are_values_do_not_hide_what_is_around_them() -> None:
    text = '{"password": [\n{}\n,\n"' + VALUE + '"\n'
    assert VALUE.encode() not in redacted(text.encode(), SECRETS)


def test_a_line_is_searched_without_its_end() -> None:
    text = '{}\n{"password": "cut\n\n{}\n'
    assert [text[slice(*span)] for span in readings(text)[0]] == text.split("\n")


FRAGMENTS = (
    *('{"a": 1}', '{"a": "', '"}', "[", "]", "{}", "\n", "\n", "\n", '"', "x", "1", " ", "\r"),
    *("NaN", "\t", "\x0b", "\\", ",", '"\x00"', "Infinity", "-", "1" * 5000),
)
pieces = st.lists(st.sampled_from(FRAGMENTS), max_size=10).map("".join)


@given(pieces)
def test_what_the_reader_takes_for_a_value_is_one_here(text: str) -> None:
    try:
        cleaning.Reader(text, depth=100).only()
        reads = True
    except json.JSONDecodeError:
        reads = False
    assert parses(text) == reads


@given(pieces)
def test_what_is_read_as_one_value_is_searched_as_one(text: str) -> None:
    try:
        _, _, several = documents.values_of(text, Limits())
    except Unreadable:
        return
    if not several:
        assert readings(text) == [[(0, len(text))]]


@pytest.mark.parametrize("lines", [f"{LINE}\n{CUT}", f"{CUT}\n{LINE}\n{LINE}", f"{{}}\n{LINE}"])
def test_what_is_read_line_by_line_is_searched_so_first(lines: str) -> None:
    records, refusals, _ = documents.values_of(lines, Limits())
    assert len(readings(lines)[0]) == len(records) + len(refusals)
