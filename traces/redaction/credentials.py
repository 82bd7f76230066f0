"""What stands behind Bearer, Basic or Authorization, and passwords in addresses of the web."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterator

from traces.redaction import tokens

SIGNS = ("bearer", "token", "basic", "authorization", "@", "aws4-hmac", "x-amz-signature")
WORD = r"([A-Za-z0-9._~+/=-]{8,})"
SCHEME = re.compile(rf"\btoken\s{{1,4}}{WORD}", re.IGNORECASE)
BEARER = re.compile(rf"\bbearer\s{{1,4}}{WORD}", re.IGNORECASE)
HEADER = re.compile(
    r"\bauthorization\\?['\"]?\s{0,4}[:=]\s{0,4}\\?['\"]?(?!AWS4-HMAC)"
    rf"(?:[A-Za-z][\w-]{{1,30}}\s{{1,4}})?{WORD}",
    re.IGNORECASE,
)
SIGNATURE = re.compile(
    r"\b(?:AWS4-HMAC-SHA256\b[^\r\n]{0,1000}?\bSignature|X-Amz-Signature)=([0-9A-Fa-f]{16,})",
    re.IGNORECASE,
)
BASIC = re.compile(r"\bbasic\s{1,4}([A-Za-z0-9+/_-]{4,}={0,2})", re.IGNORECASE)
# A password may hold a slash; what is a port and a path does not.
IN_URL = re.compile(
    r"(?<=://)[^\s{}\"/:]*+:"
    r"([^\s{}\"'/]+(?=@)|(?!\d{1,5}(?:[/?#]|\Z))[^\s{}\"'@]{1,200}(?=@))"
)
# Letters of a language: no word is longer, and none changes its case as often.
LONGEST_WORD, LETTERS_TO_A_CAPITAL = 20, 6
CAPITAL = re.compile(r"[a-z][A-Z]")


def found(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for pattern, is_secret in CHECKS:
        for match in pattern.finditer(text, start, end):
            if is_secret(match[1]):
                yield tokens.unended(text, *match.span(1))
    for pattern in (SIGNATURE, IN_URL):
        for match in pattern.finditer(text, start, end):
            yield match.span(1)


def is_token(word: str) -> bool:
    return tokens.looks_random(word) or is_no_word(word)


def is_no_word(token: str) -> bool:
    """Whether these are letters that no language puts together so."""
    letters = token.rstrip(tokens.ENDING + "=")
    if not (letters.isascii() and letters.isalpha()):
        return False
    changes = len(CAPITAL.findall(letters))
    return len(letters) > LONGEST_WORD or changes * LETTERS_TO_A_CAPITAL >= len(letters)


def holds_a_pair(encoded: str) -> bool:
    """Whether this is the base64 of a name, a colon and a password."""
    try:
        plain = base64.b64decode(encoded + "=" * (-len(encoded) % 4), altchars=b"-_")
        return ":" in plain.decode() and plain.decode().isprintable()
    except (binascii.Error, UnicodeDecodeError):
        return False


CHECKS: tuple[tuple[re.Pattern[str], Callable[[str], bool]], ...] = (
    (SCHEME, tokens.looks_random),
    (BEARER, is_token),
    (HEADER, is_token),
    (BASIC, holds_a_pair),
)
