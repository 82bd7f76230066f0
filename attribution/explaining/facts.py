"""What separates two explanations, in sentences of the record with the steps they are about.

Plain Python. Only order, reach, overlap and quotes: which explanation is right is not said.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from attribution.explaining.explanation import Account
from traces.outline import VERDICTS

# Steps that one sentence names.
MOST_NAMED = 6
MOST_QUOTES = 3
LONGEST_QUOTE = 160


class Word(NamedTuple):
    """Words of ours, a step to link to, or text from the trace or a person, which is hostile."""

    text: str = ""
    step: int | None = None
    quote: str = ""


Sentence = tuple[Word, ...]


def said(*pieces: str | int | Word | list[Word]) -> Sentence:
    return tuple(word for piece in pieces for word in _words(piece))


def named(steps: Iterable[int]) -> list[Word]:
    """Steps as links, of many the first, and how many more there are."""
    found = list(steps)
    shown = [Word(step=step) for step in found[:MOST_NAMED]]
    listed = [each for word in shown for each in (word, Word(", "))][:-1]
    more = len(found) - len(shown)
    return [*listed, Word(f" and {more} more")] if more else listed


def separating(a: Account, b: Account) -> list[Sentence]:
    """Sentences about two explanations, those about order first."""
    return [*_order(a, b), *_exposing(a, b), *_overlap(a, b), *_signs(a, b), *_between(a, b),
            *_turned_down(a, b), *_turned_down(b, a), *_quotes(a, b)]  # fmt: skip


def _order(a: Account, b: Account) -> Iterator[Sentence]:
    if a.step is None or b.step is None:
        for one in (a, b):
            if one.step is None:
                yield said(f"{one.letter} names no step of this run.")
        return
    if a.step == b.step:
        parts = {a.explanation.part, b.explanation.part} - {""}
        differ = (
            f"; they differ in its part: {' or '.join(sorted(parts))}" if len(parts) > 1 else ""
        )
        yield said("Both name ", a.step, f"{differ}.")
        return
    early, late = sorted((a, b), key=lambda one: one.step or 0)
    yield from _earlier(early, late)
    if a.role == b.role:
        yield said("Both steps are of ", Word(quote=a.role), ".")
    else:
        roles = (Word(quote=one.role) for one in (a, b))
        yield said("A names a step of ", next(roles), ", B one of ", next(roles), ".")


def _earlier(early: Account, late: Account) -> Iterator[Sentence]:
    first, last = early.step or 0, late.step or 0
    way = early.ways.path(first, last)
    if way is None:
        yield said(
            "Neither can have affected the other as far as the record shows: ",
            first, f" ({early.letter}) and ", last, f" ({late.letter}) are concurrent.",
        )  # fmt: skip
    elif way.guesses:
        guessed = [hop for hop in way.hops if hop.rule]
        yield said(
            f"Whether {late.letter} can be a consequence of {early.letter} is open: from ", first,
            " to ", last, f" {_links(len(way.hops))} lead, {way.guesses} of them guessed (",
            Word(quote=guessed[0].rule), ", into ", guessed[0].target, ").",
        )  # fmt: skip
    else:
        yield said(
            f"{late.letter} may be a consequence of {early.letter}: {_links(len(way.hops))}, all "
            "recorded, lead from ", first, " to ", last, ".",
        )  # fmt: skip


def _exposing(a: Account, b: Account) -> Iterator[Sentence]:
    one, other = a.explanation.exposing, b.explanation.exposing
    if one is not None and other is not None and one != other:
        yield said("They name different exposing steps: A ", one, ", B ", other, ".")


def _overlap(a: Account, b: Account) -> Iterator[Sentence]:
    shared = sorted(a.steps & b.steps)
    if shared:
        yield said(f"On both paths, {len(shared)} of them: ", named(shared), ".")
    elif a.steps and b.steps:
        yield said("The paths share no step.")
    for one, other in ((a, b), (b, a)):
        own = sorted(one.steps - other.steps)
        if own and other.steps:
            yield said(f"Only on the path of {one.letter}: ", named(own), ".")


def _signs(a: Account, b: Account) -> Iterator[Sentence]:
    one, other = _accounted(a), _accounted(b)
    for account, steps in ((a, one - other), (b, other - one)):
        if steps:
            yield said(f"Only {account.letter} can explain ", named(sorted(steps)), ".")
    neither = set(np.flatnonzero(a.signs.all).tolist()) - one - other
    if neither:
        yield said("Neither can explain ", named(sorted(neither)), ".")


def _accounted(one: Account) -> set[int]:
    return {*one.at_it, *one.explained, *one.perhaps_explained}


def _between(a: Account, b: Account) -> Iterator[Sentence]:
    if a.step is None or b.step is None or a.step == b.step:
        return
    early, late = sorted((a, b), key=lambda one: one.step or 0)
    first, last = early.step or 0, late.step or 0
    checks = np.flatnonzero(early.outline.verdict == VERDICTS.index("passed"))
    checks = checks[(checks > first) & (checks < last)]
    told = (
        ("recorded links lead to", early.surely_after[checks]),
        ("only guesses lead to", early.after[checks] & ~early.surely_after[checks]),
        ("nothing leads to", ~early.after[checks]),
    )
    for words, there in told:
        found = checks[there].tolist()
        if found:
            yield said(
                "Between ", first, " and ", last, f", {_checks(len(found))} passed that {words} "
                f"from {early.letter}: ", named(found), ".",
            )  # fmt: skip


def _turned_down(one: Account, other: Account) -> Iterator[Sentence]:
    for step, because in one.explanation.turned_down:
        if step == other.step:
            reason = Word(quote=_short(because)) if because else Word("no reason given")
            yield said(f"{one.letter} considered ", step, f", the step of {other.letter}: ", reason)


def _quotes(a: Account, b: Account) -> Iterator[Sentence]:
    ours, theirs = a.explanation.quotes, b.explanation.quotes
    shared = [quote for quote in ours if any(quote.overlaps(each) for each in theirs)]
    for quote in shared[:MOST_QUOTES]:
        yield said("Both quote ", quote.step, ": ", Word(quote=_short(quote.text)))
    for one, other in ((a, b), (b, a)):
        there = other.explanation.quotes
        alone = [q for q in one.explanation.quotes if not any(q.overlaps(each) for each in there)]
        for quote in alone[:MOST_QUOTES]:
            yield said(
                f"Only {one.letter} quotes ", quote.step, f", {_where(quote.step, one, other)}: ",
                Word(quote=_short(quote.text)),
            )  # fmt: skip
        if len(alone) > MOST_QUOTES:
            yield said(f"Only {one.letter} has {len(alone) - MOST_QUOTES} more quotes.")


def _where(step: int, one: Account, other: Account) -> str:
    on = [each.letter for each in (one, other) if step in each.steps]
    return f"on the path of {' and '.join(sorted(on))}" if on else "on neither path"


def _words(piece: str | int | Word | list[Word]) -> list[Word]:
    if isinstance(piece, list):
        return piece
    if isinstance(piece, int):
        return [Word(step=piece)]
    return [Word(piece) if isinstance(piece, str) else piece]


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_QUOTE else f"{text[: LONGEST_QUOTE - 1]}…"


def _links(count: int) -> str:
    return f"{count} link{'' if count == 1 else 's'}"


def _checks(count: int) -> str:
    return f"{count} check{'' if count == 1 else 's'}"
