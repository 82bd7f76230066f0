"""Files that stand beside traces without being any: licences, notes, hidden files, text."""

from __future__ import annotations

import codecs
from pathlib import PurePosixPath

from traces.formats.files import compression, otlp_binary
from traces.formats.files.containers import EMPTY_ZIP, NEVER, ZIP

DOCUMENTATION = (
    "LICENSE",
    "LICENCE",
    "COPYING",
    "NOTICE",
    "README",
    "SOURCE",
    "CITATION",
    "AUTHORS",
)
SUFFIXES = (".md", ".rst", ".py", ".html", ".css", ".js", ".toml", ".yaml", ".yml", ".csv")


def why_no_trace(name: str, content: bytes) -> str:
    """Why a file found in a folder or bundle is not taken for a trace; empty if it may be one."""
    path = PurePosixPath(name)
    if any(part.startswith((".", "__MACOSX")) for part in path.parts):
        return "hidden file"
    if path.stem.upper() in DOCUMENTATION or path.suffix.lower() in SUFFIXES:
        return "documentation"
    if content and not may_hold_json(content):
        return "not JSON"
    return ""


def may_hold_json(content: bytes) -> bool:
    """Whether it begins like JSON, or is of a kind that is opened, or refused by name."""
    if content.startswith((*compression.MAGIC, ZIP, EMPTY_ZIP, *NEVER)):
        return True
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)):
        return True
    if otlp_binary.as_json(content):
        return True
    begin = content.removeprefix(codecs.BOM_UTF8)[:4096].lstrip(b" \t\r\n\x00")
    return begin.startswith((b"{", b"["))
