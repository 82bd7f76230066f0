"""How a higher floor tells attributors what components owed, without this one knowing it."""

from __future__ import annotations

from collections.abc import Callable

from attribution.attributors.base import Obligation
from traces.models import Run

type_of_source = Callable[[Run], tuple[Obligation, ...]]

_sources: list[type_of_source] = []


def provide(source: type_of_source) -> type_of_source:
    """Register a source of obligations, from an app's `ready`; twice changes nothing."""
    if source not in _sources:
        _sources.append(source)
    return source


def in_force(run: Run) -> tuple[Obligation, ...]:
    """What the components of this run owed when it happened."""
    return tuple(obligation for source in _sources for obligation in source(run))
