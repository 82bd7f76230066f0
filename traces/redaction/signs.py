"""Where in a document something could stand that a rule takes, found in one pass per sign.

Most strings of most documents show no sign, and so are neither decoded nor looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from traces.redaction.policy import Policy, Rule

# A sign may be spelled with these, and then nothing but decoding shows it.
HIDING = re.compile(r"\\(?:u00[2-7]|/)")


class Signs:
    """The signs in one text, taken in order. `rules` says which rules they are signs of."""

    def __init__(self, text: str, policy: Policy, *, length: int = 0) -> None:
        """With a length and no text, there are none in a text of that length."""
        detecting = [rule for rule in policy.rules if rule.detector]
        everything = (1 << len(detecting)) - 1
        spots: list[tuple[int, int]] = []
        lowered = lower(text)
        for sign, bits in self.bits(detecting).items():
            spots += [(place, bits) for place in starts(sign, text, lowered)]
        spots += [(match.start(), everything) for match in HIDING.finditer(text)]
        types = "|".join(map(re.escape, sorted(policy.types)))
        if types:
            reading = re.compile(rf"\[(?:{types})-[1-9]")
            spots += [(match.start(), 0) for match in reading.finditer(text)]
        spots.sort()
        spots.append((max(len(text), length) + 1, 0))
        self.detecting = detecting
        self.spots = spots
        self.none = len(spots) == 1
        self.place = 0
        self.next = spots[0][0]

    @staticmethod
    def bits(rules: list[Rule]) -> dict[re.Pattern[str] | str, int]:
        bits: dict[re.Pattern[str] | str, int] = {}
        for number, rule in enumerate(rules):
            for sign in rule.detector.signs if rule.detector else ():
                bits[sign] = bits.get(sign, 0) | 1 << number
        return bits

    def before(self, end: int) -> list[Rule]:
        """The rules with a sign between the last place asked for and this one."""
        bits = 0
        while self.next < end:
            bits |= self.spots[self.place][1]
            self.place += 1
            self.next = self.spots[self.place][0]
        return [rule for number, rule in enumerate(self.detecting) if bits >> number & 1]


def lower(text: str) -> str:
    """The text in small letters and no longer than it was: one letter becomes two of them."""
    return text.replace("\u0130", "i").lower()


def starts(sign: re.Pattern[str] | str, text: str, lowered: str) -> Iterator[int]:
    """Where a sign begins: a pattern in the text, and mere text whatever its case."""
    if isinstance(sign, str):
        return (match.start() for match in re.finditer(sign, lowered))
    return (match.start() for match in sign.finditer(text))
