"""What became of received documents, told in full: for the command, the pages and the API."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID

from django.db.models import Count

from traces import gaps
from traces.models import Gap, Label, Opinion, Receipt, Run

REFUSALS_SHOWN = 200


@dataclass(frozen=True, slots=True)
class RunLine:
    """A run on a receipt: made by it, known before, or renewed, being read anew."""

    id: UUID
    external_id: str
    outcome: str
    step_count: int
    gap_count: int
    opinion_count: int
    was: str
    folded: dict[str, int]

    @property
    def known(self) -> bool:
        return self.was == "known"


@dataclass(frozen=True, slots=True)
class GapCount:
    """How many gaps of a kind the runs of a receipt have; `kind` is None if nobody explains it."""

    name: str
    count: int
    kind: gaps.Kind | None

    @property
    def title(self) -> str:
        return self.kind.title if self.kind else self.name


class Labels(NamedTuple):
    """Labels that the document holds apart from runs: joined to one by now, or waiting for it."""

    joined: int = 0
    waiting: int = 0


NO_LABELS = Labels()


@dataclass(frozen=True, slots=True)
class Account:
    """A receipt and its runs, and what is known of them now."""

    receipt: Receipt
    runs: tuple[RunLine, ...]
    gaps: tuple[GapCount, ...] = ()
    labels: Labels = NO_LABELS

    @property
    def refused(self) -> list[dict[str, str]]:
        """The first refused places, as many as people read."""
        return list(self.receipt.refused[:REFUSALS_SHOWN])

    @property
    def refused_unshown(self) -> int:
        return self.receipt.refused_count - len(self.refused)

    @property
    def withheld_count(self) -> int:
        """Values that the policy took out of an OTLP request."""
        return sum(entry["count"] for entry in self.receipt.withheld)

    @property
    def made(self) -> list[RunLine]:
        return self._that("made")

    @property
    def known(self) -> list[RunLine]:
        return self._that("known")

    @property
    def renewed(self) -> list[RunLine]:
        return self._that("renewed")

    def _that(self, was: str) -> list[RunLine]:
        return [run for run in self.runs if run.was == was]

    @property
    def folded(self) -> int:
        """How often altogether. A batch of spans may not have said again what its runs did."""
        return max(self.receipt.folded, sum(self.folded_by_rule.values()))

    @property
    def folded_by_rule(self) -> dict[str, int]:
        """How often, by rule, the runs' sources said again what they had said."""
        counts: Counter[str] = Counter()
        for run in self.runs:
            counts.update(run.folded)
        return dict(counts.most_common())


def accounts_of(receipts: Iterable[Receipt]) -> list[Account]:
    """The accounts of several receipts, in four queries for all of them."""
    given = list(receipts)
    wanted = {UUID(key) for receipt in given for key in keys_of(receipt)}
    runs = Run.objects.in_bulk(list(wanted))
    counted = Opinion.objects.filter(run__in=wanted).values_list("run").annotate(Count("pk"))
    opinions = dict(counted)
    lines = {
        receipt.pk: tuple(lines_of(receipt, runs=runs, opinions=opinions)) for receipt in given
    }
    kinds, labels = kinds_of(wanted), labels_of(given)
    return [
        Account(
            receipt,
            lines[receipt.pk],
            tuple(gap_counts(lines[receipt.pk], kinds)),
            labels.get(receipt.document_id, NO_LABELS),
        )
        for receipt in given
    ]


def keys_of(receipt: Receipt) -> list[str]:
    return [*receipt.made, *receipt.known, *receipt.renewed]


def lines_of(
    receipt: Receipt, *, runs: dict[UUID, Run], opinions: dict[UUID, int]
) -> Iterable[RunLine]:
    """Each run once under each heading, as far as it is still here."""
    for was in ("made", "renewed", "known"):
        for key in dict.fromkeys(map(UUID, getattr(receipt, was))):
            if key in runs:
                yield line(runs[key], opinion_count=opinions.get(key, 0), was=was)


def line(run: Run, *, opinion_count: int, was: str) -> RunLine:
    return RunLine(
        id=run.pk,
        external_id=run.external_id,
        outcome=run.outcome,
        step_count=run.step_count,
        gap_count=run.gap_count,
        opinion_count=opinion_count,
        was=was,
        folded=run.folded,
    )


def kinds_of(runs: Iterable[UUID]) -> dict[UUID, dict[str, int]]:
    """The gaps of each run by their kind."""
    kinds: defaultdict[UUID, dict[str, int]] = defaultdict(dict)
    found = Gap.objects.filter(run__in=runs).values_list("run", "kind").annotate(Count("pk"))
    for run, kind, count in found:
        kinds[run][kind] = count
    return kinds


def gap_counts(lines: Iterable[RunLine], kinds: dict[UUID, dict[str, int]]) -> Iterable[GapCount]:
    """Commonest kind first."""
    counts: Counter[str] = Counter()
    for run in {line.id for line in lines}:
        counts.update(kinds.get(run, {}))
    for name, count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])):
        yield GapCount(name, count, gaps.KINDS.get(name))


def labels_of(receipts: Iterable[Receipt]) -> dict[int | None, Labels]:
    """By document, how many of its labels have found their run."""
    documents = {receipt.document_id for receipt in receipts if receipt.document_id}
    found = Label.objects.filter(document__in=documents).values_list("document")
    counted = found.annotate(Count("pk"), Count("run"))
    return {document: Labels(joined, every - joined) for document, every, joined in counted}
