"""What differs between two steps that stand for each other, in words and by weight.

Values decide, wording does not: another choice, another state, another argument or another
outcome is a difference; the same said in other words is not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from attribution.alignment.canonical import Canonical, State
from attribution.alignment.sentences import (
    about,
    argument,
    does,
    doing,
    here_and_there,
    quoted,
    texts_differ,
)
from attribution.alignment.words import says_the_same, similarity

# How much a difference may explain. A choice or a change of what the actors believe and plan acts
# on all that follows; what a tool writes carries it out; a call acts through its answer; an answer
# or a verdict is seen, not done; words may be chance.
CHOICE, WRITING, CALL, SEEN, WORDS = 1.0, 0.7, 0.6, 0.5, 0.25

# Two statements of a choice or a state with the same values are the same from here on.
SAME_STATEMENT = 0.6
# Texts of steps that agree in all else count as reworded down to this similarity.
REWORDED = 0.45
# A hash, an id or a version on its own: that two of them differ is true and tells nobody why.
_BARE = re.compile(r"(?:\S*@)?<\w+>|\S+@\d+|")


@dataclass(frozen=True, slots=True)
class Difference:
    """`bare`: only a hash, an id or a version; of equal weight anything else says more."""

    weight: float
    sentence: str
    bare: bool = False


def compare(left: Canonical, right: Canonical) -> Difference | None:
    """The weightiest difference, or None when the steps are the same but for wording."""
    found = list(_differences(left, right))
    return max(found, key=lambda found: (found.weight, not found.bare), default=None)


def _differences(left: Canonical, right: Canonical) -> Iterator[Difference]:
    if left.role != right.role:
        yield Difference(CALL, f"{left.role} acts where the other run has {right.role}")
    if left.kind != right.kind or left.tool != right.tool:
        weight = CHOICE if left.decision != right.decision else CALL
        yield Difference(
            weight, f"{left.role} {does(left)}{about(left)} instead of {doing(right)}{about(right)}"
        )
    else:
        yield from _call(left, right)
        yield from _deed(left, right)
    yield from _seen(left, right)
    if similarity(left.text, right.text) < REWORDED:
        yield Difference(WORDS, texts_differ(left.text, right.text))


def _call(left: Canonical, right: Canonical) -> Iterator[Difference]:
    ours, theirs = dict(left.arguments), dict(right.arguments)
    same = f"same tool `{left.tool}`" if left.tool else "same tool"
    for name in dict.fromkeys((*ours, *theirs)):
        mine, other = ours.get(name, ""), theirs.get(name, "")
        if mine != other:
            reworded = says_the_same(mine, other, at_least=SAME_STATEMENT)
            sentence = f"{same}, {argument(name)}: {here_and_there(mine, other)}"
            yield Difference(WORDS if reworded else CALL, sentence, _bare(mine, other))


def _deed(left: Canonical, right: Canonical) -> Iterator[Difference]:
    """A choice that leads to the same state is the same choice, however it is put."""
    changed = list(_states(left, right))
    yield from changed
    settled = bool(left.states) and not changed
    if not settled and not _same(left.decision, right.decision):
        chosen = f"{quoted(left.decision)} instead of {quoted(right.decision)}"
        yield Difference(CHOICE, f"{left.role} chooses {chosen}")


def _states(left: Canonical, right: Canonical) -> Iterator[Difference]:
    ours = {state.artifact: state for state in left.states}
    theirs = {state.artifact: state for state in right.states}
    weight = WRITING if left.tool or right.tool else CHOICE
    for artifact in dict.fromkeys((*ours, *theirs)):
        mine, other = ours.get(artifact), theirs.get(artifact)
        if not mine or not other:
            where, state = ("this", mine) if mine else ("the other", other)
            changed = f" {_named(state)}" if state else ""
            yield Difference(weight, f"only {where} run changes{changed} here")
        else:
            yield from _state(mine, other, weight)


def _state(mine: State, other: State, weight: float) -> Iterator[Difference]:
    """What an artifact became, or else how; how comes first if it only became another hash."""
    bare = _bare(mine.after, other.after)
    became = not _same(mine.after, other.after)
    if not _same(mine.change, other.change) and (bare or not became):
        change = here_and_there(mine.change, other.change)
        yield Difference(weight, f"change of {_named(mine)} differs: {change}")
    elif became and not (bare and "" in (mine.after, other.after)):
        after = here_and_there(mine.after, other.after)
        yield Difference(weight, f"state of {_named(mine)} differs: {after}", bare)
    elif became:
        where = "this" if mine.after else "the other"
        sentence = f"only {where} run records what {_named(mine)} became"
        yield Difference(weight, sentence, bare)


def _seen(left: Canonical, right: Canonical) -> Iterator[Difference]:
    if left.tool and left.call == right.call:
        if left.status != right.status:
            answers = f"with {left.status or 'ok'} here, with {right.status or 'ok'} there"
            yield Difference(SEEN, f"the same call of `{left.tool}`{about(left)} ends {answers}")
        elif similarity(left.text, right.text) < REWORDED:
            answers = here_and_there(left.text, right.text)
            same = f"the same call of `{left.tool}`{about(left)}"
            yield Difference(SEEN, f"{same} is answered otherwise: {answers}")
    theirs = dict(right.verdicts)
    for check, verdict in left.verdicts:
        if theirs.get(check, verdict) != verdict:
            yield Difference(SEEN, f"check `{check}`: {verdict} here, {theirs[check]} there")


def _same(left: str, right: str) -> bool:
    return says_the_same(left, right, at_least=SAME_STATEMENT)


def _bare(mine: str, other: str) -> bool:
    return bool(_BARE.fullmatch(mine) and _BARE.fullmatch(other))


def _named(state: State) -> str:
    """An artifact in a sentence; a record that keeps one state has no name for it."""
    return f"`{state.artifact}`" if state.artifact else "the environment"
