"""Choices that the other run weighed and turned down: where two runs stood at the same fork.

A record that names the rejected options shows it even when the two decisions stand far apart.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from attribution.alignment.canonical import Canonical
from attribution.alignment.differences import CHOICE, Difference
from attribution.alignment.sentences import quoted
from attribution.alignment.words import says_the_same, values

# An option is named in passing, seldom in the words in which another run chooses it.
SAME_OPTION = 0.6
# How many options with the same values are looked at; bounds the work.
MOST_FORKS = 60


def crossroads(
    left: Sequence[Canonical], right: Sequence[Canonical]
) -> Iterator[tuple[int, Difference]]:
    """Left steps that chose what a right step of the same role turned down."""
    forks = _Forks(right)
    for number, step in enumerate(left):
        fork = forks.of(step) if step.decision and step.by_agent else None
        if fork:
            instead = f"{quoted(step.decision)}; the other run turned that down for "
            sentence = f"{step.role} chooses {instead}{quoted(fork.decision)}"
            yield number, Difference(CHOICE, sentence)


class _Forks:
    """Decisions by what they turned down, and by the values in that: equal options share them."""

    def __init__(self, steps: Sequence[Canonical]) -> None:
        self._turned_down: defaultdict[type_of_option, list[tuple[str, Canonical]]]
        self._turned_down = defaultdict(list)
        for step in steps:
            for option in step.rejected if step.decision else ():
                alike = self._turned_down[_kind(step.role, option)]
                if len(alike) < MOST_FORKS:
                    alike.append((option, step))

    def of(self, step: Canonical) -> Canonical | None:
        """The first that turned down what this step chose, and chose something else."""
        forks = self._turned_down.get(_kind(step.role, step.decision), [])
        return next((fork for option, fork in forks if _same_fork(step, option, fork)), None)


type_of_option = tuple[str, frozenset[str]]


def _kind(role: str, option: str) -> type_of_option:
    return role, frozenset(values(option))


def _same_fork(step: Canonical, option: str, fork: Canonical) -> bool:
    return _alike(step.decision, option) and not _alike(step.decision, fork.decision)


def _alike(one: str, other: str) -> bool:
    return says_the_same(one, other, at_least=SAME_OPTION)
