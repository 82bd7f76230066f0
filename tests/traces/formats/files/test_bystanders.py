from __future__ import annotations

import codecs

import pytest

from traces.formats.files.bystanders import why_no_trace


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("LICENSE", b"MIT", "documentation"),
        ("docs/README.md", b"{}", "documentation"),
        ("SOURCE.md", b"# From", "documentation"),
        (".git/config", b"{}", "hidden file"),
        ("a/.DS_Store", b"\x00", "hidden file"),
        ("__MACOSX/run.json", b"{}", "hidden file"),
        ("notes.txt", b"to do: everything", "not JSON"),
        ("picture.png", b"\x89PNG", "not JSON"),
    ],
)
def test_what_stands_beside_traces_is_named(name: str, content: bytes, reason: str) -> None:
    assert why_no_trace(name, content) == reason


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("run.json", b'{"a": '),
        ("claude-code.txt", b'{"a": 1}\n'),
        ("run", codecs.BOM_UTF8 + b" [1]"),
        ("run", codecs.BOM_UTF16_LE + "[]".encode("utf-16-le")),
        ("run.json", b"\x1f\x8b\x08"),
        ("bundle.zip", b"PK\x03\x04"),
        ("runs.db", b"SQLite format 3\x00"),
        ("empty.json", b""),
    ],
)
def test_what_may_be_a_trace_is_not_passed_over(name: str, content: bytes) -> None:
    assert why_no_trace(name, content) == ""
