"""Why a run deserves a look although nothing calls it failed: every reason, in words.

Some were found at ingest and are stored with the run, others follow from how its project's runs
usually go. All of them say *suspicious*, none says *failed*.
"""

from __future__ import annotations

from typing import NamedTuple

from traces import profiles, suspicions, trajectory
from traces.models import Run, TrajectoryProfile
from traces.transcript import Outcome, Suspicion


class Flag(NamedTuple):
    """A reason to look: its kind with title and meaning, what it is here, and where if known."""

    kind: str
    title: str
    meaning: str
    detail: str
    step: int | None = None


def flags_of(run: Run, profile: TrajectoryProfile) -> list[Flag]:
    """The reasons, those found at ingest first; none for a run that is recorded as failed.

    Nor for one that was read with `is_aside` true: it has left the queues.
    """
    if run.outcome == Outcome.FAILED or getattr(run, "is_aside", False):
        return []
    stored = (Suspicion(**row) for row in run.suspicions)
    shape = profiles.shape_of(run)
    odd = trajectory.outliers(shape, profile.fences, run_count=profile.run_count)
    return [flag_of(suspicion) for suspicion in (*stored, *odd)]


def flag_of(suspicion: Suspicion) -> Flag:
    title, meaning = suspicion.kind.replace("_", " ").capitalize(), ""
    if suspicion.kind == trajectory.KIND:
        title, meaning = trajectory.TITLE, trajectory.MEANING
    elif kind := suspicions.KINDS.get(suspicion.kind):
        title, meaning = kind.title, kind.meaning
    return Flag(suspicion.kind, title, meaning, suspicion.detail, suspicion.step)


def shown_with(run: Run) -> dict[str, object]:
    """What the page of a run shows of its flags: the context of `traces/_suspicions.html`."""
    return {"flags": flags_of(run, profiles.profile_of(run.project))}
