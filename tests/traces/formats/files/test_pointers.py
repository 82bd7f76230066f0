"""Raw records found again by their pointers: nothing that is not there, and what is, exactly."""

from __future__ import annotations

import gzip
import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.traces.formats.files.test_containers import zipped
from traces.formats.base import Limits, Unreadable
from traces.formats.files.pointers import found

LIST = json.dumps([{"h": ["a", "b"]}, {"h": ["c", {"x/y": {"~z": 7}}]}]).encode()
LINES = b'{"n": 1}\n\n{"n": [5, 6]}\n'
BUNDLE = zipped({"run/a.jsonl": LINES, "run/b.json": LIST, "x/c: d.json": b'{"k": 1}'})


def value(content: bytes, pointer: str, run: str = "") -> Any:
    return found(content, pointer, run=run, limits=Limits()).value


@pytest.mark.parametrize(
    ("content", "pointer", "run"),
    [
        (LIST, "/2", ""),
        (LIST, "/0/h/-1", ""),
        (LIST, "/0/h/²", ""),
        (LIST, "/0/h/99999999999999999999", ""),
        (LIST, "/0/h/0/deeper", ""),
        (LIST, "/0/g", ""),
        (LIST, "h", "/1"),
        (LIST, "line 7", ""),
        (LINES, "line 2", ""),
        (LINES, "/n", ""),
        (LINES, "line 1x", ""),
        (BUNDLE, "run/z.json: /0", ""),
        (BUNDLE, "/0", ""),
        (BUNDLE, "", ""),
        (b'{"a": ', "/a", ""),
        (b"", "", ""),
        (b"\x80\x04\x95\x05", "", ""),
        (b"PK\x03\x04broken", "/a", ""),
    ],
)
def test_what_is_not_there_is_a_sentence(content: bytes, pointer: str, run: str) -> None:
    with pytest.raises(Unreadable) as caught:
        value(content, pointer, run)
    assert str(caught.value).endswith(".")


@pytest.mark.parametrize(
    ("content", "pointer", "run", "expected"),
    [
        (LIST, "/h/0", "/1", "c"),
        (LIST, "", "/1", {"h": ["c", {"x/y": {"~z": 7}}]}),
        (LIST, "/1/h/1/x~1y/~0z", "", 7),
        # The run's place goes before the document's.
        (b'[{"h": 1, "0": {"h": 2}}]', "/0/h", "/0", 2),
        (LIST, "/0/h/1", "/1", "b"),
        (LINES, "line 3/n/1", "", 6),
        (LINES, "/n", "line 1", 1),
        (LINES, "line 1", "line 3", {"n": 1}),
        (gzip.compress(LINES), "line 3/n/0", "", 5),
        (b'{"n": 4}\n', "line 1/n", "", 4),
        (BUNDLE, "run/a.jsonl: line 1/n", "", 1),
        (BUNDLE, "line 3/n/0", "run/a.jsonl: line 1", 5),
        (BUNDLE, "/h/1", "run/b.json: /0", "b"),
        (BUNDLE, "run/b.json: /0/h/0", "run/a.jsonl: line 1", "a"),
        (BUNDLE, "run/b.json: /0/h/0", "run/a.jsonl", "a"),
        (BUNDLE, "x/c: d.json: /k", "", 1),
        (BUNDLE, "/k", "x/c: d.json", 1),
    ],
)
def test_a_value_is_found_as_the_pointer_of_a_run_or_step_says(
    content: bytes, pointer: str, run: str, expected: Any
) -> None:
    assert value(content, pointer, run) == expected


def test_where_it_was_found_is_told_in_full() -> None:
    assert found(LIST, "/h/0", run="/1", limits=Limits()).pointer == "/1/h/0"
    answer = found(BUNDLE, "line 3", run="run/a.jsonl: line 1", limits=Limits())
    assert answer.pointer == "run/a.jsonl: line 3"


DOCUMENTS = (LIST, LINES, BUNDLE)
# Characters that Postgres holds: others are shown as marks, in keys too.
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=4)
LEAVES = st.none() | st.booleans() | st.integers(-9, 9) | TEXT
VALUES = st.recursive(
    LEAVES,
    lambda inside: st.lists(inside, max_size=4) | st.dictionaries(TEXT, inside),
    max_leaves=12,
)


def places(of: Any, pointer: str = "") -> list[tuple[str, Any]]:
    inside: list[tuple[object, Any]] = []
    if isinstance(of, list):
        inside = list(enumerate(of))
    elif isinstance(of, dict):
        inside = list(of.items())
    escaped = ((str(k).replace("~", "~0").replace("/", "~1"), v) for k, v in inside)
    return [(pointer, of), *(each for k, v in escaped for each in places(v, f"{pointer}/{k}"))]


@given(value=st.lists(VALUES, min_size=1, max_size=3))
def test_every_place_of_a_document_is_found(value: list[Any]) -> None:
    content = json.dumps(value).encode()
    for pointer, expected in places(value):
        assert found(content, pointer, run="", limits=Limits()).value == expected


@given(pointer=st.text(max_size=20), run=st.text(max_size=20), content=st.sampled_from(DOCUMENTS))
def test_any_pointer_is_answered(pointer: str, run: str, content: bytes) -> None:
    with suppress(Unreadable):
        found(content, pointer, run=run, limits=Limits())
