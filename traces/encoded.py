"""Binary content that stands as base64 in text: found, decoded, and told from hex and words.

Conservative: a long run is taken out only if it decodes to something known by its first bytes
and encoding that again gives the same characters, so that nothing is lost.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from dataclasses import dataclass

import puremagic

# Characters. Shorter runs are no burden where they stand.
SHORTEST = 1_000
# Possessive and from a run's first character on, so each character is looked at once.
RUN = re.compile(rf"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{{{SHORTEST},}}+={{0,2}}+")
DECLARED = re.compile(
    r"data:([\w.+-]{1,60}/[\w.+-]{1,60})?(?:;[\w.+-]{1,40}=[\w.+-]{1,80})*;base64,$"
)
# Longer than any declaration that the pattern above allows with a parameter or two.
BEFORE = 400
HEX = re.compile(r"[0-9a-f]+|[0-9A-F]+")
# Bytes. What the library looks at; and how many of them must speak for a type.
HEAD = 4_096
TELLING = 3
ARCHIVE = b"PK\x03\x04"
UNKNOWN = "application/octet-stream"


@dataclass(frozen=True, slots=True)
class Found:
    """A run of base64 in a text. Without `content` it was declared to be that and is not."""

    start: int
    end: int
    media_type: str
    content: bytes | None


def found(text: str) -> Iterator[Found]:
    """Every run of base64 that is binary content, and those that say so and cannot be decoded."""
    for run in _runs(text):
        start, end = run.span()
        declared = DECLARED.search(text, max(0, start - BEFORE), start)
        content = decoded(run.group())
        if content is None:
            if declared:
                yield Found(start, end, declared[1] or UNKNOWN, None)
        elif declared:
            yield Found(start, end, type_of(content) or declared[1] or UNKNOWN, content)
        elif not _is_plain(run.group()) and (known := type_of(content)):
            yield Found(start, end, known, content)


def _runs(text: str) -> Iterator[re.Match[str]]:
    """Long runs of its alphabet. Whatever has a space in each of its stretches is leapt through."""
    start = 0
    while start + SHORTEST <= len(text):
        space = text.rfind(" ", start, start + SHORTEST)
        if space >= 0:
            start = space + 1
            continue
        end = text.find(" ", start + SHORTEST)
        end = len(text) if end < 0 else end
        yield from RUN.finditer(text, start, end)
        start = end + 1


def decoded(run: str) -> bytes | None:
    """The bytes, if encoding them gives the same run again."""
    try:
        content = base64.b64decode(run, validate=True)
    except (binascii.Error, ValueError):
        return None
    return content if len(run) % 4 == 0 and _ends_as_encoded(run, content) else None


def _ends_as_encoded(run: str, content: bytes) -> bool:
    """Only the last group of four can be written in more than one way."""
    rest = len(content) % 3 or 3
    return base64.b64encode(content[-rest:]).decode() == run[-4:]


def _is_plain(run: str) -> bool:
    return run.isalpha() or HEX.fullmatch(run) is not None


def type_of(content: bytes) -> str:
    """The media type that the first bytes speak for; empty if they do not say enough."""
    head = content[:HEAD]
    if head.startswith(ARCHIVE):
        return "application/zip"
    try:
        guesses = puremagic.magic_string(head)
    except (puremagic.PureError, ValueError):
        return ""
    known = (guess for guess in guesses if len(guess.byte_match or b"") >= TELLING)
    best = next(known, None)
    if best is None or not head:
        return ""
    return best.mime_type or UNKNOWN
