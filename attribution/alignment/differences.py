"""What differs between two steps that stand for each other, in words and by weight.

Values decide, wording does not: another choice, another state, another argument or another
outcome is a difference; the same said in other words is not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from attribution.alignment.canonical import Canonical, State
from attribution.alignment.words import first_difference, says_the_same, similarity

# How much a difference may explain. A choice or a change of what the actors believe and plan acts
# on all that follows; what a tool writes carries it out; a call acts through its answer; an answer
# or a verdict is seen, not done; words may be chance.
CHOICE, WRITING, CALL, SEEN, WORDS = 1.0, 0.7, 0.6, 0.5, 0.25

# Two statements of a choice or a state with the same values are the same from here on.
SAME_STATEMENT = 0.6
# Texts of steps that agree in all else count as reworded down to this similarity.
REWORDED = 0.45
# Characters of a value that a sentence shows.
SHOWN = 60
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
        yield Difference(weight, f"{left.role} {does(left)} instead of {doing(right)}")
    else:
        yield from _call(left, right)
        yield from _deed(left, right)
    yield from _seen(left, right)
    if similarity(left.text, right.text) < REWORDED:
        yield Difference(WORDS, f"text differs {first_difference(left.text, right.text)}")


def does(step: Canonical) -> str:
    """What a step does, as a verb: to follow the actor's name."""
    return _deed_in_words(step, 0)


def doing(step: Canonical) -> str:
    """What a step does, to follow "instead of"."""
    return _deed_in_words(step, 1)


def _deed_in_words(step: Canonical, form: int) -> str:
    if step.tool:
        return f"{('calls', 'calling')[form]} {step.tool}"
    verb = _VERBS.get(step.kind, (step.kind, step.kind))[form]
    return f"{verb} {quoted(step.decision)}" if step.decision else verb


_VERBS = {
    "input": ("gives an input", "giving an input"),
    "decision": ("decides", "deciding"),
    "message": ("writes a message", "writing a message"),
    "handoff": ("hands over", "handing over"),
    "tool": ("calls a tool", "calling a tool"),
    "state": ("changes a state", "changing a state"),
    "verification": ("verifies", "verifying"),
    "error": ("ends in an error", "ending in an error"),
}


def _call(left: Canonical, right: Canonical) -> Iterator[Difference]:
    ours, theirs = dict(left.arguments), dict(right.arguments)
    for name in dict.fromkeys((*ours, *theirs)):
        mine, other = ours.get(name, ""), theirs.get(name, "")
        if mine != other:
            reworded = says_the_same(mine, other, at_least=SAME_STATEMENT)
            sentence = f"same tool, argument `{name}` differs: {_against(mine, other)}"
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
            where = "this" if mine else "the other"
            yield Difference(weight, f"only {where} run changes `{artifact}` here")
        else:
            yield from _state(mine, other, weight)


def _state(mine: State, other: State, weight: float) -> Iterator[Difference]:
    """What an artifact became, or else how; how comes first if it only became another hash."""
    bare = _bare(mine.after, other.after)
    became = not _same(mine.after, other.after)
    if not _same(mine.change, other.change) and (bare or not became):
        change = _against(mine.change, other.change)
        yield Difference(weight, f"change of `{mine.artifact}` differs: {change}")
    elif became and not (bare and "" in (mine.after, other.after)):
        after = _against(mine.after, other.after)
        yield Difference(weight, f"state of `{mine.artifact}` differs: {after}", bare)
    elif became:
        where = "this" if mine.after else "the other"
        sentence = f"only {where} run records what `{mine.artifact}` became"
        yield Difference(weight, sentence, bare)


def _seen(left: Canonical, right: Canonical) -> Iterator[Difference]:
    if left.tool and left.call == right.call:
        if left.status != right.status:
            answers = f"{left.status or 'ok'} here and {right.status or 'ok'} there"
            yield Difference(SEEN, f"the same call of {left.tool} ends {answers}")
        elif similarity(left.text, right.text) < REWORDED:
            yield Difference(SEEN, f"the same call of {left.tool} is answered differently")
    theirs = dict(right.verdicts)
    for check, verdict in left.verdicts:
        if theirs.get(check, verdict) != verdict:
            yield Difference(SEEN, f"check `{check}`: {verdict} here, {theirs[check]} there")


def _same(left: str, right: str) -> bool:
    return says_the_same(left, right, at_least=SAME_STATEMENT)


def _bare(mine: str, other: str) -> bool:
    return bool(_BARE.fullmatch(mine) and _BARE.fullmatch(other))


def _against(mine: str, other: str) -> str:
    return f"{quoted(mine)} against {quoted(other)}"


def quoted(value: str) -> str:
    """A value short enough for a sentence, in quotation marks."""
    if not value:
        return "nothing"
    flat = " ".join(value.split())
    return f"“{flat if len(flat) <= SHOWN else flat[: SHOWN - 1] + '…'}”"
