"""What a text is. What is not surely more is plain."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Any, NamedTuple

from attribution.rendering import tables
from attribution.rendering.ansi import COLOURED
from attribution.rendering.structure import NotJson, children, container, is_object

# Characters that are looked at, but for JSON and tables, which are read as a whole.
LOOKED_AT = 20_000
TABLES = 2_000_000

DIFF = re.compile(r"^(?:diff --git \S|--- \S.*\n\+\+\+ \S.*\n@@ -\d)", re.M)
TRACEBACK = re.compile(r"^Traceback \(most recent call last\):\n  File ", re.M)
FENCE = re.compile(r"^ {0,3}(?:```|~~~)[^`\n]*$", re.M)
TABLE = re.compile(r"^\|?[^\n|]+\|[^\n]*\n\|? *:?-+:? *\|[-:| ]*$", re.M)
LINK = re.compile(r"\[[^\[\]\n]{1,300}\]\(https?://[^\s()]{1,500}\)")
BOLD = re.compile(r"(?<![\w*])\*\*[^\s*][^*\n]{0,200}(?<=\S)\*\*(?![\w*])")
HEADING = re.compile(r"(?:\A|\n[ \t]*\n)#{1,6} [^\s#][^\n]{0,150}(?=\n[ \t]*\n|\Z)")
ITEM = re.compile(r"^ {0,3}(?:[-*+]|\d{1,3}[.)]) \S", re.M)
INLINE_CODE = re.compile(r"(?<!`)`[^`\n]{1,200}`(?!`)")

COMMENTS = ("#", "//", "/*", "--", '"""')
# Lines as a language has them. The first is one, and no less than two and a third of all.
LANGUAGES = {
    "python": re.compile(
        r"^\s*(?:from [\w.]+ import .+|import [\w.]+(?: as \w+)?(?:, [\w.]+)*"
        r"|(?:async )?def \w+\(.*"
        r"|class \w+(?:\(.*\))?:|@\w[\w.]*(?:\(.*\))?|(?:if|for|while|elif|with|try|except)\b.*:"
        r"|return\b.*|print\(.*\)|[a-z_]\w* = .+|raise \w+.*|else:|else :)\s*$"
    ),
    "javascript": re.compile(
        r"^\s*(?:(?:const|let|var) [\w{}\[\], ]+ = .*|(?:export |async )*function\b.*\{"
        r"|import .+ from ['\"].+['\"];?|export (?:default|const) .+"
        r"|return\b.*;|\}\)?;?|.*=> \{|.*\);)\s*$"
    ),
    "sql": re.compile(
        r"^\s*(?:SELECT\b.+|FROM \w.*|WHERE \w.+|(?:LEFT |INNER )?JOIN \w.+|GROUP BY .+|ORDER BY .+"
        r"|INSERT INTO .+|UPDATE \w+ SET.*|DELETE FROM .+|CREATE (?:TABLE|INDEX) .+"
        r"|LIMIT \d+;?)\s*$"
    ),
}
FIRM = {
    "python": re.compile(r"^\s*(?:def \w+\(|class \w+.*:$|from [\w.]+ import |import \w)", re.M),
    "javascript": re.compile(r"^\s*(?:const|let|import|export|function)\b.*[;{]\s*$", re.M),
    "sql": re.compile(r"^\s*(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE TABLE)\b", re.M),
}
SHEBANG = re.compile(r"#!.*\b(python|bash|sh|node)\b")
MARKUP = re.compile(r"\s*<(?:\?xml |!doctype html|html[ >])", re.I)


class Kind(StrEnum):
    PLAIN = "plain"
    MARKDOWN = "markdown"
    JSON = "json"
    CODE = "code"
    ANSI = "ansi"
    TABLE = "table"


class Recognised(NamedTuple):
    """A kind; of code its language, of JSON the value, of a table the table."""

    kind: Kind
    language: str = ""
    value: Any = None
    table: tables.Table | None = None


PLAIN = Recognised(Kind.PLAIN)


def recognise(text: str) -> Recognised:
    head = text[:LOOKED_AT]
    if COLOURED.search(head):
        return Recognised(Kind.ANSI)
    found = _json(text)
    if found:
        return found
    language = language_of(head)
    if language:
        return Recognised(Kind.CODE, language)
    if "\n" in text and len(text) <= TABLES and (table := tables.separated(text)):
        return Recognised(Kind.TABLE, table=table)
    return Recognised(Kind.MARKDOWN) if is_markdown(head) else PLAIN


def _json(text: str) -> Recognised | None:
    """An object with keys, or a list of such; a list of few plain words reads best as it is."""
    try:
        value = container(text)
    except NotJson:
        return None
    if table := tables.of_objects(value):
        return Recognised(Kind.TABLE, value=value, table=table)
    inside = children(value) or ()
    if not inside or not (
        is_object(value) or any(children(item) is not None for _, item in inside)
    ):
        return Recognised(Kind.PLAIN, value=value)
    return Recognised(Kind.JSON, value=value)


def language_of(text: str) -> str:
    """The language of a text that is code from its first line to its last; empty if not surely."""
    if DIFF.match(text):
        return "diff"
    if TRACEBACK.match(text):
        return "pytb"
    if MARKUP.match(text):
        return "xml" if "<?xml" in text[:100] else "html"
    if shebang := SHEBANG.match(text):
        return (
            "bash"
            if shebang[1].endswith("sh")
            else {"node": "javascript"}.get(shebang[1], "python")
        )
    lines = [line for line in text.split("\n") if line.strip()][:200]
    for language, pattern in LANGUAGES.items():
        hits = sum(len(line) < 300 and pattern.match(line) is not None for line in lines)
        begins = bool(lines) and (pattern.match(lines[0]) or lines[0].startswith(COMMENTS))
        if begins and hits >= 2 and hits * 3 >= len(lines) and FIRM[language].search(text):
            return language
    return ""


def is_markdown(text: str) -> bool:
    """Whether there is markup that nobody writes by chance, or several weaker signs of it."""
    if any(pattern.search(text) for pattern in (TABLE, LINK, BOLD, HEADING)):
        return True
    if len(FENCE.findall(text)) >= 2:
        return True
    return INLINE_CODE.search(text) is not None and len(ITEM.findall(text)) >= 2
