"""How alike two texts are, and which words differ."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from rapidfuzz import fuzz
from rapidfuzz.distance import Indel

from attribution.alignment.sequences import equal_ends

Op = Literal["equal", "insert", "delete"]

# Tokens on each side, after equal ends are cut off: above, lines are compared instead of words,
# and above that the whole middle counts as replaced.
MOST_TOKENS = 6_000

# A number with its decimals and unit, a time, a hash, a path or an identifier is one word: a half
# of it that two texts share says nothing.
_WORDS = re.compile(
    r"(?:\.{0,2}/|~/|--?|[#$€£])?"
    r"\w+(?:(?:(?<=\d),(?=\d{3})|[./\\:@_+#=%~?&-]{1,3})\w+)*"
    r"[%°/]?"
    r"|\s+|[^\w\s]"
)
_LINES = re.compile(r"[^\n]*\n|[^\n]+")
_SENTENCES = re.compile(r"(?<=[.!?])\s+|\n+")
_VALUES = re.compile(r"[^\s,;()\"'`]*[\d/_=][^\s,;()\"'`]*")


@lru_cache(maxsize=64)
def similarity(left: str, right: str) -> float:
    """0 to 1, symmetric; word order counts for little, so that a retelling stays similar."""
    if left == right:
        return 1.0
    return max(fuzz.ratio(left, right), fuzz.token_sort_ratio(left, right)) / 100


def values(text: str) -> set[str]:
    """The words of a text that carry a value: numbers, paths, flags, identifiers."""
    return {found.rstrip(".:") for found in _VALUES.findall(text)}


def says_the_same(left: str, right: str, *, at_least: float) -> bool:
    """Whether two short statements hold the same values in similar words."""
    if left == right:
        return True
    alike = fuzz.token_set_ratio(left.lower(), right.lower()) / 100
    return values(left) == values(right) and alike >= at_least


def first_difference(left: str, right: str) -> str:
    """Where two texts part, to follow "differs": "from the first sentence on", for one."""
    same, _ = equal_ends(*_in_sentences(left, right))
    if not same:
        return "from the first sentence on"
    return f"after {same} sentence{'s' if same > 1 else ''}"


def first_sentences(left: str, right: str) -> tuple[str, str]:
    """What either text says from the first sentence on that differs."""
    ours, theirs = _in_sentences(left, right)
    same, _ = equal_ends(ours, theirs)
    return " ".join(ours[same:]), " ".join(theirs[same:])


def _in_sentences(left: str, right: str) -> tuple[list[str], list[str]]:
    return _SENTENCES.split(left.strip()), _SENTENCES.split(right.strip())


def word_diff(left: str, right: str) -> list[tuple[Op, str]]:
    """The way from left to right in runs of words, for display.

    The equal and deleted texts joined are the left text, the equal and inserted ones the right.
    """
    for pattern in (_WORDS, _LINES):
        before, after = pattern.findall(left), pattern.findall(right)
        start, end = equal_ends(before, after)
        middle = before[start : len(before) - end], after[start : len(after) - end]
        if max(map(len, middle)) <= MOST_TOKENS:
            break
    else:
        return _merged([("delete", left), ("insert", right)])
    head, tail = "".join(before[:start]), "".join(before[len(before) - end :])
    return _merged([("equal", head), *_changes(*middle), ("equal", tail)])


def _changes(left: list[str], right: list[str]) -> list[tuple[Op, str]]:
    found: list[tuple[Op, str]] = []
    for step in Indel.opcodes(left, right):
        before = "".join(left[step.src_start : step.src_end])
        after = "".join(right[step.dest_start : step.dest_end])
        if step.tag == "equal" and not before.strip():
            # A space between two changed words is no island of agreement.
            found += [("delete", before), ("insert", after)]
        elif step.tag == "equal":
            found.append(("equal", before))
        else:
            found += [("delete", before), ("insert", after)]
    return found


def _merged(parts: list[tuple[Op, str]]) -> list[tuple[Op, str]]:
    """Between two equal runs: one deletion, then one insertion."""
    merged: list[tuple[Op, str]] = []
    deleted = inserted = ""
    for op, text in [*parts, ("equal", "")]:
        if op == "delete":
            deleted += text
        elif op == "insert":
            inserted += text
        elif text or deleted or inserted:
            merged += [("delete", deleted), ("insert", inserted), ("equal", text)]
            deleted = inserted = ""
    return [(op, text) for op, text in merged if text]
