"""Code with its words coloured by class, within a budget of elements and of time."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from pygments.lexer import Lexer
from pygments.lexers.c_cpp import CLexer, CppLexer
from pygments.lexers.configs import TOMLLexer
from pygments.lexers.css import CssLexer
from pygments.lexers.data import JsonLexer, YamlLexer
from pygments.lexers.diff import DiffLexer
from pygments.lexers.go import GoLexer
from pygments.lexers.html import HtmlLexer, XmlLexer
from pygments.lexers.javascript import JavascriptLexer, TypeScriptLexer
from pygments.lexers.jvm import JavaLexer
from pygments.lexers.python import PythonLexer, PythonTracebackLexer
from pygments.lexers.rust import RustLexer
from pygments.lexers.shell import BashLexer
from pygments.lexers.sql import SqlLexer
from pygments.token import Comment, Error, Generic, Keyword, Name, Number, String

from attribution.rendering.safe import Html, escaped

LEXERS: dict[str, type[Lexer]] = {
    "bash": BashLexer, "c": CLexer, "console": BashLexer, "cpp": CppLexer, "css": CssLexer,
    "diff": DiffLexer, "go": GoLexer, "html": HtmlLexer, "java": JavaLexer,
    "javascript": JavascriptLexer, "js": JavascriptLexer, "json": JsonLexer, "jsx": JavascriptLexer,
    "patch": DiffLexer, "py": PythonLexer, "pytb": PythonTracebackLexer, "python": PythonLexer,
    "rust": RustLexer, "sh": BashLexer, "shell": BashLexer, "sql": SqlLexer, "toml": TOMLLexer,
    "ts": TypeScriptLexer, "tsx": TypeScriptLexer, "typescript": TypeScriptLexer, "xml": XmlLexer,
    "yaml": YamlLexer, "yml": YamlLexer,
}  # fmt: skip
# The first that a token lies in gives its class; all others stay as they are.
CLASSES = (
    (Comment, "co"), (String, "st"), (Number, "nu"), (Keyword, "ke"), (Name.Function, "fu"),
    (Name.Class, "fu"), (Name.Tag, "ke"), (Name.Attribute, "fu"), (Name.Decorator, "fu"),
    (Generic.Deleted, "de"), (Generic.Inserted, "in"), (Generic.Heading, "ke"),
    (Generic.Subheading, "ke"), (Generic.Traceback, "co"), (Generic.Error, "er"),
    (Name.Exception, "er"),
)  # fmt: skip
# Characters that are coloured, of a line too: some rules of lexers take time by its square.
MOST, LONGEST_LINE = 20_000, 1_000
SECONDS = 0.05


def highlighted(text: str, language: str, elements: int) -> Html:
    """The text in its language; without colours where it has none here or the budget ends."""
    lexer = LEXERS.get(language.lower())
    head = text[:MOST]
    if lexer is None or max(map(len, head.split("\n")), default=0) > LONGEST_LINE:
        return escaped(text)
    found, spans, length = [], 0, 0
    for name, piece in _coloured(lexer(ensurenl=False, stripnl=False), head):
        length += len(piece)
        found.append(f'<span class="{name}">{escaped(piece)}</span>' if name else escaped(piece))
        spans += bool(name)
        if spans >= elements:
            break
    return Html("".join(found) + escaped(text[length:]))


def _coloured(lexer: Lexer, text: str) -> Iterator[tuple[str, str]]:
    """Neighbours of one class as one; ends early when the time is over."""
    for name, group in groupby(_tokens(lexer, text), key=lambda token: token[0]):
        yield name, "".join(piece for _, piece in group)


def _tokens(lexer: Lexer, text: str) -> Iterator[tuple[str, str]]:
    deadline = time.monotonic() + SECONDS
    for _, kind, piece in lexer.get_tokens_unprocessed(text):
        yield _class_of(kind), piece
        if time.monotonic() > deadline:
            return


def _class_of(kind: Any) -> str:
    if kind in Error:
        return ""
    return next((name for parent, name in CLASSES if kind in parent), "")
