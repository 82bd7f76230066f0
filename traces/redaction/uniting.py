"""What several readings of one text take of it, together."""

from __future__ import annotations

from collections.abc import Sequence

from traces.redaction.matching import Found
from traces.redaction.policy import Policy


def united(text: str, policy: Policy, readings: Sequence[Sequence[Found]]) -> list[Found]:
    """All that any reading takes, in order, no two overlapping.

    Where two overlap and neither holds the other, all they take is one value, as it is spelled.
    Of those that take the same, the earlier reading's stands.
    """
    every = [each for reading in readings for each in reading]
    every.sort(key=lambda each: (each.start, -each.end, each.rule is None))
    together: list[Found] = []
    for each in every:
        if together and each.start < together[-1].end:
            together[-1] = both(text, policy, together[-1], each)
        else:
            together.append(each)
    return together


def both(text: str, policy: Policy, one: Found, other: Found) -> Found:
    if other.end <= one.end and (one.rule or not other.rule):
        return one
    end = max(one.end, other.end)
    rules = [each.rule for each in (one, other) if each.rule]
    rule = min(rules, key=policy.rules.index, default=None)
    field, quote = one.field or other.field, one.quote and other.quote
    return Found(one.start, end, text[one.start : end], rule, field, quote=quote)
