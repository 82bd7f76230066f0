"""Choices that the other run weighed and turned down: where two runs stood at the same fork.

A record that names the rejected options shows it even when the two decisions stand far apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attribution.alignment.canonical import Canonical
from attribution.alignment.differences import CHOICE, Difference, quoted
from attribution.alignment.words import says_the_same

# An option is named in passing, seldom in the words in which another run chooses it.
SAME_OPTION = 0.6


def crossroads(
    left: Sequence[Canonical], right: Sequence[Canonical]
) -> Iterator[tuple[int, Difference]]:
    """Left steps that chose what a right step of the same role turned down."""
    forks = [step for step in right if step.decision]
    for number, step in enumerate(left):
        if not step.decision or not step.by_agent:
            continue
        fork = next((other for other in forks if _same_fork(step, other)), None)
        if fork:
            instead = f"{quoted(step.decision)}; the other run turned that down for "
            sentence = f"{step.role} chooses {instead}{quoted(fork.decision)}"
            yield number, Difference(CHOICE, sentence)


def _same_fork(left: Canonical, right: Canonical) -> bool:
    if left.role != right.role or _alike(left.decision, right.decision):
        return False
    return any(_alike(left.decision, option) for option in right.rejected)


def _alike(one: str, other: str) -> bool:
    return says_the_same(one, other, at_least=SAME_OPTION)
