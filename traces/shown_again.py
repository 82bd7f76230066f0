"""The failures of a run that is read anew: cases hang on them, so each keeps its row.

They are matched by key. One that the new reading does not show goes if nothing hangs on it; else
it stays, and a gap says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import ProtectedError

from traces import models
from traces.counterparts import Counterparts
from traces.models import Run
from traces.transcript import Failure, Gap

TEXTS = ("statement", "expected", "observed", "consequence")
SHOWN = 100


@dataclass(frozen=True, slots=True)
class Matched:
    """The rows that are new to the run, and what is to be said of those that are not shown."""

    added: Sequence[models.Failure]
    gaps: Sequence[Gap]


def match(run: Run, readings: Counterparts) -> Matched:
    """Bring the failures of a run to what its new reading shows."""
    shown = {failure.key: failure for failure in readings.after.failures}
    gaps = []
    for row in run.failures.order_by("pk"):
        failure = shown.pop(row.key, None)
        if failure is not None and row.origin == models.Failure.Origin.RECORD:
            restate(row, failure)
        elif row.origin == models.Failure.Origin.RECORD:
            gaps.extend(not_shown(row, readings))
        else:
            gaps.extend(moved(row, readings))
    added = [new_row(run, failure) for failure in shown.values()]
    return Matched(models.Failure.objects.bulk_create(added), gaps)


def new_row(run: Run, failure: Failure) -> models.Failure:
    texts = {name: getattr(failure, name) for name in TEXTS}
    return models.Failure(
        run=run,
        key=failure.key,
        check_name=failure.check,
        exposed_by=failure.exposed_by,
        **texts,
    )


def restate(row: models.Failure, failure: Failure) -> None:
    for name in TEXTS:
        setattr(row, name, getattr(failure, name))
    row.check_name, row.exposed_by = failure.check, failure.exposed_by
    row.save(update_fields=[*TEXTS, "check_name", "exposed_by"])


def not_shown(row: models.Failure, readings: Counterparts) -> list[Gap]:
    """Remove a failure, or keep it with a gap if something hangs on it."""
    try:
        row.delete()
    except ProtectedError:
        detail = f"“{row.statement[:SHOWN]}” was shown by an earlier reading and not by this one."
        return [Gap("failure_not_shown", detail), *moved(row, readings)]
    return []


def moved(row: models.Failure, readings: Counterparts) -> list[Gap]:
    """Let a failure that stays point at its step by the number it has now."""
    before, now = row.exposed_by, readings.step(row.exposed_by)
    if before == now:
        return []
    row.exposed_by = now
    row.save(update_fields=["exposed_by"])
    if now is not None:
        return []
    detail = f"The step that showed “{row.statement[:SHOWN]}” is not in this reading."
    return [Gap("failure_not_shown", detail)]
