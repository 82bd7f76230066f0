"""Candidates and analyses as pages show them. Reads; never writes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import FilteredRelation, Q, QuerySet

from attribution.models import Analysis, Candidate
from traces.models import Run


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the analyses of a run are. `notes` are what finished ones have to say."""

    queued: int
    running: int
    done: int
    failed: int
    notes: tuple[str, ...]

    @property
    def unfinished(self) -> int:
        return self.queued + self.running

    @property
    def total(self) -> int:
        return self.unfinished + self.done + self.failed


@dataclass(frozen=True, slots=True)
class Proposed:
    """What the analyses of a run came to. `ranked` has the candidates of finished ones, best
    first, each with its analysis."""

    ranked: tuple[Candidate, ...]
    progress: Progress


def of(run: Run) -> Proposed:
    """Candidates and progress, in one query.

    A step's place among the candidates is that of its best one. Two attributors that propose the
    same step in the same part stay two candidates, one after the other.
    """
    # A row for each candidate and, of an analysis without any, one for itself.
    named = FilteredRelation("candidates", condition=Q(status=Analysis.Status.DONE))
    rows: QuerySet[Any] = Analysis.objects.filter(run=run).annotate(candidate=named)
    found = list(rows.select_related("candidate").order_by("attributor", "candidate__pk"))
    # A row whose join found nothing has no such attribute.
    candidates = [row.candidate for row in found if getattr(row, "candidate", None)]
    return Proposed(tuple(_ranked(candidates)), _progress({row.pk: row for row in found}.values()))


def ranked_for(run: Run) -> list[Candidate]:
    """All candidates of finished analyses, in one query, each with its analysis; best first."""
    return list(of(run).ranked)


def _ranked(found: list[Candidate]) -> list[Candidate]:
    best: dict[tuple[int, str], tuple[float, int]] = {}
    for candidate in found:
        place = (-candidate.score, candidate.rank)
        key = (candidate.step, candidate.part)
        best[key] = min(place, best.get(key, place))
    return sorted(found, key=lambda candidate: _place(candidate, best))


def _place(
    candidate: Candidate, best: dict[tuple[int, str], tuple[float, int]]
) -> tuple[tuple[float, int], int, str, float, int, str]:
    together = (best[candidate.step, candidate.part], candidate.step, candidate.part)
    return (*together, -candidate.score, candidate.rank, candidate.analysis.attributor)


def _progress(analyses: Iterable[Analysis]) -> Progress:
    found = list(analyses)
    count = Counter(analysis.status for analysis in found)
    return Progress(
        queued=count[Analysis.Status.QUEUED],
        running=count[Analysis.Status.RUNNING],
        done=count[Analysis.Status.DONE],
        failed=count[Analysis.Status.FAILED],
        notes=tuple(f"{each.attributor}: {each.note}" for each in found if each.note),
    )
