"""How higher floors take part in ingest without the ground floor knowing them.

A subscriber runs once per new run, inside the transaction that writes it: what it inserts is
there exactly if the run is. It must not talk to the network; that waits for the commit.
"""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from traces.models import Run


class Subscriber(Protocol):
    def __call__(self, *, run: Run, at: datetime) -> None: ...


_subscribers: list[Subscriber] = []


def on_new_run(subscriber: Subscriber) -> Subscriber:
    """Register a subscriber, from an app's `ready`; registering it again changes nothing."""
    if subscriber not in _subscribers:
        _subscribers.append(subscriber)
    return subscriber


def announce(*, run: Run, at: datetime) -> None:
    for subscriber in _subscribers:
        subscriber(run=run, at=at)
