"""What a page needs of a run and of the one beside it, whatever their length, in one query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import QuerySet, Subquery
from django.db.models.functions import JSONObject

from attribution import comparing, pairings
from attribution.alignment.aligned import Aligned
from attribution.models import Pairing
from attribution.pairings import Pairs
from traces import outlines, reading
from traces.models import Run, RunOutline
from traces.outline import Outline
from traces.reading import Surroundings

PAIR = ("left_step", "right_step", "left_revision", "right_revision")


@dataclass(frozen=True)
class Together:
    """The outlines of this run and, if there is one, of the other; how they compare, if that is
    stored, without anybody's pairs; and the reader's pairs."""

    outlines: list[Outline]
    surroundings: Surroundings
    aligned: Aligned | None
    pairs: Pairs


def read(run: Run, other: Run | None, reader: User | None, *, opinions: bool = False) -> Together:
    """In one query; in four more for each run that has no stored outline. `opinions` must have
    been asked for: see `reading.opinions_of`."""
    runs = [run, other] if other else [run]
    lacking = outlines.without_theirs(runs)
    columns = reading.around(opinions=opinions) | {
        f"outline_{n}": Subquery(RunOutline.objects.filter(run=each.pk).values("content"))
        for n, each in enumerate(lacking)
    }
    if other:
        columns["compared"] = Subquery(comparing.rows(run, other).values("content"))
    if other and reader:
        pairs = pairings.rows(reader, run, other)
        columns["pairs"] = ArraySubquery(
            pairs.values(row=JSONObject(**{name: name for name in PAIR}))
        )
    rows: QuerySet[Run, Any] = Run.objects.filter(pk=run.pk).values(**columns)
    row: dict[str, Any] = rows.get()
    contents = {each.pk: row[f"outline_{n}"] for n, each in enumerate(lacking)}
    made = [Pairing(**pair) for pair in row.get("pairs", ())]
    return Together(
        outlines=outlines.of_contents(runs, contents),
        surroundings=reading.surroundings_from(run, row),
        aligned=comparing.unpacked(row.get("compared")),
        pairs=pairings.valid(made, run, other) if other else Pairs(),
    )
