"""Candidates and analyses as pages show them. Reads; never writes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

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


def ranked_for(run: Run) -> list[Candidate]:
    """All candidates of finished analyses, in one query, each with its analysis.

    Best first: a step's place is that of its best candidate. Two attributors that propose the
    same step in the same part stay two candidates, one after the other.
    """
    done = Candidate.objects.filter(analysis__run=run, analysis__status=Analysis.Status.DONE)
    found = list(done.select_related("analysis"))
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


def progress_of(run: Run) -> Progress:
    """One query."""
    rows = Analysis.objects.filter(run=run).order_by("attributor")
    found = list(rows.values_list("status", "attributor", "note"))
    count = Counter(status for status, _, _ in found)
    return Progress(
        queued=count[Analysis.Status.QUEUED],
        running=count[Analysis.Status.RUNNING],
        done=count[Analysis.Status.DONE],
        failed=count[Analysis.Status.FAILED],
        notes=tuple(f"{attributor}: {note}" for _, attributor, note in found if note),
    )
