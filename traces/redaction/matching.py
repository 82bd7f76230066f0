"""The values that a policy's detectors find in one text, at every level of escaping.

What is found is taken out and the rest is looked at again until nothing more is found: what was
redacted once holds nothing to redact.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from traces.redaction.policy import Policy, Rule
from traces.redaction.unescaping import Unescaped

PLACEHOLDER = re.compile(r"\[([A-Z][A-Z0-9_]{0,28})-([1-9][0-9]{0,8})\]")
# Text escaped more often than this would be longer than any document.
DEEPEST = 16
# A text that reads like a placeholder nobody gave says so itself.
NOT_OURS = " as sent"
STANDING = re.compile(rf"\[[A-Z][A-Z0-9_]{{0,28}}-[1-9][0-9]{{0,8}}(?:{NOT_OURS})?\]")

Lookalike = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Found:
    """A value to withhold, or text that reads like a placeholder, and its place.

    A lookalike that is a placeholder of the project stays. Any other is withheld like a value if
    a rule takes it, and is else marked as none of ours. `quote` stands around a placeholder that
    replaces a number.
    """

    start: int
    end: int
    value: str
    rule: Rule | None
    field: str = ""
    lookalike: Lookalike | None = None
    quote: str = ""

    def moved(self, start: int, end: int) -> Found:
        return replace(self, start=start, end=end)

    def spelled(self, view: Unescaped) -> Found:
        """The same, in the spelling of a text instead of in the text."""
        quote = self.quote.replace("\\", "\\\\").replace('"', '\\"')
        start, end = view.written(self.start), view.written(self.end)
        return replace(self, start=start, end=end, quote=quote)


def lookalike_in(value: str, policy: Policy) -> Lookalike | None:
    """The placeholder that this whole value reads like."""
    match = PLACEHOLDER.fullmatch(value)
    return (match[1], int(match[2])) if match and match[1] in policy.types else None


def found_in(
    text: str, policy: Policy, rules: Sequence[Rule], taken: Sequence[Found] = (), depth: int = 0
) -> list[Found]:
    """What these rules find in a text, besides what is taken of it already."""
    found = list(taken)
    begins = [each.start for each in taken]
    if "\\" in text and depth < DEEPEST:
        view = Unescaped(text)
        if view.ends:
            inner = found_in(view.text, policy, rules, depth=depth + 1)
            deeper = [each.spelled(view) for each in inner]
            found += [each for each in deeper if not covered(each, begins, taken)]
    found.sort(key=lambda each: each.start)
    while more := list(matches(text, policy, rules, found)):
        found = sorted([*found, *more], key=lambda each: each.start)
    return found


def covered(one: Found, begins: Sequence[int], others: Sequence[Found]) -> bool:
    """Whether one of the others, which are in order, stands where this one does."""
    place = bisect_left(begins, one.end)
    return place > 0 and others[place - 1].end > one.start


def matches(
    text: str, policy: Policy, rules: Sequence[Rule], found: Sequence[Found]
) -> Iterator[Found]:
    """What is in the text between what was found.

    Matches that overlap are one, of the first rule among them.
    """
    spans = [(each.start, each.end) for each in found]
    blank = blanked(text, spans)
    fresh = list(lookalikes(blank, policy))
    yield from fresh
    spans = sorted([*spans, *((each.start, each.end) for each in fresh)])
    hits = [
        (start, end, order)
        for before, after in gaps(spans, len(blank))
        for order, rule in enumerate(rules)
        if rule.detector
        for start, end in rule.detector.found(blank, before, after)
        if start < end
    ]
    for start, end, order in merged(sorted(hits)):
        yield Found(start, end, text[start:end], rules[order])


def lookalikes(text: str, policy: Policy) -> Iterator[Found]:
    for match in PLACEHOLDER.finditer(text):
        if match[1] in policy.types:
            yield Found(*match.span(), match[0], None, lookalike=(match[1], int(match[2])))


def blanked(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """The text of the same length in which what was found begins and ends as a placeholder does."""
    if not spans:
        return text
    pieces: list[str] = []
    done = 0
    for start, end in spans:
        pieces += (text[done:start], "[" * (end - start > 1), "]" * max(1, end - start - 1))
        done = end
    return "".join((*pieces, text[done:]))


def gaps(spans: Sequence[tuple[int, int]], length: int) -> Iterator[tuple[int, int]]:
    done = 0
    for start, end in spans:
        if done < start:
            yield done, start
        done = end
    if done < length:
        yield done, length


def merged(hits: Sequence[tuple[int, int, int]]) -> Iterator[tuple[int, int, int]]:
    if not hits:
        return
    start, end, order = hits[0]
    for begin, finish, other in hits[1:]:
        if begin < end:
            end, order = max(end, finish), min(order, other)
        else:
            yield start, end, order
            start, end, order = begin, finish, other
    yield start, end, order
