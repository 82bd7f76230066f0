"""What reviews do for the floors below. Imported once the apps are ready."""

from __future__ import annotations

from datetime import datetime

from attribution import obligations
from attribution.attributors.base import Obligation
from reviews.adjudication import open_cases
from reviews.adjudication.frequency import recount
from reviews.grounds import contracts_in_force
from traces.models import Failure, Run
from traces.subscriptions import on_new_failure, on_new_runs, on_standing

on_new_runs(open_cases)
on_standing(recount)


@on_new_failure
def open_case_of(*, failure: Failure, at: datetime) -> None:
    """A failure that was added to a run gets its case like those that came with it."""
    open_cases(runs=[failure.run], at=at)


@obligations.provide
def contracts_of(run: Run) -> tuple[Obligation, ...]:
    """The contracts that bound the components of this run, as attributors read them."""
    return tuple(
        Obligation(key=contract.key, component=contract.component, text=contract.clause)
        for contract in contracts_in_force(run)
    )
