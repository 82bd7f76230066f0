"""What became of the files that a command took in: one outcome a file, and their sums."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from traces.folders import Found
from traces.models import Gap, Receipt
from traces.receipts import Account, RunLine, accounts_of

# Receipts whose accounts are looked up together.
TOGETHER = 500


@dataclass(frozen=True, slots=True)
class Outcome:
    """A file's fate: read, refused, skipped, missing, stored (to be read later), or part of one."""

    path: str
    status: str
    reason: str = ""
    account: Account | None = None
    gaps: tuple[Gap, ...] = ()

    @property
    def runs(self) -> tuple[RunLine, ...]:
        return self.account.runs if self.account else ()

    @property
    def refused(self) -> list[dict[str, str]]:
        """Refused places; a file that is refused whole is one."""
        places = list(self.account.receipt.refused) if self.account else []
        if self.status in ("refused", "missing") and not places:
            places = [{"position": "", "reason": self.reason}]
        return places

    @property
    def refused_count(self) -> int:
        kept = self.account.receipt.refused_count if self.account else 0
        return max(kept, len(self.refused))

    @property
    def folded(self) -> int:
        return self.account.receipt.folded if self.account else 0

    @property
    def notes(self) -> list[str]:
        return list(self.account.receipt.notes) if self.account else []

    def plain(self) -> dict[str, Any]:
        """As the JSON answer shows it."""
        shown: dict[str, Any] = {"file": self.path, "status": self.status}
        if self.reason:
            shown["reason"] = self.reason
        if self.account:
            shown |= {
                "receipt": self.account.receipt.pk,
                "format": self.account.receipt.format,
                "rule": self.account.receipt.rule,
                "runs": [self.run(run) for run in self.runs],
                "folded": self.account.folded_by_rule,
                "labels": self.account.labels._asdict(),
                "notes": self.notes,
            }
        if self.refused:
            shown |= {"refused": self.refused, "refused_count": self.refused_count}
        return shown

    def run(self, run: RunLine) -> dict[str, Any]:
        return {
            "id": str(run.id),
            "external_id": run.external_id,
            "known": run.known,
            "was": run.was,
            "outcome": run.outcome,
            "steps": run.step_count,
            "opinions": run.opinion_count,
            "gaps": [
                {"kind": gap.kind, "step": gap.step, "detail": gap.detail}
                for gap in self.gaps
                if gap.run_id == run.id
            ],
        }


def outcome_of_found(file: Found) -> Outcome:
    """Of a file that is not taken at all."""
    if file.skipped:
        return Outcome(file.path, "skipped", file.skipped)
    return Outcome(file.path, "missing", file.trouble)


def outcome_of(path: str, receipt: Receipt) -> Outcome:
    """Of a file that was received, with its runs and their gaps in two queries."""
    account = accounts_of([receipt])[0]
    gaps = Gap.objects.filter(run__in=[run.id for run in account.runs]).order_by("run", "pk")
    reason = f"{receipt.reason} {receipt.excerpt}".strip()
    return Outcome(path, receipt.status, reason, account, tuple(gaps))


def at_the_end(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """The outcomes as they are when all files are read: a later file may change what one told.

    A label, for instance, goes to the run of a later file if that is the one it means.
    """
    settled: list[Outcome] = []
    for start in range(0, len(outcomes), TOGETHER):
        some = outcomes[start : start + TOGETHER]
        accounts = iter(accounts_of(each.account.receipt for each in some if each.account))
        now = [replace(each, account=next(accounts)) if each.account else each for each in some]
        gaps: defaultdict[UUID, list[Gap]] = defaultdict(list)
        wanted = {run.id for each in now for run in each.runs}
        for gap in Gap.objects.filter(run__in=wanted).order_by("run", "pk"):
            gaps[gap.run_id].append(gap)
        settled += [replace(each, gaps=gaps_of(each, gaps)) for each in now]
    return settled


def gaps_of(outcome: Outcome, gaps: Mapping[UUID, list[Gap]]) -> tuple[Gap, ...]:
    keys = dict.fromkeys(run.id for run in outcome.runs)
    return tuple(gap for key in keys for gap in gaps.get(key, ()))


def outcomes_of_parts(file: Found, main: Outcome) -> Iterator[Outcome]:
    """Of the files that were taken together with another one."""
    names = ", ".join(run.external_id for run in main.runs[:3])
    more = f" and {len(main.runs) - 3} more" if len(main.runs) > 3 else ""
    what = f", run {names}{more}" if names else ""
    for path in file.parts:
        yield Outcome(path, "part", f"of {file.path}{what}")


def totals(outcomes: Iterable[Outcome]) -> dict[str, int]:
    """Sums over all files. `refused` counts places: a line, a step, or a whole file.

    `labels` are those that came apart from runs; each document has its own once. Gaps and
    opinions are those of the runs, each run once however many files have it.
    """
    given = list(outcomes)
    runs = [run for outcome in given for run in outcome.runs]
    once = {run.id: run for run in runs}.values()
    accounts = [outcome.account for outcome in given if outcome.account]
    labels = {account.receipt.document_id: sum(account.labels) for account in accounts}
    return {
        "made": sum(run.was == "made" for run in runs),
        "known": sum(run.known for run in runs),
        "refused": sum(each.refused_count for each in given if each.status != "missing"),
        "missing": sum(each.status == "missing" for each in given),
        "skipped": sum(each.status == "skipped" for each in given),
        "gaps": sum(run.gap_count for run in once),
        "opinions": sum(run.opinion_count for run in once),
        "renewed": sum(run.was == "renewed" for run in runs),
        "folded": sum(outcome.folded for outcome in given),
        "labels": sum(labels.values()),
        "file_count": len({outcome.path for outcome in given if outcome.status != "missing"}),
    }


def trouble(sums: dict[str, int]) -> str:
    """Why a command must not end well; empty if it may."""
    words = [f"{sums[name]} {name}" for name in ("refused", "missing") if sums[name]]
    return f"Not everything was taken: {', '.join(words)}." if words else ""
