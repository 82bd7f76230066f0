from __future__ import annotations

import pytest

from attribution.rendering.kinds import Kind, recognise


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I will check the interface first, then the plan.",
        "2 ** 3 and 4 ** 5",
        "# a comment\nkey = value",
        "* a\n* b",
        "[1]",
        "[]",
        "{}",
        "12",
        "null",
        "{not json}",
        '["a", "b"]',
        "[" * 100_000,
        '{"a":' * 100_000,
        "Hello, Ann, Bob\nHow are you, Ann, Bob\nfine, thanks, all",
        "10:01 INFO a, b, c\n10:02 INFO d, e, f\n10:03 INFO g, h, i.",
        "if you want to go:\nimport your data\nand return it",
        "1,2,3\n4,5,6\n7,8,9",
        "a < b\nand c > d",
    ],
)
def test_what_is_not_surely_more_is_plain(text: str) -> None:
    assert recognise(text).kind is Kind.PLAIN


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (Kind.MARKDOWN, "Take **both** of them."),
        (Kind.MARKDOWN, "# Plan\n\nFirst read, then write."),
        (Kind.MARKDOWN, "Run this:\n```sh\nls\n```\n"),
        (Kind.MARKDOWN, "| a | b |\n|---|---|\n| 1 | 2 |"),
        (Kind.MARKDOWN, "See [the page](https://x.example/)."),
        (Kind.MARKDOWN, "- use `ls`\n- then `cat`"),
        (Kind.JSON, '{"a": 1}'),
        (Kind.JSON, ' [{"a": {}}] '),
        (Kind.JSON, '{"a": NaN, "a": 1e999}'),
        (Kind.TABLE, '[{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]'),
        (Kind.TABLE, "name,age,city\nAnn,3,X\nBob,4,Y\n"),
        (Kind.TABLE, "name\tage\nAnn\t3\nBob\t4"),
        (Kind.ANSI, "\x1b[31mred\x1b[0m"),
        (Kind.CODE, "import os\n\ndef f(x):\n    return x\n"),
        (Kind.CODE, "diff --git a/x b/x\n--- a/x\n+++ b/x\n"),
        (Kind.CODE, "#!/bin/bash\nls"),
        (Kind.CODE, "SELECT a\nFROM b\nWHERE c = 1"),
        (Kind.CODE, 'Traceback (most recent call last):\n  File "x.py", line 1\nKeyError: 1'),
    ],
)
def test_what_surely_is_more_is_recognised(kind: Kind, text: str) -> None:
    assert recognise(text).kind is kind
