"""What became of received documents, told in full: for the command, the pages and the API."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Count

from traces.models import Opinion, Receipt, Run

REFUSALS_SHOWN = 200


@dataclass(frozen=True, slots=True)
class RunLine:
    """A run on a receipt: made by it, or known before."""

    id: UUID
    external_id: str
    outcome: str
    step_count: int
    gap_count: int
    opinion_count: int
    known: bool


@dataclass(frozen=True, slots=True)
class Account:
    """A receipt and its runs."""

    receipt: Receipt
    runs: tuple[RunLine, ...]

    @property
    def refused(self) -> list[dict[str, str]]:
        """The first refused places, as many as people read."""
        return list(self.receipt.refused[:REFUSALS_SHOWN])

    @property
    def refused_unshown(self) -> int:
        return self.receipt.refused_count - len(self.refused)

    @property
    def made(self) -> list[RunLine]:
        return [run for run in self.runs if not run.known]

    @property
    def known(self) -> list[RunLine]:
        return [run for run in self.runs if run.known]


def accounts_of(receipts: Iterable[Receipt]) -> list[Account]:
    """The accounts of several receipts, in two queries for all their runs."""
    given = list(receipts)
    wanted = {key for receipt in given for key in (*receipt.made, *receipt.known)}
    by_id = {str(key): run for key, run in Run.objects.in_bulk(list(wanted)).items()}
    counted = Opinion.objects.filter(run__in=wanted).values_list("run").annotate(Count("pk"))
    opinions = {str(key): count for key, count in counted}
    return [account(receipt, by_id, opinions) for receipt in given]


def account(receipt: Receipt, runs: dict[str, Run], opinions: dict[str, int]) -> Account:
    lines = [
        line(runs[key], opinion_count=opinions.get(key, 0), known=known)
        for keys, known in ((receipt.made, False), (receipt.known, True))
        for key in dict.fromkeys(keys)
        if key in runs
    ]
    return Account(receipt, tuple(lines))


def line(run: Run, *, opinion_count: int, known: bool) -> RunLine:
    return RunLine(
        id=run.pk,
        external_id=run.external_id,
        outcome=run.outcome,
        step_count=run.step_count,
        gap_count=run.gap_count,
        opinion_count=opinion_count,
        known=known,
    )
