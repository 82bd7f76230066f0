"""Which attributors there are: the built-in ones and those of installed packages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from attribution.attributors.base import Attributor
from attribution.attributors.first_divergence import FirstDivergence
from attribution.attributors.last_error import LastError

ENTRY_POINTS = "inquest.attributors"
BUILT_IN: tuple[type[Attributor], ...] = (LastError, FirstDivergence)
# Characters that the column of a label holds.
LONGEST_LABEL = 80


class UnknownAttributor(LookupError):
    """No attributor of that label is installed; it may have been, when the run came in."""


@cache
def registered() -> dict[str, Attributor]:
    """All attributors by label, built-in ones first. The system check speaks of `faults`."""
    found: dict[str, Attributor] = {}
    for attributor in (*_built_in(), *(a for a in map(_loaded, _entries()) if a)):
        found.setdefault(attributor.label, attributor)
    return found


def by_label(label: str) -> Attributor:
    try:
        return registered()[label]
    except KeyError as error:
        known = ", ".join(registered())
        raise UnknownAttributor(f"No attributor {label!r} is installed. Known: {known}.") from error


def faults() -> Iterator[str]:
    """Sentences about entry points that are no attributors and labels that are taken twice."""
    labels = Counter(attributor.label for attributor in _built_in())
    for entry in _entries():
        attributor = _loaded(entry)
        if attributor is None:
            yield f"The entry point {entry.name} = {entry.value} is no attributor."
        else:
            labels[attributor.label] += 1
    for label, count in labels.items():
        if count > 1:
            yield f"{count} attributors are called {label}: give one another name or version."
        if len(label) > LONGEST_LABEL:
            yield f"The label {label} is longer than {LONGEST_LABEL} characters."


def _built_in() -> list[Attributor]:
    return [attributor() for attributor in BUILT_IN]


def _entries() -> list[EntryPoint]:
    return sorted(entry_points(group=ENTRY_POINTS), key=lambda entry: (entry.name, entry.value))


def _loaded(entry: EntryPoint) -> Attributor | None:
    """The attributor of an entry point, or None if it cannot be had: one must not stop all."""
    try:
        made = entry.load()()
    except Exception:
        return None
    return made if isinstance(made, Attributor) else None
