"""Two explanations in rows of a table: one answer of each to every question. Plain Python."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from attribution.explaining.explanation import Account
from attribution.explaining.facts import MOST_NAMED, Sentence, Word, named, said

REACHES = {
    "here": "it is that step itself",
    "recorded": "reached by recorded links",
    "guessed": "reached only by guesses",
    "not at all": "not reached at all",
}


class Row(NamedTuple):
    label: str
    answers: tuple[list[Sentence], ...]


def rows_of(accounts: Sequence[Account]) -> list[Row]:
    """The rows that any of them answers."""
    questions = {
        "Says": _says,
        "Path to what exposed the failure": _path,
        "Can explain": _explains,
        "Cannot explain": _lacks,
        "Checks passed on the way": _passed,
        "Contract in force": _contracts,
        "Whose it is": _by,
    }
    rows = (Row(label, tuple(map(ask, accounts))) for label, ask in questions.items())
    return [row for row in rows if any(row.answers)]


def _says(one: Account) -> list[Sentence]:
    text = one.explanation.says
    return [said(Word(quote=text))] if text else []


def _by(one: Account) -> list[Sentence]:
    return [said(one.explanation.by)] if one.explanation.by else []


def _contracts(one: Account) -> list[Sentence]:
    return [said(Word(quote=contract)) for contract in one.explanation.contracts]


def _path(one: Account) -> list[Sentence]:
    exposing = one.explanation.exposing
    if one.step is None:
        return [said("It names no step of this run.")]
    if exposing is None:
        return [said("No step is named as the one that exposed the failure.")]
    found = [said(exposing, f" is {REACHES[one.reach]}.")]
    if one.way.hops:
        guesses = f", {one.way.guesses} guessed" if one.way.guesses else ", all recorded"
        count = len(one.way.hops)
        links = f"{count} link{'' if count == 1 else 's'}{guesses}: "
        found.append(said(links, named(one.way.steps)))
    if one.undrawn:
        found.append(said("Named as carriers, but off this path: ", named(one.undrawn)))
    return found


def _explains(one: Account) -> list[Sentence]:
    total, lacking = int(one.signs.all.sum()), len(one.unexplained)
    if not total:
        return [said("The record shows no sign of trouble at any step.")]
    found = [said(f"{total - lacking} of {total} signs.")]
    for words, steps in (
        ("At the step itself: ", one.at_it),
        ("By recorded links: ", one.explained),
        ("Only by guesses: ", one.perhaps_explained),
    ):
        found += [said(words, _signs(one, steps))] if steps else []
    return found


def _lacks(one: Account) -> list[Sentence]:
    steps = one.unexplained
    return [said(f"{len(steps)}: ", _signs(one, steps))] if steps else []


def _signs(one: Account, steps: list[int]) -> list[Word]:
    """Steps with what went wrong there."""
    found: list[Word] = []
    for step in steps[:MOST_NAMED]:
        found += [Word(step=step), Word(f" {one.signs.words(step)}, ")]
    found[-1] = Word(found[-1].text.removesuffix(", "))
    more = len(steps) - MOST_NAMED
    return [*found, Word(f" and {more} more")] if more > 0 else found


def _passed(one: Account) -> list[Sentence]:
    surely = [step for step in one.passed if one.surely_after[step]]
    perhaps = [step for step in one.passed if not one.surely_after[step]]
    found = [said("By recorded links: ", named(surely))] if surely else []
    return [*found, said("Only by guesses: ", named(perhaps))] if perhaps else found
