"""Where did this value first appear? Every place in a run that holds a text, earliest first.

A text equal to the last character is an exact place. Other places say the same in another
spelling: case, white space, Unicode form, digits and decimals of a number, order of a date.
Plain Python over texts; whoever has them in a database need not build a transcript.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from traces.folding import Folded, folded
from traces.spellings import Spelling, spelling_of
from traces.transcript import Transcript

# Characters. Shorter texts are everywhere, longer ones nowhere but where they were taken from.
SHORTEST, LONGEST = 2, 2_000
# Places in one text that are told apart; who looks for where it is needs no more.
MOST = 50
# Steps whose places are all told; of later ones it is enough that they hold the value.
DETAILED = 100


class Source(NamedTuple):
    """A text to be searched: a part's, or the whole of one whose text was moved to a payload."""

    step: int
    part: int
    text: str
    observed: bool
    payload: str = ""


@dataclass(frozen=True, slots=True)
class Appearance:
    """One place that holds the value: a range of code points in a part's text.

    With a `payload`, the range is one of that payload's text.
    """

    step: int
    part: int
    start: int
    end: int
    exact: bool
    observed: bool
    payload: str = ""


class Unsearchable(Exception):
    """The text is too short or too long to say anything about where it came from."""


def sources(transcript: Transcript) -> Iterator[Source]:
    for step, index, part in transcript.citable():
        observed = part.is_observation(transcript.actor_of(step))
        yield Source(step.number, index, part.text, observed)


def appearances(transcript: Transcript, text: str) -> list[Appearance]:
    """The places that hold the text, in causal order. Raises Unsearchable."""
    return places(sources(transcript), text)


def check(text: str) -> None:
    """Raises Unsearchable if nothing sensible can be said about this text."""
    text = text.strip()
    if not SHORTEST <= len(text) <= LONGEST or not folded(text).strip():
        raise Unsearchable(f"Select between {SHORTEST} and {LONGEST} characters.")


def places(among: Iterable[Source], text: str) -> list[Appearance]:
    """The places in these texts that hold the text: at most MOST in each of the first DETAILED
    steps, and one in each step after those. Raises Unsearchable.
    """
    check(text)
    text = text.strip()
    spelling = spelling_of(folded(text).strip())
    detailed: set[int] = set()
    last = -1
    found: list[Appearance] = []
    for source in among:
        is_detailed = len(detailed) < DETAILED or source.step in detailed
        if source.step == last and not is_detailed:
            continue
        there = list(_in(source, text, spelling, MOST if is_detailed else 1))
        if there:
            found += there
            last = source.step
            if is_detailed:
                detailed.add(last)
    return found


def _in(source: Source, text: str, spelling: Spelling, most: int) -> Iterator[Appearance]:
    for start, end in sorted(_ranges(source.text, text, spelling, most))[:most]:
        yield Appearance(
            source.step,
            source.part,
            start,
            end,
            exact=source.text[start:end] == text,
            observed=source.observed,
            payload=source.payload,
        )


def _ranges(held: str, text: str, spelling: Spelling, most: int) -> set[tuple[int, int]]:
    whole = Folded(held)
    found: set[tuple[int, int]] = set()
    for match in spelling.matches(whole.folded):
        found.add(whole.range(*match.span()))
        if len(found) >= most:
            break
    if len(found) < most and not held.isascii() and not (text[0].isdigit() or text[-1].isdigit()):
        found |= _to_the_letter(held, text, found)
    return found


def _to_the_letter(held: str, text: str, found: set[tuple[int, int]]) -> set[tuple[int, int]]:
    """Places that folding hides: in the middle of what it makes one character of."""
    taken = sorted(found)
    start = held.find(text)
    more: set[tuple[int, int]] = set()
    while start >= 0 and len(more) < MOST:
        end = start + len(text)
        if not any(a < end and start < b for a, b in taken):
            more.add((start, end))
        start = held.find(text, end)
    return more
