"""How higher floors take part in what the ground floor writes, without it knowing them.

A subscriber runs once for the new runs of a document, once per failure that was added to a run
later, and once per run that is read anew, inside the transaction that writes them: what it inserts
is there exactly if they are. It must not talk to the network; that waits for the commit.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from traces.counterparts import Counterparts
from traces.models import Failure, Run


class Subscriber(Protocol):
    """Is told of new runs of one project, in the order in which they were written."""

    def __call__(self, *, runs: Sequence[Run], at: datetime) -> None: ...


class StandingSubscriber(Protocol):
    def __call__(self, *, run: Run, at: datetime) -> None: ...


class FailureSubscriber(Protocol):
    def __call__(self, *, failure: Failure, at: datetime) -> None: ...


class RenewedSubscriber(Protocol):
    """Is told that a run was read anew in place, and which step is which."""

    def __call__(self, *, run: Run, readings: Counterparts, at: datetime) -> None: ...


class Objection(Protocol):
    """Is asked before a run is read anew. Answers why it must stay as it is, or ""."""

    def __call__(self, *, run: Run) -> str: ...


_subscribers: list[Subscriber] = []
_of_standing: list[StandingSubscriber] = []
_failure_subscribers: list[FailureSubscriber] = []
_of_renewal: list[RenewedSubscriber] = []
_objections: list[Objection] = []


def on_new_runs(subscriber: Subscriber) -> Subscriber:
    """Register a subscriber, from an app's `ready`; registering it again changes nothing."""
    if subscriber not in _subscribers:
        _subscribers.append(subscriber)
    return subscriber


def on_new_failure(subscriber: FailureSubscriber) -> FailureSubscriber:
    """Register for failures added to a run that is here; those that came with it are its own."""
    if subscriber not in _failure_subscribers:
        _failure_subscribers.append(subscriber)
    return subscriber


def announce(*, runs: Sequence[Run], at: datetime) -> None:
    for subscriber in _subscribers:
        subscriber(runs=runs, at=at)


def announce_failure(*, failure: Failure, at: datetime) -> None:
    for subscriber in _failure_subscribers:
        subscriber(failure=failure, at=at)


def on_standing(subscriber: StandingSubscriber) -> StandingSubscriber:
    """Register who is told that a run was set aside or brought back; again changes nothing."""
    if subscriber not in _of_standing:
        _of_standing.append(subscriber)
    return subscriber


def announce_standing(*, run: Run, at: datetime) -> None:
    for subscriber in _of_standing:
        subscriber(run=run, at=at)


def on_renewed_runs(subscriber: RenewedSubscriber) -> RenewedSubscriber:
    """Register who follows a run that is read anew in place; again changes nothing."""
    if subscriber not in _of_renewal:
        _of_renewal.append(subscriber)
    return subscriber


def announce_renewed(*, run: Run, readings: Counterparts, at: datetime) -> None:
    for subscriber in _of_renewal:
        subscriber(run=run, readings=readings, at=at)


def on_asking_to_renew(objection: Objection) -> Objection:
    """Register who may keep a run from being read anew; again changes nothing.

    It holds the locks that keep its answer true until the transaction ends.
    """
    if objection not in _objections:
        _objections.append(objection)
    return objection


def objection_to_renewing(run: Run) -> str:
    """Why the run must stay as it is, or "". The first reason stands for all."""
    return next(filter(None, (objection(run=run) for objection in _objections)), "")
