"""Pairs of steps that one person made by hand, remembered for them alone.

A pair is about one reading of either run: what was read anew since may have other steps.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet

from attribution.alignment.aligned import Aligned
from attribution.alignment.canonical import Canonical, canonical
from attribution.alignment.differences import Difference, compare
from attribution.alignment.repairing import contradicts, repaired, type_of_pair
from attribution.models import Pairing
from traces import audit, content
from traces.models import Run
from traces.outline import Lane, Outline
from traces.transcript import Actor


class Refused(Exception):
    """The pair is not possible; the message says why."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """`outdated` counts those made on another reading: they are ignored, not forgotten."""

    pairs: tuple[type_of_pair, ...] = ()
    outdated: int = 0


def of(user: User, left: Run, right: Run) -> Pairs:
    """What this person paired, oldest first, in one query."""
    return valid(rows(user, left, right), left, right)


def rows(user: User, left: Run, right: Run) -> QuerySet[Pairing]:
    return _all(user, left, right).order_by("at", "pk")


def valid(found: Collection[Pairing], left: Run, right: Run) -> Pairs:
    """Of these rows, those that were made on the runs as they were read."""
    current = [pair for pair in found if _is_current(pair, left, right)]
    pairs = tuple((pair.left_step, pair.right_step) for pair in current)
    return Pairs(pairs, len(found) - len(current))


@transaction.atomic
def pair(
    *, user: User, left: Run, right: Run, left_step: int, right_step: int | None, at: datetime
) -> Pairing:
    """Remember that a step stands for another, or for none. Of this person's pairs those that it
    contradicts, and those on another reading, are forgotten. Raises Refused.
    """
    _require_steps(left, right, left_step, right_step)
    _lock(user)
    new = (left_step, right_step)
    gone = [
        row.pk
        for row in _all(user, left, right)
        if not _is_current(row, left, right) or contradicts((row.left_step, row.right_step), new)
    ]
    Pairing.objects.filter(pk__in=gone).delete()
    made = Pairing.objects.create(
        user=user,
        left=left,
        right=right,
        left_step=left_step,
        right_step=right_step,
        left_revision=left.revision,
        right_revision=right.revision,
        at=at,
    )
    _record("pairing.made", user, left, right, at, {"pair": list(new), "replaced": len(gone)})
    return made


@transaction.atomic
def undo(*, user: User, left: Run, right: Run, left_step: int | None, at: datetime) -> int:
    """Forget the pair of one step, or with None all of them; how many were forgotten."""
    rows = _all(user, left, right)
    if left_step is not None:
        rows = rows.filter(left_step=left_step)
    gone, _ = rows.delete()
    if gone:
        _record("pairing.undone", user, left, right, at, {"step": left_step, "pairs": gone})
    return gone


def applied(
    aligned: Aligned, pairs: Pairs, left: Run, right: Run, *, outlines: Sequence[Outline]
) -> Aligned:
    """The alignment of two runs, of which these are the outlines, with these pairs; in one query,
    or none without a pair.

    To be used whenever it is shown: what is stored is nobody's.
    """
    if not pairs.pairs:
        return aligned
    steps = _canonical_steps(pairs, left, right, outlines)

    def compared(one: int, other: int) -> Difference | None:
        return compare(steps[left.pk, one], steps[right.pk, other])

    return repaired(aligned, pairs.pairs, compared)


def _canonical_steps(
    pairs: Pairs, left: Run, right: Run, outlines: Sequence[Outline]
) -> dict[tuple[UUID, int], Canonical]:
    ours = {one for one, other in pairs.pairs if other is not None}
    theirs = {other for _, other in pairs.pairs if other is not None}
    found = content.steps_of({left.pk: ours, right.pk: theirs})
    outline_of = dict(zip((left.pk, right.pk), outlines, strict=True))
    return {
        (run, number): canonical(step, _actor(outline_of[run].lane(number)))
        for (run, number), step in found.items()
    }


def _actor(lane: Lane) -> Actor:
    return Actor(lane.key, lane.role, lane.kind)


def _all(user: User, left: Run, right: Run) -> QuerySet[Pairing]:
    return Pairing.objects.filter(user=user, left=left, right=right)


def _is_current(pair: Pairing, left: Run, right: Run) -> bool:
    readings = (pair.left_revision, pair.right_revision)
    return readings == (left.revision, right.revision)


def _require_steps(left: Run, right: Run, left_step: int, right_step: int | None) -> None:
    if left.pk == right.pk:
        raise Refused("A run is not paired with itself.")
    for run, step in ((left, left_step), (right, right_step)):
        if step is not None and not 0 <= step < run.step_count:
            raise Refused(f"{run.external_id} has no step #{step}.")


def _lock(user: User) -> None:
    """Of two forms of one person the second finds what the first did."""
    User.objects.select_for_update(no_key=True).only("pk").get(pk=user.pk)


def _record(
    action: str, user: User, left: Run, right: Run, at: datetime, data: Mapping[str, Any]
) -> None:
    audit.record(
        action=action,
        subject=f"run:{left.pk}",
        at=at,
        project=left.project,
        actor=user,
        data={"with": str(right.pk), **data},
    )
