"""What can be recognised inside a text, by name.

Each detector says where values stand in a stretch of a text. Its signs are patterns that a value
cannot be without, in the document's own spelling too; text that shows none is never looked at.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from traces.redaction import cards, tokens

Finder = Callable[[str, int, int], Iterator[tuple[int, int]]]


@dataclass(frozen=True, slots=True)
class Detector:
    """`type` is what its placeholders say unless a rule says otherwise."""

    name: str
    title: str
    type: str
    found: Finder
    signs: tuple[re.Pattern[str] | str, ...]


# In text that is code, a backslash and a letter are a break and not part of an address.
EMAIL = re.compile(
    r"(?:(?<=\\[nrt])|(?<![\w.+%\\-])|(?<=\\)(?![nrt]))"
    r"[\w.+%-]+@(?:[\w-]+\.)+[^\W\d_][\w-]+"
)
JWT = re.compile(r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_=-]+\.[A-Za-z0-9_=-]+(?:\.[A-Za-z0-9_.+/=-]*)?")
SCHEME = re.compile(r"\b(?:bearer|token)\s{1,4}([A-Za-z0-9._~+/=-]{8,})", re.IGNORECASE)
BASIC = re.compile(r"\bbasic\s{1,4}([A-Za-z0-9+/_-]{4,}={0,2})", re.IGNORECASE)
HEADER = re.compile(
    r"\bauthorization\\?['\"]?\s{0,4}[:=]\s{0,4}\\?['\"]?"
    r"(?:(?:bearer|basic|token|digest)\s{1,4})?([A-Za-z0-9._~+/=-]{8,})",
    re.IGNORECASE,
)
IN_URL = re.compile(r"(?<=://)[^\s{}\"'/:]*:([^\s{}\"'/]+)(?=@)")
# The user in an address of the web. What follows an address in a list is no part of it.
USER = re.compile(r"://[\w.%+~@-]*((?::[\w.%+~!$&*=^@-]*)?@)")
PEM_NAME = r"[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
# A key that was cut takes the rest of its text.
PEM = re.compile(rf"-----BEGIN {PEM_NAME}[^\"-]*+(?:-(?!----)[^\"-]*+)*+(?:-----END {PEM_NAME})?")


def private_keys(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    return (match.span() for match in PEM.finditer(text, start, end))


def emails(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Addresses, but not the password and the host of an address of the web."""
    users = deque(match.span(1) for match in USER.finditer(text, start, end))
    for match in EMAIL.finditer(text, start, end):
        while users and users[0][1] <= match.start():
            users.popleft()
        if not users or match.end() <= users[0][0]:
            yield match.span()


def web_tokens(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for match in JWT.finditer(text, start, end):
        yield tokens.unended(text, *match.span())


def credentials(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """What stands behind Bearer, Basic or Authorization, and passwords in addresses of the web."""
    for pattern in (SCHEME, HEADER):
        for match in pattern.finditer(text, start, end):
            if tokens.looks_random(match[1]):
                yield tokens.unended(text, *match.span(1))
    for match in BASIC.finditer(text, start, end):
        if holds_a_pair(match[1]):
            yield match.span(1)
    for match in IN_URL.finditer(text, start, end):
        yield match.span(1)


def holds_a_pair(encoded: str) -> bool:
    """Whether this is the base64 of a name, a colon and a password."""
    try:
        plain = base64.b64decode(encoded + "=" * (-len(encoded) % 4), altchars=b"-_")
        return ":" in plain.decode() and plain.decode().isprintable()
    except (binascii.Error, UnicodeDecodeError):
        return False


DETECTORS = {
    each.name: each
    for each in (
        Detector(
            "api_keys", "API keys and tokens of services", "TOKEN", tokens.found, tokens.SIGNS
        ),
        Detector("jwt", "JSON web tokens", "JWT", web_tokens, ("eyj",)),
        Detector(
            "credentials",
            "Authorization headers and passwords in web addresses",
            "CREDENTIAL",
            credentials,
            ("bearer", "token", "basic", "authorization", "@"),
        ),
        Detector(
            "private_keys",
            "private keys in PEM armour",
            "PRIVATE_KEY",
            private_keys,
            ("private key",),
        ),
        Detector("emails", "e-mail addresses", "EMAIL", emails, ("@",)),
        Detector("cards", "payment card numbers", "CARD", cards.found, (cards.SIGN,)),
    )
}
