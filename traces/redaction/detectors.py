"""What can be recognised inside a text, by name.

Each detector says where values stand in a stretch of a text. Its signs are patterns that a value
cannot be without, in the document's own spelling too; text that shows none is never looked at.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from traces.redaction import cards, credentials, private_keys, tokens

Finder = Callable[[str, int, int], Iterator[tuple[int, int]]]


@dataclass(frozen=True, slots=True)
class Detector:
    """`type` is what its placeholders say unless a rule says otherwise.

    The values of one that `crosses` may go on behind a quote, where text is a program.
    """

    name: str
    title: str
    type: str
    found: Finder
    signs: tuple[re.Pattern[str] | str, ...]
    crosses: bool = False


# In text that is code, a backslash and a letter are a break and not part of an address. Behind an
# apostrophe in a word no address begins: it began before.
EMAIL = re.compile(
    r"(?:(?<=\\[nrt])|(?<=\\[nrt]')|(?<![\w.+%\\-])(?<![\w.+%-]')|(?<=\\)(?![nrt]))"
    r"[\w.+%-]++(?:'[\w.+%-]++)*+@(?:[\w-]+\.)+[^\W\d_][\w-]+"
)
# Padding stands only at the end of a part: what may stand between two beginnings takes long.
JWT = re.compile(
    r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]++={0,2}\.[A-Za-z0-9_-]++={0,2}"
    r"(?:\.[A-Za-z0-9_.+/=-]*)?"
)
# The user in an address of the web. What follows an address in a list is no part of it.
USER = re.compile(r"://[\w.%+~@'-]*((?::[\w.%+~!$&*=^@-]*)?@)")


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
            credentials.found,
            credentials.SIGNS,
        ),
        Detector(
            "private_keys",
            "private keys in PEM armour",
            "PRIVATE_KEY",
            private_keys.found,
            ("private key",),
            crosses=True,
        ),
        Detector("emails", "e-mail addresses", "EMAIL", emails, ("@",)),
        Detector("cards", "payment card numbers", "CARD", cards.found, cards.SIGNS),
    )
}
