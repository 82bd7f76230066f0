"""Steps and values in words short enough for one sentence."""

from __future__ import annotations

import re

from attribution.alignment.canonical import Canonical
from attribution.alignment.words import first_difference, first_sentences

# Characters of a value that a sentence shows, and of those before the first that differs.
SHOWN = 60
BEFORE = 16
# Arguments of a call that say what it was about, the shortest first, numbers last.
NAMED = 2
_SPACES = re.compile(r"\s+")

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


def does(step: Canonical) -> str:
    """What a step does, as a verb: to follow the actor's name."""
    return _deed(step, 0)


def doing(step: Canonical) -> str:
    """What a step does, to follow "instead of"."""
    return _deed(step, 1)


def _deed(step: Canonical, form: int) -> str:
    if step.tool:
        return f"{('calls', 'calling')[form]} `{step.tool}`"
    verb = _VERBS.get(step.kind, (step.kind, step.kind))[form]
    return f"{verb} {quoted(step.decision)}" if step.decision else verb


def about(step: Canonical) -> str:
    """What a step was about, to follow what it does: arguments, a check, its words; or ""."""
    if step.tool:
        given = sorted(step.arguments, key=lambda named: (named[1].isdigit(), len(named[1])))
        told = [f"{name} {quoted(value)}".strip() for name, value in given[:NAMED] if value]
        return f" ({', '.join(told)})" if told else ""
    if step.verdicts:
        return f": {', '.join(f'`{check}` {verdict}' for check, verdict in step.verdicts[:NAMED])}"
    return f": {quoted(step.text)}" if step.text and not step.decision else ""


def argument(name: str) -> str:
    """An argument of a call as it is named in a sentence; what has no name is all it was given."""
    return f"argument `{name}` differs" if name else "what it is given differs"


def texts_differ(left: str, right: str) -> str:
    ours, theirs = first_sentences(left, right)
    return f"text differs {first_difference(left, right)}: {here_and_there(ours, theirs)}"


def here_and_there(mine: str, other: str) -> str:
    """Two values, of long ones the place where they begin to differ."""
    mine, other = _flat(mine), _flat(other)
    start = _shared(mine, other) if max(len(mine), len(other)) > SHOWN else 0
    return f"{_from(mine, start)} here, {_from(other, start)} there"


def quoted(value: str) -> str:
    """A value short enough for a sentence, in quotation marks."""
    return _from(_flat(value), 0)


def _from(flat: str, start: int) -> str:
    if not flat:
        return "nothing"
    rest = f"…{flat[start:]}" if start else flat
    return f"“{rest if len(rest) <= SHOWN else rest[: SHOWN - 1] + '…'}”"


def _flat(value: str) -> str:
    return _SPACES.sub(" ", value).strip()


def _shared(mine: str, other: str) -> int:
    """How much of two values may be left out: what they begin with alike, but for a few words."""
    if not mine or not other:
        return 0
    shorter = min(len(mine), len(other))
    alike = next((at for at in range(shorter) if mine[at] != other[at]), shorter)
    if alike <= BEFORE + 4:
        return 0
    return max(mine.find(" ", alike - BEFORE, alike) + 1, alike - BEFORE)
