"""How alike two runs are before anybody lays them side by side: task, roles, tools, length."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz, process

# What alike tasks count for among runs of several tasks, and what each trait of shape does: texts
# that have little to do with each other are alike by a half.
TASK, ROLES, TOOLS, LENGTH = 6.0, 1.0, 1.0, 1.0
# Below this share of its words in common, another task is another matter.
SAME_MATTER = 0.3
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Traits:
    """What of a run can be compared at a glance. `steps` counts all of it."""

    task: str
    roles: frozenset[str]
    tools: frozenset[str]
    steps: int


def same_task(ours: Traits, theirs: Traits) -> float:
    """How alike two runs of one task are: 0 to 2 in tenths, so that nearly equal is equal."""
    return round(_overlap(ours.roles, theirs.roles) + _length(ours, theirs), 1)


def ranked(ours: Traits, others: Sequence[Traits]) -> list[int]:
    """The places of those that do the same sort of thing, most alike first, equal ones in order.

    A run whose task is not told is like those that have its roles and tools.
    """
    texts = [other.task for other in others]
    alike = process.cdist([ours.task], texts, scorer=fuzz.token_sort_ratio)[0] / 100
    scores: dict[int, float] = {}
    for place, other in enumerate(others):
        shared = words_shared(ours.task, other.task)
        if shared >= SAME_MATTER if ours.task else _shares_shape(ours, other):
            task = (float(alike[place]) + shared) / 2 if ours.task else 0.0
            scores[place] = round(TASK * task + _shape(ours, other), 2)
    return sorted(scores, key=lambda place: -scores[place])


def _shares_shape(ours: Traits, theirs: Traits) -> bool:
    roles, tools = ours.roles & theirs.roles, ours.tools & theirs.tools
    return bool(roles) and (bool(tools) or not ours.tools)


def _shape(ours: Traits, theirs: Traits) -> float:
    roles = ROLES * _overlap(ours.roles, theirs.roles)
    return roles + TOOLS * _overlap(ours.tools, theirs.tools) + LENGTH * _length(ours, theirs)


def words_shared(ours: str, theirs: str) -> float:
    """The share of the distinct words of one text that the other has too; 0 of no words."""
    mine, others = _words(ours), _words(theirs)
    return len(mine & others) / max(len(mine), 1)


def why(ours: Traits, theirs: Traits) -> str:
    """Why this one, in words: "most similar task, 82 % of its words; same 4 roles; …"."""
    said = [
        _about_task(ours, theirs),
        *_about("role", ours.roles, theirs.roles),
        *_about("tool", ours.tools, theirs.tools),
        f"{theirs.steps:,} steps against {ours.steps:,}",
    ]
    return "; ".join(said)


def _about_task(ours: Traits, theirs: Traits) -> str:
    if not ours.task:
        return "most similar shape, as this run tells no task"
    share = round(100 * words_shared(ours.task, theirs.task))
    return f"most similar task, {share} % of its words"


def _about(noun: str, ours: frozenset[str], theirs: frozenset[str]) -> Iterator[str]:
    count = f"{len(ours)} {noun}" + "s" * (len(ours) != 1)
    if ours and ours == theirs:
        yield f"same {noun}" if len(ours) == 1 else f"same {count}"
    elif ours:
        yield f"{len(ours & theirs)} of {count}"


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.lower()))


def _overlap(ours: frozenset[str], theirs: frozenset[str]) -> float:
    return len(ours & theirs) / len(ours | theirs) if ours or theirs else 1.0


def _length(ours: Traits, theirs: Traits) -> float:
    shorter, longer = sorted((ours.steps, theirs.steps))
    return shorter / max(longer, 1)
