"""How a run hangs together with others: what it repeats or continues, and what came of it.

A record names its parent by the name that the source gave it. Several runs may bear that name
(a conflicting duplicate), or none that is here; both are told.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Case, F, Q, QuerySet, TextField, Value, When
from django.db.models.fields import CharField

from traces import quarantine
from traces.models import Project, Run

# Of each sort of relative, how many are listed.
MOST = 100
COLUMNS = (
    "pk", "external_id", "parent_relation", "attempt", "reason", "outcome", "step_count",
    "received_at",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Relative:
    """Another run, as a line of a list. `relation` is its own relation to its parent."""

    id: UUID
    external_id: str
    relation: str
    attempt: int | None
    reason: str
    outcome: str
    step_count: int
    received_at: datetime


@dataclass(frozen=True, slots=True)
class Relations:
    """A run's relatives. `attempts` are the children of the same parent, this run among them.

    The parent stands as `parent_name` in the record even if no run in the project bears it.
    """

    parent_name: str
    relation: str
    parents: tuple[Relative, ...]
    children: tuple[Relative, ...]
    attempts: tuple[Relative, ...]
    cut: bool

    @property
    def any(self) -> bool:
        return bool(self.parent_name or self.children)

    @property
    def sorts(self) -> tuple[tuple[str, tuple[Relative, ...]], ...]:
        """What each relative is to this run, in reading order."""
        return ("parent", self.parents), ("same parent", self.attempts), ("child", self.children)

    @property
    def parent_is_missing(self) -> bool:
        return bool(self.parent_name) and not self.parents


def relations_of(run: Run) -> Relations:
    """Both ways, in one query. Attempts come in the order of their number, then of arrival."""
    wanted = {"child": Q(parent_run=run.external_id)}
    if run.parent_run:
        wanted |= {
            "parent": Q(external_id=run.parent_run),
            "attempt": Q(parent_run=run.parent_run),
        }
    first, *others = (_listed(run.project, name, where) for name, where in wanted.items())
    found: dict[str, list[Relative]] = {"parent": [], "child": [], "attempt": []}
    for row in first.union(*others, all=True):
        found[row[0]].append(Relative(*row[1:]))
    return Relations(
        parent_name=run.parent_run,
        relation=run.parent_relation,
        parents=_in_order(found["parent"], without=run.pk),
        children=_in_order(found["child"], without=run.pk),
        attempts=_in_order(found["attempt"]),
        cut=any(len(rows) > MOST for rows in found.values()),
    )


def _listed(project: Project, sort: str, where: Q) -> QuerySet[Run, Any]:
    rows = Run.objects.filter(where, project=project)
    # What a run says that is set aside for personal data is for who may open it.
    reason = Case(
        When(quarantine.restricted(), then=Value("")),
        default=F("attempt_reason"),
        output_field=TextField(),
    )
    rows = rows.annotate(sort=Value(sort, output_field=CharField()), reason=reason)
    ordered = rows.order_by(F("attempt").asc(nulls_first=True), "received_at", "pk")
    return ordered.values_list("sort", *COLUMNS)[: MOST + 1]


def _in_order(rows: list[Relative], *, without: UUID | None = None) -> tuple[Relative, ...]:
    """A union has no order, so its rows get the one that each list was cut in."""
    ordered = sorted(rows, key=lambda row: (row.attempt or 0, row.received_at, row.id))
    return tuple(row for row in ordered[:MOST] if row.id != without)
